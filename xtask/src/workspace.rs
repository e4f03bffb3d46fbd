//! Where the workspace lies, and how tasks start programs in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// The directory of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo says where the package is that it runs; a copy of the program serves another checkout so.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let own = Path::new(&own);
    own.parent().map_or_else(|| own.to_path_buf(), Path::to_path_buf)
}

/// The cargo that runs this task, so that every step uses the same toolchain.
pub(crate) fn cargo() -> Command {
    program(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

/// A program started from the workspace's root.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Run to the end; anything but success is an error that names the command line.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let line = command_line(command);
    let status = command.status().with_context(|| format!("could not start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Builds the binary as the tests start it, and the black-box tests, which are returned. Built alone, it would share
/// features with fewer others, and half of all crates would be compiled once more.
pub(crate) fn build_tested() -> anyhow::Result<PathBuf> {
    let mut build = cargo();
    build.args(["test", "--workspace", "--test", "tests", "--no-run", "--quiet", "--message-format", "json"]);
    let line = command_line(&build);
    let output =
        build.stderr(Stdio::inherit()).output().with_context(|| format!("could not start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` ended with {}", output.status);
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let of_binary = |message: &Value| {
        message["target"]["name"] == "tests"
            && message["package_id"].as_str().is_some_and(|id| id.contains("/crates/wilco#"))
    };
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(of_binary)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.with_context(|| format!("`{line}` named no tests of the binary"))
}

/// Whether the command starts and succeeds, without showing what it prints.
pub(crate) fn succeeds_quietly(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The command as a person would type it.
pub(crate) fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
