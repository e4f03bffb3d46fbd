//! The API against its own document: schemathesis makes requests from it, right ones and wrong ones, and looks
//! whether the answers are what the document says.
//!
//! It comes from PyPI into a virtual environment under `target/`, once.

use std::path::Path;

use anyhow::Context;

use super::server::{delegated, start};
use crate::workspace::{build_tested, program, root, succeed};

const VERSION: &str = "schemathesis==4.32.5";

/// Requests for each operation and kind of test. With it a run takes about a minute.
const EXAMPLES: &str = "40";
/// The same requests in every run.
const SEED: &str = "1";

/// What is not looked at, and why.
const EXCLUDED: &[(&str, &str)] = &[
    (
        "positive_data_acceptance",
        "what a message means is beyond a schema: a sender, a task, a state must fit",
    ),
    (
        "unsupported_method",
        "a method that is not there is 405; but it asks for TRACE, which no route ever sees",
    ),
];

pub(super) fn run() -> anyhow::Result<()> {
    let tool = installed(&root().join("target/schemathesis"))?;
    build_tested()?;
    let data = root().join("target/schemathesis/data");
    // What an earlier run left.
    let _ = std::fs::remove_dir_all(&data);
    let (mut server, url) = start(&data)?;
    let settings = root().join("target/schemathesis/settings.toml");
    std::fs::write(&settings, known(&url)?)?;
    let excluded: Vec<&str> = EXCLUDED.iter().map(|(check, _)| *check).collect();
    let checked = succeed(
        program(&tool)
            // It leaves what it learns where it was started.
            .current_dir(root().join("target/schemathesis"))
            .arg("--config-file")
            .arg(&settings)
            .args(["run", &format!("{url}/v1/openapi.json"), "--max-examples", EXAMPLES, "--seed", SEED])
            .args(["--checks", "all", "--exclude-checks", &excluded.join(",")])
            // It would move the server's time for all the others.
            .args([
                "--exclude-path",
                "/v1/test/clock",
                "--request-timeout",
                "10",
                "--phases",
                "examples,coverage,fuzzing",
            ])
            // Two threads make Python 3.11 lose count of its own recursion now and then.
            .args(["--workers", "1", "--no-color"]),
    );
    server.kill().and_then(|()| server.wait()).context("the server could not be ended")?;
    checked
}

/// The program, installed if it is missing.
fn installed(folder: &Path) -> anyhow::Result<String> {
    let tool = folder.join("venv/bin/schemathesis");
    let stamp = folder.join(VERSION);
    if !stamp.exists() {
        let venv = folder.join("venv");
        succeed(program("python3").args(["-m", "venv"]).arg(&venv))
            .context("a virtual environment is needed")?;
        succeed(program(&venv.join("bin/pip").to_string_lossy()).args(["install", "--quiet", VERSION]))?;
        std::fs::write(stamp, "")?;
    }
    Ok(tool.to_string_lossy().into_owned())
}

/// Something to ask about: the ids of an exchange and of its message, for the settings.
fn known(url: &str) -> anyhow::Result<String> {
    let said = delegated(url)?;
    let id = |begin: &str| {
        let (_, rest) = said.split_once(&format!("\"id\":\"{begin}"))?;
        Some(format!("{begin}{}", rest.split('"').next()?))
    };
    let (exchange, message) = id("del-").zip(id("msg-")).context("the delegation has no ids")?;
    let operations = |path: &str, parameters: &str| {
        format!("[[operations]]\ninclude-path-regex = \"^/v1/{path}/\"\nparameters = {{ {parameters} }}\n")
    };
    Ok(operations("exchanges", &format!("id = \"{exchange}\", seq = 1"))
        + &operations("messages", &format!("id = \"{message}\"")))
}
