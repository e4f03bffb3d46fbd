//! Validations on the command line.

use std::process::Stdio;

use serde_json::Value;

use super::program::{Ran, Server};

/// Follows a validation of anna's by a specialist who has heard nothing yet, while `play` happens.
fn followed(server: &Server, specialist: &str, line: &[&str], play: impl FnOnce()) -> Ran {
    let phase = format!("unit={specialist}");
    let start = ["validate", "--wait", "--issue", "42", "--phase", &phase, "--main", "bob"];
    let mut command = server.command("anna", &[&start, line].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a command");
    let begun = server.get(&format!("/v1/agents/{specialist}/inbox?wait=30s"));
    assert!(begun["items"][0]["content"]["message_id"].is_string(), "{begun}");
    play();
    let output = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn cli_3_cli_8_a_loop_is_followed_to_its_end_and_every_part_has_a_verb() {
    let server = Server::of(&["anna", "bob", "ula", "uwe"]);
    let passed = followed(&server, "ula", &[], || {
        server.run("ula", &["checked", "42", "fail", "--failure", "a.rs:3 - wrong - mend it"]).ok();
        server.run("bob", &["fixing", "42"]).ok();
        server.run("bob", &["fixed", "42", "--fix", "mended", "--file", "a.rs"]).ok();
        server.run("ula", &["checked", "#42", "pass", "--message-id", "REVALRES-42-ula-2"]).ok();
    });
    assert_eq!(passed.code, 0, "{passed:?}");
    assert!(passed.out.contains("completed  unit PASS 2/5"), "{passed:?}");
    let report = server.run("anna", &["report", "validations"]).ok();
    assert!(report.contains("COMPLETED") && report.contains("a.rs:3 - wrong (1)"), "{report}");

    let escalated = followed(&server, "uwe", &["--policy", "max_iterations=1"], || {
        server.run("uwe", &["checked", "42", "error", "--error", "no compiler"]).ok();
        server.run("uwe", &["checked", "42", "fail", "--failure", "a.rs:3 - wrong"]).ok();
    });
    assert_eq!(escalated.code, 5, "{escalated:?}");
    let open = server.get("/v1/escalations?open=true")["items"][0]["id"].as_str().unwrap().to_owned();
    server.run("anna", &["decide", &open, "extend", "--iterations", "1"]).ok();
    server.run("bob", &["fixed", "42", "--cannot", "It needs another team"]).ok();
    let ended = server.run("anna", &["decide", &open.replace("-e1", "-e2"), "abort", "--wait"]);
    assert_eq!(ended.code, 3, "{ended:?}");
}

#[test]
fn val_21_the_log_of_an_issue_is_that_of_its_newest_loop() {
    let server = Server::of(&["anna", "bob", "ula"]);
    for _ in 0..2 {
        let start = ["validate", "--issue", "42", "--phase", "unit=ula", "--main", "bob", "--no-watch"];
        server.run("anna", &start).ok();
        server.run("ula", &["checked", "42", "pass"]).ok();
    }
    let log = server.run("anna", &["log", "42"]).ok();
    assert_eq!(log.matches("## Full Communication Log: Feature #42").count(), 1, "{log}");
    assert_eq!(log.matches("**Total Messages**: 4").count(), 2, "{log}");
    let all = server.run("anna", &["log", "42", "--all"]).ok();
    assert_eq!(all.matches("## Full Communication Log: Feature #42").count(), 2);
    let json: Value = serde_json::from_str(&server.run("anna", &["log", "42", "--json"]).ok()).unwrap();
    assert_eq!((json["issue"].as_str(), json["entries"].as_array().map(Vec::len)), (Some("42"), Some(4)));
    assert!(server.run("anna", &["log", "42", "--diagram"]).ok().contains("ula"));
    assert_eq!(server.run("anna", &["log", "43"]).code, 1);
    let start = ["validate", "--issue", "#44", "--phase", "unit=ula", "--main", "bob"];
    server.run("anna", &start).ok();
    server.run("ula", &["checked", "#44", "fail", "--failure", "a.rs:3 - Vec<u8> && more"]).ok();
    server.run("bob", &["fixing", "44"]).ok();
    assert!(server.run("anna", &["log", "#44"]).ok().contains("Feature #44"));
}

#[test]
fn val_21_cli_5_a_log_is_printed_as_it_was_written() {
    let server = Server::of(&["anna", "bob"]);
    let title = "Vec<u8> && &lt;";
    server.run("anna", &["delegate", "bob", "--task", "GH-1", "--title", title]).ok();
    assert!(server.run("anna", &["log", "GH-1"]).ok().contains(title));
    let page = server.run("anna", &["log", "GH-1", "--form", "markdown"]).ok();
    assert!(page.contains("Vec&lt;u8&gt; &amp;&amp; &amp;lt;"), "{page}");
}
