//! What may be said in a validation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::validation::Finding;

use super::fields::{FieldError, Fields};
use crate::read::failures::{Failure, MAX_FAILURES};
use crate::read::validation::{Answer, message_id as id_in, reading};

#[derive(Debug, Clone, PartialEq)]
pub enum Validation {
    Start(Box<Start>),
    Result {
        message_id: Option<String>,
        finding: Finding,
        failures: Vec<Failure>,
    },
    Acknowledgment {
        message_id: Option<String>,
    },
    /// `fixed`: false when the main agent says that it cannot.
    Completion {
        message_id: Option<String>,
        fixed: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    pub issue: String,
    pub feature: Option<String>,
    pub phases: Vec<PhaseSpec>,
    pub main_agent: String,
    pub watchers: Vec<String>,
    /// Whether the initiator watches too.
    pub watch: bool,
    pub policy: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseSpec {
    pub name: String,
    pub specialist: String,
    pub parallel: bool,
    pub expected_outcome: Option<String>,
}

const MAX_PHASES: usize = 100;
const MAX_NAME: usize = 128;

impl Validation {
    /// The id that it names.
    pub fn message_id(&self) -> Option<&str> {
        match self {
            Validation::Start(_) => None,
            Validation::Result { message_id, .. }
            | Validation::Acknowledgment { message_id }
            | Validation::Completion { message_id, .. } => message_id.as_deref(),
        }
    }
}

/// Reads the content of a known type.
pub(super) fn read(kind: &str, mut fields: Fields<'_>) -> Result<Validation, Vec<FieldError>> {
    let text = fields.text("message").unwrap_or_default();
    let message_id = fields.text("message_id").or_else(|| id_in(&text));
    match kind {
        "validation-start" => start(fields).map(|start| Validation::Start(Box::new(start))),
        "fix-acknowledgment" => fields.done(|| Some(Validation::Acknowledgment { message_id })),
        "fix-completion" => completion(fields, message_id),
        _ => result(fields, message_id),
    }
}

fn start(mut fields: Fields<'_>) -> Result<Start, Vec<FieldError>> {
    let issue = match fields.get("issue") {
        Some(Value::Number(number)) if number.is_u64() => Some(number.to_string()),
        _ => fields
            .required("issue", "the number or the name of what is validated")
            .map(|text| text.trim().to_owned()),
    };
    if issue.as_ref().is_some_and(|issue| !is_word(issue)) {
        fields.error("issue", format!("expected at most {MAX_NAME} characters on one line, without spaces"));
    }
    let feature = fields.text("feature").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if feature.as_ref().is_some_and(|text| text.chars().count() > 998 || text.contains(char::is_control)) {
        fields.error("feature", "expected at most 998 characters on one line");
    }
    let main_agent = fields.required("main_agent", "the agent that fixes what fails");
    let watchers = fields.texts("watchers").unwrap_or_default();
    let watch = fields.flag("watch").unwrap_or(true);
    let all_parallel = fields.flag("parallel").unwrap_or(false);
    let policy = fields.object("policy").cloned().unwrap_or_default();
    let phases = phases(&mut fields, all_parallel);
    fields.done(|| {
        Some(Start {
            issue: issue?,
            feature,
            phases: phases?,
            main_agent: main_agent?,
            watchers,
            watch,
            policy,
        })
    })
}

fn is_word(text: &str) -> bool {
    text.chars().count() <= MAX_NAME && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}

fn phases(fields: &mut Fields<'_>, all_parallel: bool) -> Option<Vec<PhaseSpec>> {
    const FORM: &str = "a list of objects with name and specialist";
    let items = match fields.get("phases") {
        Some(Value::Array(items)) if (1..=MAX_PHASES).contains(&items.len()) => items,
        Some(Value::Array(items)) if items.is_empty() => {
            fields.error("phases", format!("must not be empty: {FORM}"));
            return None;
        }
        Some(_) => {
            fields.error("phases", format!("expected {FORM}, at most {MAX_PHASES}"));
            return None;
        }
        None => {
            fields.error("phases", format!("is required: {FORM}"));
            return None;
        }
    };
    let mut phases = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let Some(map) = item.as_object() else {
            fields.error(&format!("phases/{place}"), "expected an object with name and specialist");
            continue;
        };
        let mut inner = Fields::new(map, "");
        let name = inner.required("name", "what the phase is called");
        if name
            .as_ref()
            .is_some_and(|name| name.chars().count() > MAX_NAME || name.contains(char::is_control))
        {
            inner.error("name", format!("expected at most {MAX_NAME} characters on one line"));
        }
        let specialist = inner.required("specialist", "the agent, or cmd:NAME, that checks");
        let parallel = inner.flag("parallel").unwrap_or(all_parallel);
        let expected_outcome = inner.text("expected_outcome");
        for error in inner.errors {
            fields.error(&format!("phases/{place}{}", error.pointer), error.detail);
        }
        if let (Some(name), Some(specialist)) = (name, specialist) {
            let (name, specialist) = (name.trim().to_owned(), specialist.trim().to_owned());
            phases.push(PhaseSpec { name, specialist, parallel, expected_outcome });
        }
    }
    Some(phases)
}

fn result(mut fields: Fields<'_>, message_id: Option<String>) -> Result<Validation, Vec<FieldError>> {
    // What the fields leave out may stand in the text.
    let (in_text, listed) = match answer(&fields) {
        Some(Answer::Result { finding, failures, .. }) => (Some(finding), failures),
        Some(_) | None => (None, Vec::new()),
    };
    let finding = match in_text.filter(|_| fields.get("status").is_none()) {
        Some(finding) => Some(finding),
        None => fields.one_of("status", &["PASS", "FAIL", "ERROR"], finding),
    };
    let wrong = fields.errors.len();
    let given = failures(&mut fields);
    // What is wrong with single failures is said already.
    let sound = fields.errors.len() == wrong;
    match finding {
        Some(Finding::Pass) if given.as_ref().is_some_and(|given| !given.is_empty()) => {
            fields.error("failures", "a check that passed has no failures; leave them out, or say FAIL");
        }
        Some(Finding::Fail) if sound && given.as_ref().map_or(listed.is_empty(), Vec::is_empty) => {
            let detail =
                "is required with FAIL: a list of objects with location, error and perhaps suggestion";
            fields.error("failures", detail);
        }
        Some(Finding::Error) if in_text.is_none() && !fields.says("error") => {
            fields.error("error", "is required with ERROR: why it could not check");
        }
        Some(Finding::Pass | Finding::Fail | Finding::Error) | None => {}
    }
    let _ = (fields.text("error"), fields.text("stack_trace"));
    let failures = given.unwrap_or(listed);
    fields.done(|| Some(Validation::Result { message_id, finding: finding?, failures }))
}

/// What the text of a content answers.
fn answer(fields: &Fields<'_>) -> Option<Answer> {
    let text = fields.get("message").and_then(Value::as_str)?;
    reading(text).map(|reading| reading.answer)
}

/// The word in any letter case.
pub(crate) fn finding(word: &str) -> Option<Finding> {
    match word.trim().to_ascii_uppercase().as_str() {
        "PASS" | "PASSED" => Some(Finding::Pass),
        "FAIL" | "FAILED" => Some(Finding::Fail),
        "ERROR" => Some(Finding::Error),
        _ => None,
    }
}

/// The failures of a content, and what is wrong with each. None: they are left out.
fn failures(fields: &mut Fields<'_>) -> Option<Vec<Failure>> {
    let items = match fields.get("failures")? {
        Value::Array(items) if items.len() <= MAX_FAILURES => items,
        _ => {
            fields.error("failures", format!("expected a list of at most {MAX_FAILURES} objects"));
            return Some(Vec::new());
        }
    };
    let mut failures = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let Some(map) = item.as_object() else {
            let detail = "expected an object with location, error and perhaps suggestion";
            fields.error(&format!("failures/{place}"), detail);
            continue;
        };
        let mut inner = Fields::new(map, "");
        if inner.get("location").is_none() {
            inner.error("location", "is required: where it fails, such as src/login.rs:12");
        }
        let location = inner.text("location");
        let error = inner.required("error", "what fails there");
        let suggestion = inner.text("suggestion").filter(|text| !text.trim().is_empty());
        for error in inner.errors {
            fields.error(&format!("failures/{place}{}", error.pointer), error.detail);
        }
        if let (Some(location), Some(error)) = (location, error) {
            failures.push(Failure { location, error, suggestion });
        }
    }
    Some(failures)
}

fn completion(mut fields: Fields<'_>, message_id: Option<String>) -> Result<Validation, Vec<FieldError>> {
    let cannot = fields.word("status", "cannot-fix, or nothing when it is fixed", |word| {
        let word = word.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        match word.as_str() {
            "cannot-fix" => Some(true),
            "fixed" | "done" | "completed" | "complete" => Some(false),
            _ => None,
        }
    });
    let in_text = answer(&fields);
    let says_cannot = matches!(in_text, Some(Answer::CannotFix { .. }));
    let fixed = !cannot.unwrap_or(says_cannot && fields.get("fixes").is_none());
    let says_fixed = matches!(in_text, Some(Answer::Fixed { .. })) && fields.get("fixes").is_none();
    // What is given and no list of texts was named by then.
    let given = fields.get("fixes").is_some();
    let unsaid = |fixes: Vec<String>| fixes.iter().all(|fix| fix.trim().is_empty());
    let unsaid = fields.texts("fixes").map_or(!given, unsaid);
    let _ = fields.texts("files");
    if fixed && !says_fixed && unsaid {
        fields.error("fixes", "is required: what was fixed, or status cannot-fix with a reason");
    }
    if !fixed && !says_cannot && !fields.says("reason") {
        fields.error("reason", "is required with cannot-fix: why it cannot be fixed");
    }
    fields.done(|| Some(Validation::Completion { message_id, fixed }))
}
