//! Reports, the exported trail, and metrics.

use std::io::Write;
use std::process::Command;

use crate::server::{Caller, Server, Setup, said, task, text};
use serde_json::{Value, json};
use wilco_server::Role;

/// An answer as it came.
fn words(caller: &Caller, path: &str) -> String {
    let (status, text) = caller.get_text(path);
    assert_eq!(status, 200, "{text}");
    text
}

#[test]
fn api_7_a_report_comes_as_json_as_lines_and_as_a_table() {
    let server = Server::start();
    let first = server.begin_working("T-1");
    let mut odd = task("T-2");
    odd["content"]["title"] = json!("a | b");
    let second = server.begin(&odd);
    let (status, page) = server.get("/v1/reports/delegations");
    assert_eq!(status, 200, "{page}");
    let [newest, oldest] = page["items"].as_array().unwrap().as_slice() else { panic!("{page}") };
    assert_eq!((&newest["exchange"], &oldest["exchange"]), (&json!(second), &json!(first)), "newest first");
    assert_eq!((&oldest["task_id"], &oldest["state"]), (&json!("T-1"), &json!("working")));
    assert_eq!((&oldest["outcome"], &page["next"]), (&Value::Null, &Value::Null));
    let (_, lines) = server.get("/v1/reports/delegations?format=jsonl");
    assert_eq!(lines, page["items"], "the same rows, a line each");
    let table = words(&server, "/v1/reports/delegations?format=md");
    assert!(table.starts_with("# delegations\n\n| exchange | task_id |"), "{table}");
    assert!(table.contains(&format!("| {second} | T-2 | a \\| b |")), "{table}");

    let (_, page) = server.get("/v1/reports/delegations?limit=1");
    assert_eq!(page["items"][0]["exchange"], second);
    let (_, rest) = server.get(&format!("/v1/reports/delegations?after={}", page["next"].as_str().unwrap()));
    assert_eq!((&rest["items"][0]["exchange"], &rest["next"]), (&json!(first), &Value::Null));

    for report in ["operations", "validations", "incidents"] {
        let (status, page) = server.get(&format!("/v1/reports/{report}"));
        assert_eq!((status, &page), (200, &json!({"items": [], "next": null})), "{report}");
        assert!(words(&server, &format!("/v1/reports/{report}?format=md")).ends_with("None.\n"));
    }
    for (path, status, hint) in [
        ("/v1/reports/gossip", 404, "delegations"),
        ("/v1/reports/delegations?format=pdf", 400, "json, jsonl or md"),
        ("/v1/reports/delegations?fromat=md", 400, "\"format\""),
        ("/v1/reports/delegations?after=x", 400, "cursor"),
    ] {
        let (got, problem) = server.get(path);
        assert_eq!(got, status, "{path}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(hint), "{problem}");
    }
}

/// An entry of the audit file, with what the report needs.
fn replacement(minute: u32, failed: &str, new: &str, outcome: &str) -> String {
    format!(
        "- timestamp: \"2026-01-31T14:{minute:02}:00Z\"\n  event: \"agent_replacement\"\n  orchestrator: \"boss\"\n  \
         failed_agent:\n    id: \"{failed}\"\n  replacement_agent:\n    id: \"{new}\"\n  outcome: \"{outcome}\"\n"
    )
}

#[test]
fn ho_31_replacements_are_counted_over_the_audit_file_and_what_was_rotated() {
    let server = Setup::new().config("auth = \"required\"").start();
    let operator = server.with_token("op", Role::Operator);
    let none = json!({
        "total": 0, "successful": 0, "failed": 0, "partial": 0, "recent": [], "items": [], "next": null,
    });
    assert_eq!(operator.get("/v1/reports/replacements"), (200, none));
    let write = |name: &str, text: String| std::fs::write(server.data.path().join(name), text).unwrap();
    let old: String = (0..12).map(|minute| replacement(minute, "a", "b", "success")).collect();
    write("replacement_audit.yaml.20260131-142000", old);
    let new = replacement(30, "b", "c", "failed") + replacement(31, "b", "d", "partial").as_str();
    write("replacement_audit.yaml", new);

    let (_, report) = operator.get("/v1/reports/replacements");
    assert_eq!((&report["total"], &report["successful"]), (&json!(14), &json!(12)), "{report}");
    assert_eq!((&report["failed"], &report["partial"]), (&json!(1), &json!(1)));
    assert_eq!(report["recent"].as_array().unwrap().len(), 10);
    let newest = json!({
        "timestamp": "2026-01-31T14:31:00Z", "failed_agent": "b", "replacement_agent": "d", "outcome": "partial",
    });
    assert_eq!(report["recent"][0], newest);
    let table = words(&operator, "/v1/reports/replacements?format=md");
    assert!(table.starts_with("# replacements\n\n- Total replacements: 14\n- Successful: 12\n"), "{table}");
    assert!(table.contains("| 2026-01-31T14:30:00Z | b | c | failed |"), "{table}");
    let own = server.with_token("d", Role::Agent);
    let (_, report) = own.get("/v1/reports/replacements");
    assert_eq!((&report["total"], report["recent"].as_array().unwrap().len()), (&json!(1), 1), "{report}");
}

#[test]
fn del_36_incidents_are_reported_in_every_form() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("T-1"));
    server.advance("10m");
    let (_, page) = server.get("/v1/reports/incidents");
    let incident = &page["items"][0];
    assert_eq!((&incident["agent"], &incident["kind"]), (&json!("worker"), &json!("unresponsive")), "{page}");
    assert_eq!(words(&server, "/v1/reports/incidents?format=jsonl").lines().count(), 1);
}

/// The lines of an export, as they came.
fn export(caller: &Caller, query: &str) -> Vec<String> {
    words(caller, &format!("/v1/audit?{query}")).lines().map(str::to_owned).collect()
}

fn verify(server: &Server, name: &str, lines: &[String]) -> (Option<i32>, String) {
    verify_as(server, name, lines, &[])
}

fn verify_as(server: &Server, name: &str, lines: &[String], options: &[&str]) -> (Option<i32>, String) {
    let path = server.data.path().join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    lines.iter().for_each(|line| writeln!(file, "{line}").unwrap());
    let mut verify = Command::new(env!("CARGO_BIN_EXE_wilco"));
    let done = verify.args(["audit", "verify"]).arg(path).args(options).output().unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

#[test]
fn api_7_the_exported_trail_verifies_alone() {
    let server = Server::start();
    server.begin_working("T-1");
    server.advance("1m");
    server.send(&text("ann", "bob", "later"));
    let events = server.events();
    let lines = export(&server, "");
    assert_eq!(lines.len(), events.len());
    for (line, event) in lines.iter().zip(&events) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("previous");
        assert_eq!(&line, event, "the event itself, and what it follows");
    }
    let (code, said) = verify(&server, "whole.jsonl", &lines);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("{} events", events.len())), "{said}");
    let (code, said) = verify(&server, "part.jsonl", &lines[3..6]);
    assert_eq!(code, Some(0), "{said}");
    let mut forged = lines.clone();
    forged[4] = forged[4].replacen("boss", "eve", 1).replacen("worker", "mallory", 1);
    let (code, said) = verify(&server, "forged.jsonl", &forged);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("position 5"), "{said}");

    let mut cut = lines.clone();
    cut.remove(5);
    let (code, said) = verify(&server, "cut.jsonl", &cut);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("position 6: the event is missing"), "{said}");
    assert_eq!(verify_as(&server, "cut.jsonl", &cut, &["--partial"]).0, Some(0));
    assert_eq!(verify(&server, "empty.jsonl", &[]).0, Some(1));

    let yaml = export(&server, "format=yaml");
    assert!(yaml.len() == events.len() && yaml.iter().all(|line| line.starts_with("- {")), "{yaml:?}");
    assert_eq!(verify(&server, "whole.yaml", &yaml).0, Some(0));
}

#[test]
fn api_7_a_trail_is_cut_by_position_and_time() {
    let server = Setup::new().clock_at("2026-01-01T00:00:00Z").start();
    server.begin_working("T-1");
    let before = server.events().len();
    server.advance("1m");
    server.send(&text("ann", "bob", "later"));
    let all = server.events().len();
    let count = |query: &str| export(&server, query).len();
    assert_eq!(count("from=2&to=3"), 2);
    assert_eq!(count("to=2026-01-01T00:00:59Z"), before);
    assert_eq!(count("from=2026-01-01T00:00:01Z"), all - before);
    assert_eq!(count("from=2026-01-01T00:00:00Z&to=2026-01-01T00:01:00Z"), all, "bounds belong to it");
    assert_eq!(count("from=2027-01-01T00:00:00Z"), 0);
    assert_eq!(count(&format!("from={all}")), 1);
    for query in ["from=yesterday", "to=-1", "format=xml", "since=1"] {
        assert_eq!(server.get(&format!("/v1/audit?{query}")).0, 400, "{query}");
    }
}

#[test]
fn sec_2_reports_exports_and_metrics_keep_to_their_viewer() {
    let server = Setup::new().config("auth = \"required\"").start();
    let [boss, eve] = ["boss", "eve"].map(|name| server.with_token(name, Role::Agent));
    let (operator, reader) =
        (server.with_token("root", Role::Operator), server.with_token("eye", Role::ReadOnly));
    operator.register(&["boss", "worker", "eve"]);
    boss.send(&task("T-1"));
    let rows = |caller: &Caller| caller.get("/v1/reports/delegations").1["items"].as_array().unwrap().len();
    assert_eq!((rows(&boss), rows(&operator), rows(&reader), rows(&eve)), (1, 1, 1, 0));
    let all = export(&operator, "");
    assert_eq!(export(&reader, ""), all);
    let of_eve = export(&eve, "");
    assert!(!of_eve.is_empty() && of_eve.iter().all(|line| !line.contains("boss")), "{of_eve:?}");
    assert!(export(&boss, "").iter().any(|line| line.contains("task-assignment")));
    let verified = verify_as(&server, "eve.jsonl", &of_eve, &["--partial"]);
    assert_eq!(verified.0, Some(0), "what one agent may see verifies too");
    assert_eq!((operator.get("/metrics").0, reader.get("/metrics").0), (200, 200));
    assert_eq!((eve.get("/metrics").0, server.caller().get("/metrics").0), (403, 401));
    for path in ["/v1/reports/delegations", "/v1/audit"] {
        assert_eq!(server.caller().get(path).0, 401);
    }
}

#[test]
fn api_8_metrics_count_what_happens() {
    let server = Server::start();
    server.begin_working("T-1");
    server.register(&["other"]);
    let mut second = task("T-2");
    second["to"] = json!("other");
    server.begin(&second);
    server.advance("10m");
    let text = words(&server, "/metrics");
    let value = |name: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name} is missing in {text}"))
            .rsplit(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(value("wilco_messages_total") >= 3.0, "{text}");
    assert_eq!(value("wilco_events_total"), server.events().len() as f64);
    assert_eq!(value("wilco_exchanges_open{protocol=\"delegation\",state=\"working\"}"), 1.0, "{text}");
    assert_eq!(value("wilco_escalations_open"), 1.0, "{text}");
    assert!(value("wilco_commit_messages_count") >= 3.0 && value("wilco_commit_seconds_sum") > 0.0, "{text}");
    assert!(value("wilco_timer_lateness_seconds_count") >= 2.0, "{text}");
    assert_eq!(
        value("wilco_timer_lateness_seconds_bucket{le=\"0.0005\"}"),
        value("wilco_timer_lateness_seconds_count"),
        "the test clock is never late"
    );
    assert_eq!(value("wilco_queue_depth"), 0.0);
    assert!(value("wilco_timers") >= 1.0, "{text}");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, number) = line.rsplit_once(' ').unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
    }
}

/// A timer is counted when it goes off, and once, however many are due at the same time.
#[test]
fn api_8_every_timer_is_late_once() {
    const TASKS: usize = 300;
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for number in 1..=TASKS {
        server.send(&task(&format!("T-{number}")));
    }
    server.advance("5m");
    let text = words(&server, "/metrics");
    let line = text.lines().find(|line| line.starts_with("wilco_timer_lateness_seconds_count "));
    assert_eq!(line, Some(format!("wilco_timer_lateness_seconds_count {TASKS}").as_str()));
}

#[test]
fn op_12_the_operation_log_has_a_row_for_each_agent() {
    let server = Server::start();
    server.register(&["boss", "ann", "bob"]);
    let mut notice = said("boss", "", "pre-operation", json!({"operation": "restart", "message": "Soon."}));
    notice["to"] = json!(["ann", "bob"]);
    let id = server.begin(&notice);
    let (_, page) = server.get("/v1/reports/operations");
    let rows = page["items"].as_array().unwrap();
    let agents: Vec<_> = rows.iter().map(|row| row["agent"].as_str().unwrap()).collect();
    assert_eq!(agents, ["ann", "bob"], "{page}");
    assert!(rows.iter().all(|row| row["exchange"] == id && row["operation"] == "restart"), "{page}");
    let table = words(&server, "/v1/reports/operations?format=md");
    let columns: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    assert!(table.contains(&format!("| {} |", columns.join(" | "))), "every field is a column: {table}");
}
