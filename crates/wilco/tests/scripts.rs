//! Shell scripts as fleets of agents have them, written for port 23000, run unchanged.
//!
//! Only `curl` is told where the server really is, and `date` and `sleep` show and move a clock of the test.

use std::process::{Command, Stdio};

use crate::server::{Server, text};
use serde_json::{Value, json};

struct Ran {
    code: Option<i32>,
    out: String,
}

/// Runs one of the scripts. When its clock shows `at`, `then` is run once beside it.
fn run(server: &Server, script: &str, arguments: &[&str], then: Option<(u32, &str)>) -> Ran {
    let clock = server.data.path().join("script-clock");
    std::fs::write(&clock, "1000").unwrap();
    let (at, call) = then.unwrap_or((u32::MAX, ":"));
    let around = format!(
        r#"
        curl() {{ command curl --max-time 30 "${{@//localhost:23000/{address}}}"; }}
        date() {{ cat '{clock}'; }}
        sleep() {{
            echo $(( $(cat '{clock}') + $1 )) > '{clock}'
            if [ "$(cat '{clock}')" -eq $(( 1000 + {at} )) ]; then {call}; fi
        }}
        "#,
        address = server.address(),
        clock = clock.display(),
    );
    let script = std::fs::read_to_string(format!("{}/tests/scripts/{script}", env!("CARGO_MANIFEST_DIR")));
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(around + script.unwrap().as_str()).arg("script").args(arguments);
    let output = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().unwrap();
    Ran { code: output.status.code(), out: String::from_utf8(output.stdout).unwrap() }
}

fn answers(out: &str) -> Vec<Value> {
    serde_json::Deserializer::from_str(out).into_iter().map(Result::unwrap).collect()
}

fn answer_of_agent(message: &str) -> String {
    let body = json!({
        "from": "code-impl-auth", "to": "chief-of-staff",
        "subject": "RE: Skill Installation Pending - Acknowledgment Required",
        "content": {"type": "acknowledgment", "message": message},
    });
    format!("curl -s -X POST http://localhost:23000/api/messages -d '{body}' >/dev/null")
}

fn seen(server: &Server, agent: &str, kind: &str) -> usize {
    server.kinds(agent).iter().filter(|one| *one == kind).count()
}

#[test]
fn msg_41_a_script_asks_reminds_and_finds_the_answer_in_its_inbox() {
    let server = Server::start();
    server.register(&["code-impl-auth", "chief-of-staff"]);
    let ok = answer_of_agent("OK, saved everything");
    let ran = run(&server, "acknowledgment.sh", &[], Some((75, &ok)));
    assert_eq!(
        ran.out,
        "Agent code-impl-auth acknowledged - ready to proceed\n\
         Acknowledgment received from code-impl-auth after 75 seconds\n"
    );
    assert_eq!(seen(&server, "code-impl-auth", "pre-operation"), 1);
    assert_eq!(seen(&server, "code-impl-auth", "reminder"), 2);
    assert_eq!(seen(&server, "code-impl-auth", "timeout-notice"), 0);
    let asked = &server.inbox("code-impl-auth")[0];
    assert_eq!((&asked["from"], &asked["priority"]), (&json!("operator"), &json!("high")));
    assert_eq!(asked["subject"], "Skill Installation Pending - Acknowledgment Required");
}

#[test]
fn msg_41_a_script_that_hears_nothing_says_that_it_goes_on() {
    let server = Server::start();
    server.register(&["code-impl-auth", "chief-of-staff"]);
    let ran = run(&server, "acknowledgment.sh", &[], None);
    assert_eq!(ran.out, "WARNING: Timeout - no acknowledgment from code-impl-auth after 120 seconds\n");
    assert_eq!(seen(&server, "code-impl-auth", "reminder"), 3);
    assert_eq!(server.newest("code-impl-auth")["subject"], "Proceeding Without Acknowledgment");
    assert_eq!(server.newest("code-impl-auth")["content"]["timeout_occurred"], true);
}

#[test]
fn msg_40_an_extension_is_sent_as_it_is() {
    let server = Server::start();
    server.register(&["code-impl-auth"]);
    let answers = answers(&run(&server, "extension.sh", &[], None).out);
    assert_eq!(answers[0]["message"]["subject"], "Extension Granted");
    assert_eq!(server.newest("code-impl-auth")["content"]["new_timeout"], "135 seconds");
}

/// A handoff is posted, acknowledged in three ways, and a script of the orchestrator judges each.
#[test]
fn msg_40_a_handoff_is_announced_and_its_ack_validated_by_a_script() {
    let server = Server::start();
    for (name, session) in [("implementer-1", "helper-agent-generic"), ("implementer-2", "helper-agent-2")] {
        server.put(&format!("/v1/agents/{name}"), &json!({"session": session}));
    }
    let posted = answers(&run(&server, "handoff.sh", &[], None).out);
    assert_eq!(posted[0]["message"]["to"], "implementer-2", "addressed by its session: {}", posted[0]);
    let told = server.inbox("implementer-2");
    assert_eq!(told[0]["content"]["handoff_id"], "handoff-uuid-123");
    assert_eq!(told[0]["priority"], "urgent");

    let validate =
        |checkpoint: &str| run(&server, "validate_ack.sh", &["handoff-uuid-123", checkpoint], None).code;
    assert_eq!(validate("step 4"), Some(1), "nobody has acknowledged yet");
    let ack = |status: &str| {
        json!({
            "from": "helper-agent-2", "to": "operator", "subject": "[ACK] Handoff handoff-uuid-123 Received",
            "priority": "high",
            "content": {
                "type": "handoff_ack", "message": "Handoff received and reviewed", "handoff_id": "handoff-uuid-123",
                "understanding": "finish the login", "starting_from": "step 4", "questions": [], "status": status,
            },
        })
    };
    let read_all = || {
        for message in server.inbox("operator") {
            let id = message["id"].as_str().unwrap();
            assert_eq!(server.patch(&format!("/api/messages?id={id}&action=read"), None).0, 200);
        }
    };
    server.post("/api/messages", &ack("environment_issue"));
    assert_eq!(validate("step 4"), Some(2));
    read_all();
    server.post("/api/messages", &ack("ready_to_proceed"));
    assert_eq!(validate("step 9"), Some(3));
    assert_eq!(validate("step 4"), Some(0));
}

#[test]
fn msg_44_a_script_looks_whether_session_and_service_are_there() {
    let server = Server::start();
    server.put("/v1/agents/implementer-2", &json!({"session": "helper-agent-2"}));
    server.register(&["full-session-name"]);
    let answers = answers(&run(&server, "trouble.sh", &[], None).out);
    assert_eq!(answers[0]["agents"][0]["name"], "implementer-2");
    assert_eq!(answers[0]["stats"]["total"], 1);
    assert_eq!(answers[1]["status"], "healthy");
    assert_eq!(answers[2]["message"]["content"]["message"], "did it arrive?");
    server.send(&text("a", "b", "still works"));
    assert_eq!(server.newest("full-session-name")["subject"], "Again");
}
