//! What a step needs on the machine, and how a fresh machine gets it.
//!
//! Nothing is installed that is there already; on systems without apt the text says what to install by hand.

use std::path::Path;

use anyhow::{Context, bail};

use crate::workspace::{cargo, program, succeed, succeeds_quietly};

#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// A component of the Rust toolchain, by its rustup name.
    Component(&'static str),
    /// A program on the PATH, and the Debian package that brings it.
    Package { binary: &'static str, debian: &'static str },
    /// A directory, and the Debian package that brings it.
    Directory { path: &'static str, debian: &'static str },
}

/// A store across a network; tests start one of their own. Its programs are not on the PATH.
pub(crate) const POSTGRES: Need = Need::Directory { path: "/usr/lib/postgresql", debian: "postgresql" };

pub(crate) fn meet(needs: &[Need]) -> anyhow::Result<()> {
    let mut missing = Vec::new();
    for need in needs {
        match *need {
            Need::Component(name) => add_component(name)?,
            Need::Package { binary, debian } if !on_path(binary) => missing.push(debian),
            Need::Directory { path, debian } if !Path::new(path).is_dir() => missing.push(debian),
            Need::Package { .. } | Need::Directory { .. } => {}
        }
    }
    if missing.is_empty() { Ok(()) } else { install(&missing) }
}

fn add_component(name: &str) -> anyhow::Result<()> {
    let subcommand = if name == "rustfmt" { "fmt" } else { name };
    if succeeds_quietly(cargo().args([subcommand, "--version"])) {
        return Ok(());
    }
    succeed(program("rustup").args(["component", "add", name]))
        .with_context(|| format!("the Rust component `{name}` is missing"))
}

/// Install Debian packages, as root or through sudo without a password.
fn install(packages: &[&str]) -> anyhow::Result<()> {
    let names = packages.join(" ");
    if !on_path("apt-get") {
        bail!("missing: {names}; there is no apt-get here, so install them by hand");
    }
    eprintln!("installing {names}");
    // The package lists of a fresh machine are often empty or old.
    apt(&["update", "--quiet"])?;
    let mut arguments = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    arguments.extend(packages);
    apt(&arguments).with_context(|| format!("could not install {names}; install them by hand"))
}

fn apt(arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = if is_root() {
        program("apt-get")
    } else {
        let mut sudo = program("sudo");
        sudo.args(["--non-interactive", "apt-get"]);
        sudo
    };
    // In this run level Debian starts no server that comes with a package.
    succeed(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1"))
}

fn is_root() -> bool {
    program("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn on_path(binary: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_program(&directory.join(binary)))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_only_if_it_can_run() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-program-anywhere"));
        assert!(!is_program(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").as_path()));
    }
}
