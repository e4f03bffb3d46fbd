//! The MCP door against the official conformance suite, once for each revision that has sessions or none.
//!
//! It comes from npm, with the Node it needs.

use std::path::Path;

use anyhow::Context;

use super::server::{delegated, start};
use crate::workspace::{build_tested, program, root, succeed};

const PACKAGES: [&str; 2] = ["node@22", "@modelcontextprotocol/conformance@0.2.0-alpha.12"];
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Scenarios that Wilco does not pass, and why. One that passes after all is an error of this list.
const EXCLUDED: &[(&str, &[&str])] = &[
    (
        "asks for tools, resources and prompts of its own, which only a server for testing has",
        &[
            "tools-call-simple-text",
            "tools-call-image",
            "tools-call-audio",
            "tools-call-embedded-resource",
            "tools-call-mixed-content",
            "tools-call-error",
            "tools-call-with-progress",
            "json-schema-2020-12",
            "resources-read-text",
            "resources-read-binary",
            "resources-templates-read",
            "resources-subscribe",
            "resources-unsubscribe",
            "prompts-get-simple",
            "prompts-get-with-args",
            "prompts-get-embedded-resource",
            "prompts-get-with-image",
            "http-custom-header-server-validation",
            "server-sse-polling:server-sse-disconnect-resume",
            "server-stateless:sep-2575-server-rejects-undeclared-capability",
            "server-stateless:sep-2575-missing-capability-http-400",
            "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
            "server-stateless:sep-2575-server-no-log-without-loglevel",
        ],
    ),
    (
        "an event without data, which the suite calls desirable, is broken JSON to clients of 2025-06-18",
        &["server-sse-polling:server-sse-priming-event", "server-sse-polling:server-sse-retry-field"],
    ),
    (
        "Wilco asks nothing of its clients while a tool runs, and sends them no log",
        &[
            "logging-set-level",
            "tools-call-with-logging",
            "tools-call-sampling",
            "tools-call-elicitation",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "input-required-result-basic-elicitation",
            "input-required-result-basic-sampling",
            "input-required-result-basic-list-roots",
            "input-required-result-request-state",
            "input-required-result-multiple-input-requests",
            "input-required-result-multi-round",
            "input-required-result-missing-input-response",
            "input-required-result-non-tool-request",
            "input-required-result-result-type",
            "input-required-result-tampered-state",
            "input-required-result-capability-check",
            "input-required-result-ignore-extra-params",
        ],
    ),
];

pub(super) fn run() -> anyhow::Result<()> {
    build_tested()?;
    let folder = root().join("target/conformance");
    // What an earlier run left.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let (mut server, url) = start(&folder.join("data"))?;
    let checked =
        delegated(&url).and_then(|_| REVISIONS.iter().try_for_each(|one| check(&folder, &url, one)));
    server.kill().and_then(|()| server.wait()).context("the server could not be ended")?;
    checked
}

fn check(folder: &Path, url: &str, revision: &str) -> anyhow::Result<()> {
    let names = EXCLUDED.iter().flat_map(|(_, names)| names.iter());
    let excluded = folder.join(format!("excluded-{revision}.yml"));
    std::fs::write(
        &excluded,
        names.fold("server:\n".to_owned(), |text, name| format!("{text}  - {name}\n")),
    )?;
    let mut suite = program("npx");
    suite.arg("-y").args(PACKAGES.iter().flat_map(|package| ["-p", package]));
    suite.args(["conformance", "server", "--suite", "all", "--spec-version", revision]);
    suite.args(["--url", &format!("{url}/mcp"), "--output-dir"]).arg(folder.join(revision));
    succeed(suite.arg("--expected-failures").arg(&excluded)).with_context(|| format!("revision {revision}"))
}
