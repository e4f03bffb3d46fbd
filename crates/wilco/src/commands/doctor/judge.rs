//! Does the judge answer?

use super::Exam;
use super::finding::Finding;
use crate::commands::judge::sample;
use crate::config::Config;
use crate::place::Place;

/// One sample question, if a judge is configured on this machine.
pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) {
    // What is wrong with the configuration as a whole is said elsewhere.
    let Ok(config) = Config::load(place.config.as_deref()) else { return };
    let next = "wilco config show; see docs/judge.md";
    let judge = match config.judge() {
        Ok(None) => return,
        Ok(Some(judge)) => judge,
        Err(error) => return exam.found.push(Finding::wrong("judge", format!("{error:#}")).next(next)),
    };
    let named = judge.named();
    exam.found.push(match sample(&judge) {
        Err(reason) => {
            let text = format!("{named} does not answer, so initiators are asked instead: {reason}");
            Finding::wrong("judge", text).next(next)
        }
        Ok(answer) => {
            let (verdict, took) = (answer.record.verdict.word(), answer.record.took_ms);
            let text = format!(
                "{named} says {verdict} to a sample in {took} ms ({} would follow)",
                answer.outcome.word()
            );
            match answer.outcome.word() {
                "accepted" => Finding::fine("judge", text),
                _ => Finding::note("judge", text).next("wilco judge eval"),
            }
        }
    });
}
