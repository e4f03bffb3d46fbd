//! `cargo xtask dist`: everything that a release consists of, in `target/dist`.
//!
//! A tarball, a Debian package, the list of what is inside the binary (SBOM) and their checksums. The files that
//! are installed are in `packaging/`; RELEASE.md says when this is run.

mod check;
mod package;
mod sbom;
mod stage;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::workspace::{build_tested, cargo, program, root, succeed};
use stage::Stage;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also install, start and remove the package, in a copy of this machine (needs root)
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    succeed(cargo().args(["build", "--release", "--locked", "--package", "wilco"]))?;
    let stage = Stage::new(target().join("release/wilco"), target().join("dist"))?;
    let tarball = stage.tarball()?;
    let package = package::build(&stage, "gzip")?;
    let sbom = stage.folder.join(format!("wilco-{}.cdx.json", stage.version));
    std::fs::write(&sbom, sbom::document()?)?;
    checksums(&stage.folder, &[&tarball, &package, &sbom])?;
    check::contents(&package)?;
    if options.check {
        check::checksums(&stage.folder)?;
        ensure!(check::can_copy(), "--check needs root and overlayfs");
        check::installs(&package)?;
    }
    for file in [&tarball, &package, &sbom] {
        println!("{:>10}  {}", std::fs::metadata(file)?.len(), file.display());
    }
    Ok(())
}

/// The package from the binary of the tests: what is in it, and that it installs where that can be tried.
pub(crate) fn shortly() -> anyhow::Result<()> {
    build_tested()?;
    let stage = Stage::new(target().join("debug/wilco"), target().join("dist-test"))?;
    let package = package::build(&stage, "none")?;
    check::contents(&package)?;
    if check::can_copy() {
        return check::installs(&package);
    }
    println!("the package was not installed: that needs root and overlayfs");
    Ok(())
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

fn checksums(folder: &Path, files: &[&Path]) -> anyhow::Result<()> {
    let names = files.iter().filter_map(|file| file.file_name());
    let sums = program("sha256sum").args(names).current_dir(folder).output().context("sha256sum")?;
    ensure!(sums.status.success(), "sha256sum: {}", String::from_utf8_lossy(&sums.stderr));
    Ok(std::fs::write(folder.join(check::SUMS), sums.stdout)?)
}
