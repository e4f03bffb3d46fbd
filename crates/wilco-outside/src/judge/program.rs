//! A configured program as judge: task and ACK as JSON in, a verdict as JSON out.

use serde::Deserialize;
use serde_json::Value;
use wilco_language::judge::JudgeOpinion;
use wilco_protocol::delegation::Verdict;

use super::{RawAnswer, prompt};
use crate::command::{Program, run};

/// A verdict in the words of an initiator's.
#[derive(Deserialize)]
struct WordedVerdict {
    verdict: Verdict,
    correction: Option<String>,
    #[serde(default)]
    missing: Vec<String>,
}

pub(super) async fn ask(program: &Program, payload: &Value) -> Result<RawAnswer, String> {
    let printed = run(program, &payload.to_string()).await?;
    opinion(&printed).map(|opinion| RawAnswer { opinion, tokens: None })
}

/// The schema that models answer by, or the fields of a verdict.
fn opinion(printed: &str) -> Result<JudgeOpinion, String> {
    let fields: Value = serde_json::from_str(printed).map_err(|error| unreadable(printed, &error))?;
    let of_schema = ["covered", "added", "reason"].iter().any(|key| fields.get(key).is_some());
    if of_schema || fields["verdict"] == "unsure" {
        return prompt::opinion(printed);
    }
    if !prompt::is_worded(&fields) {
        return Err("it did not print a verdict such as {\"verdict\": \"correct\"}".to_owned());
    }
    let WordedVerdict { verdict, correction, missing } =
        serde_json::from_str(printed).map_err(|error| unreadable(printed, &error))?;
    match lacks(verdict, correction.as_deref(), &missing) {
        Some(what) => Err(format!("its verdict lacks {what}")),
        None => Ok(JudgeOpinion::Worded { verdict, correction, missing }),
    }
}

/// What is said of an output that is no verdict.
fn unreadable(printed: &str, error: &serde_json::Error) -> String {
    let word = printed.trim();
    match serde_json::from_value::<Verdict>(Value::from(word.to_lowercase())) {
        Ok(_) => {
            format!("it printed the word {word:?}; print JSON: {{\"verdict\": {:?}}}", word.to_lowercase())
        }
        Err(_) => format!("it did not print a verdict such as {{\"verdict\": \"correct\"}}: {error}"),
    }
}

fn lacks(verdict: Verdict, correction: Option<&str>, missing: &[String]) -> Option<&'static str> {
    match verdict {
        Verdict::WrongSummary if correction.is_none_or(|text| text.trim().is_empty()) => Some("a correction"),
        Verdict::Partial if missing.is_empty() => Some("what is missing"),
        Verdict::WrongSummary | Verdict::Partial | Verdict::Correct | Verdict::WrongTask => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn del_21_a_judge_that_prints_a_bare_word_is_told_what_to_print() {
        let said = |printed: &str| opinion(printed).unwrap_err();
        assert_eq!(
            said("Correct\n"),
            "it printed the word \"Correct\"; print JSON: {\"verdict\": \"correct\"}"
        );
        assert!(said("yes").starts_with("it did not print a verdict such as {\"verdict\": \"correct\"}"));
    }

    #[test]
    fn ju_1_a_program_may_print_either_form() {
        assert!(matches!(
            opinion(r#"{"verdict": "correct", "note": "fine"}"#),
            Ok(JudgeOpinion::Worded { .. })
        ));
        for wrong in [r#"["correct", null, []]"#, r#"{"verdict": {"correct": null}}"#] {
            assert!(opinion(wrong).is_err(), "{wrong}");
        }
        let whole = r#"{"verdict": "unsure", "covered": [], "missing": [], "added": [], "reason": "?"}"#;
        assert!(matches!(opinion(whole), Ok(JudgeOpinion::Numbered { .. })));
        assert!(opinion(r#"{"verdict": "correct", "covered": [1]}"#).is_err());
    }
}
