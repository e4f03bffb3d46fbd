//! JU-4: Wilco's own look at what a judge calls correct and whole, by tables of right understandings in other words and of
//! contradicting ones: another task's id, other numbers, a negation that the task has not.

use serde_json::Value;
use wilco_language::judge::{JudgeCase, JudgeOpinion, JudgeOutcome, outcome};
use wilco_protocol::judgement::JudgeWord;

/// Written without looking at the rules, and measured before they were changed: they stopped 33 of 66 right ones and let 11
/// of 64 contradicting ones pass. That led to rules on what a denial reaches and what a number counts.
#[test]
fn ju_4_fresh_understandings_in_other_words_pass_and_contradicting_ones_do_not() {
    check(include_str!("tables/look_right.jsonl"), include_str!("tables/look_contradicting.jsonl"), 7);
}

/// Written after those rules, and measured once before anything was changed for it: they stopped 15 of 40 right ones and let
/// none of 32 contradicting ones pass.
#[test]
fn ju_4_more_fresh_understandings() {
    check(include_str!("tables/look_right_2.jsonl"), include_str!("tables/look_contradicting_2.jsonl"), 3);
}

/// At most so many right ones go to the initiator for nothing; no contradicting one is accepted.
fn check(right: &str, contradicting: &str, most: usize) {
    let (right, contradicting) = (looked_at(right), looked_at(contradicting));
    let stopped: Vec<_> = right.iter().filter(|(_, why)| why.is_some()).collect();
    assert!(stopped.len() <= most, "{} of {} right ones stopped: {stopped:#?}", stopped.len(), right.len());
    let passed: Vec<_> = contradicting.iter().filter(|(_, why)| why.is_none()).collect();
    assert!(passed.is_empty(), "{} of {} contradicting ones: {passed:#?}", passed.len(), contradicting.len());
}

/// What is understood, and why it is not accepted.
fn looked_at(table: &str) -> Vec<(String, Option<String>)> {
    let looked = table.lines().map(|line| {
        let case = case(&serde_json::from_str(line).unwrap());
        let covered = (1..=case.criteria.len() as u16).collect();
        let (missing, added, reason) = (Vec::new(), Vec::new(), String::new());
        let opinion = JudgeOpinion::Numbered { verdict: JudgeWord::Correct, covered, missing, added, reason };
        match outcome(&case, &opinion) {
            JudgeOutcome::Accepted => (case.understanding, None),
            JudgeOutcome::Initiator { why } => (case.understanding, Some(why)),
            other @ (JudgeOutcome::Supplement { .. } | JudgeOutcome::Correction { .. }) => {
                panic!("{other:?}")
            }
        }
    });
    looked.collect()
}

fn case(line: &Value) -> JudgeCase {
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let criteria = line["criteria"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned());
    JudgeCase {
        task_id: "T-1".to_owned(),
        title: text("title"),
        description: text("description"),
        criteria: criteria.collect(),
        understanding: text("understanding"),
        ..JudgeCase::default()
    }
}
