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
        Err(error) => failed(format!("it did not print a verdict: {error}")),
    }
}

fn lacks(verdict: Verdict, correction: Option<&str>, missing: &[String]) -> Option<&'static str> {
    match verdict {
        Verdict::WrongSummary if correction.is_none_or(|text| text.trim().is_empty()) => Some("a correction"),
        Verdict::Partial if missing.is_empty() => Some("what is missing"),
        Verdict::WrongSummary | Verdict::Partial | Verdict::Correct | Verdict::WrongTask => None,
    }
}
