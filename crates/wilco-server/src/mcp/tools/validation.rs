//! Validations: `report_validation` and `start_validation`.

use serde_json::json;

use super::{Does, FROM, POLICY, Plan, Say, Tool, opening};
use crate::mcp::arguments::{Field, Given, Kind, optional, required};
use crate::mcp::find::Named;

/// A number or a name.
const ISSUE: Kind = Kind::Either(&[Kind::Text, Kind::Whole(1, u64::MAX)]);

const FAILURE: &[Field] = &[
    required("location", Kind::Text, "Where it fails, such as src/login.rs:12"),
    required("error", Kind::Text, "What fails there"),
    optional("suggestion", Kind::Text, "What would help"),
];

pub(super) const REPORT: Tool = Tool {
    name: "report_validation",
    title: "Report in a validation",
    about: "Reports in a validation. As a specialist, what your check came to: PASS, FAIL with failures, or ERROR \
            when it could not be done. As the main agent: FIXING when you have the fix request, FIXED with what you \
            did, or CANNOT-FIX with a reason.",
    does: Does::Say,
    fields: &[
        required("issue", ISSUE, "The issue, or the exchange's id, such as val-42"),
        required(
            "status",
            Kind::Word(&["PASS", "FAIL", "ERROR", "FIXING", "FIXED", "CANNOT-FIX"]),
            "What came of it",
        ),
        optional("failures", Kind::Objects(FAILURE), "What fails; needed with FAIL"),
        optional("error", Kind::Text, "Why it could not be checked; needed with ERROR"),
        optional("stack_trace", Kind::Text, "What it printed, with ERROR"),
        optional("fixes", Kind::Texts, "What you fixed; needed with FIXED"),
        optional("files", Kind::Texts, "The files that you changed, with FIXED"),
        optional("reason", Kind::Text, "Why it cannot be fixed; needed with CANNOT-FIX"),
        optional(
            "message_id",
            Kind::Text,
            "The id that you were asked to answer with, such as VALRES-42-bob-1",
        ),
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
    let kind = match status.as_str() {
        "FIXING" => "fix-acknowledgment",
        "FIXED" => "fix-completion",
        "CANNOT-FIX" => {
            given.set("status", json!("cannot-fix"));
            "fix-completion"
        }
        result => {
            given.set("status", json!(result));
            "validation-result"
        }
    };
    let content = given.into_content(kind);
    Plan::Say(Say { from, named: Named::Validation(issue), content: Box::new(move |_, _| content) })
}

pub(super) const START: Tool = Tool {
    name: "start_validation",
    title: "Start a validation",
    about: "Lets specialists check something, phase by phase. What fails goes to the main agent, which fixes it, and \
            is checked again, so often and no more; then an escalation comes to you.",
    does: Does::Say,
    fields: &[
        required("issue", ISSUE, "The number or the name of what is validated"),
        required(
            "phases",
            Kind::Objects(&[
                required("name", Kind::Text, "What the phase is called"),
                required(
                    "specialist",
                    Kind::Text,
                    "The agent that checks, or cmd:NAME for a configured command",
                ),
                optional("expected_outcome", Kind::Text, "What should come of it"),
                optional("parallel", Kind::Flag, "true: together with the phases beside it"),
            ]),
            "The phases, in their order",
        ),
        required("main_agent", Kind::Text, "The agent that fixes what fails"),
        optional("feature", Kind::Text, "What is validated, in a line"),
        optional("parallel", Kind::Flag, "true: all phases at the same time"),
        optional("watchers", Kind::Texts, "Who else hears of every change"),
        optional("watch", Kind::Flag, "false: you hear only of the end"),
        POLICY,
        FROM,
    ],
    examples: &[
        r#"{"issue": "42", "main_agent": "bob", "phases": [{"name": "unit tests", "specialist": "tester"}]}"#,
    ],
    plan: |given| opening(given, Some(json!("validation-orchestrator")), "validation-start"),
};
