//! A judge that is down, wrong, of two minds, or has an opinion in words; slow it is by the courier. What counts of it is
//! the rule's to say.

use serde_json::Value;
use wilco_language::judge::{JudgeCase, JudgeOpinion, JudgeOutcome, outcome, report, speaks_to_the_judge};
use wilco_protocol::MessageId;
use wilco_protocol::decision::Report;
use wilco_protocol::delegation::Verdict;
use wilco_protocol::judgement::{JudgeRecord, JudgeTokens, JudgeWord};

use crate::model::{Broken, broken};
use crate::rng::Rng;

/// What it says, and whether the rule lets it accept what it may not.
pub(crate) fn judged(rng: &mut Rng, ack: &MessageId, payload: &Value) -> Result<Report, Broken> {
    if rng.percent(20) {
        return Ok(Report::JudgeFailed { ack: ack.clone(), reason: "it crashed".to_owned() });
    }
    let case = JudgeCase::of(payload);
    let opinion = if rng.percent(30) { in_words(rng) } else { by_numbers(rng, &case) };
    let outcome = outcome(&case, &opinion);
    if outcome == JudgeOutcome::Accepted && speaks_to_the_judge(&case.understanding, "").is_some() {
        return broken("JU-4", format!("{ack} speaks to the judge and is accepted: {}", case.understanding));
    }
    let record = record(&opinion, rng.percent(10));
    Ok(report(ack, record, outcome))
}

fn in_words(rng: &mut Rng) -> JudgeOpinion {
    let verdicts =
        [Verdict::Correct, Verdict::Correct, Verdict::WrongTask, Verdict::WrongSummary, Verdict::Partial];
    let missing = vec!["no order is lost".to_owned()];
    JudgeOpinion::Worded { verdict: *rng.pick(&verdicts), correction: Some("Read it.".to_owned()), missing }
}

/// Some contradict themselves, some name criteria that there are not.
fn by_numbers(rng: &mut Rng, case: &JudgeCase) -> JudgeOpinion {
    let words = [
        JudgeWord::Correct,
        JudgeWord::Correct,
        JudgeWord::Partial,
        JudgeWord::WrongSummary,
        JudgeWord::WrongTask,
        JudgeWord::Unsure,
    ];
    let all = (1..=u16::try_from(case.criteria.len()).unwrap_or(0)).collect::<Vec<_>>();
    let (covered, missing) = match rng.between(0, 4) {
        0 => (all.clone(), all),
        1 => (Vec::new(), all),
        2 => (vec![77], Vec::new()),
        _ => (all, Vec::new()),
    };
    let added = if rng.percent(15) { vec!["a second shop".to_owned()] } else { Vec::new() };
    let reason = "it reads so".to_owned();
    JudgeOpinion::Numbered { verdict: *rng.pick(&words), covered, missing, added, reason }
}

fn record(opinion: &JudgeOpinion, shadow: bool) -> JudgeRecord {
    let (verdict, covered, missing, added) = match opinion {
        JudgeOpinion::Numbered { verdict, covered, missing, added, .. } => {
            (*verdict, covered.clone(), missing.clone(), added.clone())
        }
        JudgeOpinion::Worded { .. } => (JudgeWord::Unsure, Vec::new(), Vec::new(), Vec::new()),
    };
    JudgeRecord {
        provider: "simulated".to_owned(),
        prompt: Some(1),
        model: Some("dice".to_owned()),
        verdict,
        covered,
        missing,
        added,
        reason: "it reads so".to_owned(),
        took_ms: 700,
        tokens: Some(JudgeTokens { input: 900, output: 40 }),
        shadow,
    }
}
