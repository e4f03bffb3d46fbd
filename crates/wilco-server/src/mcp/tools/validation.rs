//! Validations: `report_validation` and `start_validation`.

use serde_json::json;

use super::{Does, FROM, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, FieldKind, Given, MessageType, required};
use crate::mcp::find::Named;

const fn start(name: &str) -> Field {
    MessageType::ValidationStart.field(name)
}

const fn result(name: &str) -> Field {
    MessageType::ValidationResult.field(name)
}

const fn fix(name: &str) -> Field {
    MessageType::FixCompletion.field(name)
}

pub(super) const REPORT: Tool = Tool {
    name: "report_validation",
    title: "Report in a validation",
    about: "Reports in a validation. As a specialist, what your check came to: PASS, FAIL with failures, or ERROR \
            when it could not be done. As the main agent: FIXING when you have the fix request, FIXED with what you \
            did, or CANNOT-FIX with a reason.",
    does: Does::Say,
    fields: &[
        start("issue").about("The issue, or the exchange's id, such as val-42"),
        required(
            "status",
            FieldKind::OneOf(&["PASS", "FAIL", "ERROR", "FIXING", "FIXED", "CANNOT-FIX"]),
            "What came of it",
        ),
        result("failures"),
        result("error"),
        result("stack_trace"),
        fix("fixes").about("What you fixed; needed with FIXED"),
        fix("files"),
        fix("reason"),
        result("message_id"),
        FROM,
    ],
    examples: &[
        r#"{"issue": "42", "status": "PASS"}"#,
        r#"{"issue": "42", "status": "FAIL", "failures": [{"location": "src/login.rs:31", "error": "expected 401, got 200"}]}"#,
        r#"{"issue": "42", "status": "FIXED", "fixes": ["The password is checked"], "files": ["src/login.rs"]}"#,
    ],
    plan: report,
};

fn report(mut given: Given) -> Plan {
    let (from, issue) = (given.text("from"), given.text("issue").unwrap_or_default());
    let status = given.text("status").unwrap_or_default();
    let of = match status.as_str() {
        "FIXING" => MessageType::FixAcknowledgment,
        "FIXED" => MessageType::FixCompletion,
        "CANNOT-FIX" => {
            given.set("status", json!("cannot-fix"));
            MessageType::FixCompletion
        }
        result => {
            given.set("status", json!(result));
            MessageType::ValidationResult
        }
    };
    let content = given.into_content(of);
    Plan::Say(Say { from, named: Named::Validation(issue), content: Box::new(move |_, _| content) })
}

pub(super) const START: Tool = Tool {
    name: "start_validation",
    title: "Start a validation",
    about: "Lets specialists check something, phase by phase. What fails goes to the main agent, which fixes it, and \
            is checked again, so often and no more; then an escalation comes to you.",
    does: Does::Say,
    fields: &[
        start("issue"),
        start("phases"),
        start("main_agent"),
        start("feature"),
        start("parallel"),
        start("watchers"),
        start("watch"),
        start("policy"),
        FROM,
    ],
    examples: &[
        r#"{"issue": "42", "main_agent": "bob", "phases": [{"name": "unit tests", "specialist": "tester"}]}"#,
    ],
    plan: |given| opening(given, Some(json!("validation-orchestrator")), MessageType::ValidationStart),
};
