//! What may be said in a validation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::validation::{Finding, Policy};

use super::content::Read;
use super::fields::Fields;
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
    /// What fills the places of a command.
    pub values: Map<String, Value>,
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

/// The id that a message names, in its field or its text.
fn named(fields: &Fields<'_>) -> Option<String> {
    fields.text("message_id").or_else(|| id_in(&fields.text("message")?))
}

pub(super) fn acknowledgment(fields: Fields<'_>) -> Read {
    fields.done(|fields| Some(Validation::Acknowledgment { message_id: named(fields) }))
}

pub(super) fn start(mut fields: Fields<'_>) -> Read {
    let issue = match fields.get("issue") {
        Some(Value::Number(number)) if number.is_u64() => Some(number.to_string()),
        Some(_) => {
            fields.needs("issue", "the number or the name of what is validated");
            fields.text("issue").map(|text| unmarked(&text).to_owned())
        }
        None => None,
    };
    match issue.as_deref() {
        // One of spaces is named already.
        Some("") if fields.says("issue") => fields.error("issue", "expected a number or a name after the #"),
        Some(issue) if !is_word(issue) => {
            fields.error(
                "issue",
                format!("expected at most {MAX_NAME} characters on one line, without spaces"),
            );
        }
        Some(_) | None => {}
    }
    let feature = fields.text("feature").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if feature.as_ref().is_some_and(|text| text.chars().count() > 998 || text.contains(char::is_control)) {
        fields.error("feature", "expected at most 998 characters on one line");
    }
    let policy = fields.policy(|keys| Policy::default().set_all(keys));
    let phases = phases(&mut fields);
    fields.done(|fields| {
        Some(Validation::Start(Box::new(Start {
            issue: issue?,
            feature,
            phases: phases?,
            main_agent: fields.text("main_agent")?,
            watchers: fields.texts("watchers").unwrap_or_default(),
            watch: fields.flag("watch").unwrap_or(true),
            policy,
        })))
    })
}

/// An issue as it is called: people write `42` and `#42` of the same one.
pub fn unmarked(issue: &str) -> &str {
    issue.trim().trim_start_matches('#').trim_start()
}

fn is_word(text: &str) -> bool {
    text.chars().count() <= MAX_NAME && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}

fn phases(fields: &mut Fields<'_>) -> Option<Vec<PhaseSpec>> {
    let all_parallel = fields.flag("parallel").unwrap_or(false);
    if fields.get("phases").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        fields.error("phases", "must not be empty: a list of objects with name and specialist");
    }
    let mut phases = Vec::new();
    for (place, mut inner) in fields.objects("phases", MAX_PHASES)? {
        let name = inner.text("name");
        if name
            .as_ref()
            .is_some_and(|name| name.chars().count() > MAX_NAME || name.contains(char::is_control))
        {
            inner.error("name", format!("expected at most {MAX_NAME} characters on one line"));
        }
        if let (Some(name), Some(specialist)) = (name, inner.text("specialist")) {
            phases.push(PhaseSpec {
                name: name.trim().to_owned(),
                specialist: specialist.trim().to_owned(),
                parallel: inner.flag("parallel").unwrap_or(all_parallel),
                expected_outcome: inner.text("expected_outcome"),
                values: inner.object("values").cloned().unwrap_or_default(),
            });
        }
        fields.add(&format!("phases/{place}"), inner);
    }
    Some(phases)
}

pub(super) fn result(mut fields: Fields<'_>) -> Read {
    // What the fields leave out may stand in the text.
    let (in_text, listed) = match answer(&fields) {
        Some(Answer::Result { finding, failures, .. }) => (Some(finding), failures),
        Some(_) | None => (None, Vec::new()),
    };
    if in_text.is_none() && fields.get("status").is_none() {
        fields.error("status", "is required: PASS, FAIL or ERROR");
    }
    let finding =
        in_text.filter(|_| fields.get("status").is_none()).or_else(|| fields.one_of("status", finding));
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
    let failures = given.unwrap_or(listed);
    fields.done(|fields| Some(Validation::Result { message_id: named(fields), finding: finding?, failures }))
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
    fields.get("failures")?;
    let mut failures = Vec::new();
    for (place, inner) in fields.objects("failures", MAX_FAILURES).unwrap_or_default() {
        if let (Some(location), Some(error)) = (inner.text("location"), inner.text("error")) {
            let suggestion = inner.text("suggestion").filter(|text| !text.trim().is_empty());
            failures.push(Failure { location, error, suggestion });
        }
        fields.add(&format!("failures/{place}"), inner);
    }
    Some(failures)
}

pub(super) fn completion(mut fields: Fields<'_>) -> Read {
    let cannot = fields.one_of("status", |word| {
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
    if fixed && !says_fixed && unsaid {
        fields.error("fixes", "is required: what was fixed, or status cannot-fix with a reason");
    }
    if !fixed && !says_cannot && !fields.says("reason") {
        fields.error("reason", "is required with cannot-fix: why it cannot be fixed");
    }
    fields.done(|fields| Some(Validation::Completion { message_id: named(fields), fixed }))
}
