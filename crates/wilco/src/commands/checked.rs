//! `wilco checked`: a specialist says what it found.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::{Value, json};

use crate::caller::Caller;
use crate::values::Content;
use crate::{posted, validation};

/// Say what a check of a validation came to: pass, fail or error
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco checked 42 pass\n  \
    wilco checked 42 fail --failure \"src/login.rs:31 - expected 401, got 200 - check the password\"\n  \
    wilco checked val-7 error --error \"cargo is not installed\"")]
pub(crate) struct Args {
    /// The issue, or the validation's id
    pub(crate) issue: String,
    /// pass, fail or error
    pub(crate) status: String,
    /// LOCATION - ERROR, perhaps - SUGGESTION; repeat it for more
    #[arg(long = "failure", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) failures: Vec<String>,
    /// Why it could not be checked, with error
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) error: Option<String>,
    /// What it printed, with error; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) stack_trace: Option<String>,
    /// The id of the request that is answered, such as VALRES-42-bob-1
    #[arg(long, value_name = "ID")]
    pub(crate) message_id: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let trace = args.stack_trace.clone();
    let content = Content::new(MessageType::ValidationResult)
        .with("status", args.status.to_uppercase())
        .with("failures", args.failures.iter().map(|text| failure(text)).collect::<Vec<_>>())
        .with("error", args.error.clone())
        .with("stack_trace", trace)
        .with("message_id", args.message_id.clone());
    let answer = validation::say(&args.caller, &args.issue, content)?;
    Ok(posted::show(&args.caller, &answer))
}

/// `location - error - suggestion`; what has no place is an error alone.
fn failure(text: &str) -> Value {
    let parts: Vec<_> = text.splitn(3, " - ").map(str::trim).collect();
    match parts.as_slice() {
        [location, error, suggestion] => {
            json!({"location": location, "error": error, "suggestion": suggestion})
        }
        [location, error] => json!({"location": location, "error": error}),
        _ => json!({"location": "", "error": text.trim()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_8_a_failure_is_a_place_an_error_and_perhaps_a_suggestion() {
        assert_eq!(failure("a.rs:3 - wrong"), json!({"location": "a.rs:3", "error": "wrong"}));
        assert_eq!(
            failure("a.rs - wrong - try - this"),
            json!({"location": "a.rs", "error": "wrong", "suggestion": "try - this"})
        );
        assert_eq!(failure("wrong"), json!({"location": "", "error": "wrong"}));
    }
}
