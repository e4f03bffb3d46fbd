//! Letting a configured program judge whether an agent understood its task.

use serde::Deserialize;
use serde_json::Value;
use wilco_protocol::MessageId;
use wilco_protocol::decision::Report;
use wilco_protocol::delegation::Verdict;

use crate::EffectResult;
use crate::command::{Program, run};

#[derive(Deserialize)]
struct Judgement {
    verdict: Verdict,
    correction: Option<String>,
    #[serde(default)]
    missing: Vec<String>,
}

/// Task and ACK as JSON in, a verdict as JSON out. Whatever goes wrong, the initiator is asked instead.
pub(crate) async fn judge(program: Option<&Program>, ack: &MessageId, payload: &Value) -> EffectResult {
    let failed = |reason: String| EffectResult::Reported(Report::JudgeFailed { ack: ack.clone(), reason });
    let Some(program) = program else { return failed("no judge is configured".to_owned()) };
    let printed = match run(program, &payload.to_string()).await {
        Ok(printed) => printed,
        Err(reason) => return failed(reason),
    };
    match serde_json::from_str::<Judgement>(&printed) {
        Ok(Judgement { verdict, correction, missing }) => {
            match lacks(verdict, correction.as_deref(), &missing) {
                Some(what) => failed(format!("its verdict lacks {what}")),
                None => {
                    EffectResult::Reported(Report::Judged { ack: ack.clone(), verdict, correction, missing })
                }
            }
        }
        Err(error) => failed(unreadable(&printed, &error)),
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
        let said =
            |printed: &str| unreadable(printed, &serde_json::from_str::<Judgement>(printed).err().unwrap());
        assert_eq!(
            said("Correct\n"),
            "it printed the word \"Correct\"; print JSON: {\"verdict\": \"correct\"}"
        );
        assert!(said("yes").starts_with("it did not print a verdict such as {\"verdict\": \"correct\"}"));
    }
}
