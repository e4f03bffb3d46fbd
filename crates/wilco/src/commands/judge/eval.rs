//! `wilco judge eval`: how a judge does with cases whose right answer is known. The shipped table holds understandings
//! that are right in other words, partial, subtly wrong, contradicting and hostile.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinSet;
use wilco_language::judge::{JudgeCase, JudgeOutcome};

use super::{From, NO_ID, blocking};
use crate::output;
use crate::output::escape::one_line;

/// Ask the judge about a table of cases: how many right ones it accepts, and how many wrong ones
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco judge eval\n  \
    wilco judge eval ours.jsonl --json\n\n\
    The table is JSON lines: {\"title\", \"description\"?, \"criteria\": [], \"understanding\", \"right\"}. Without FILE the \
    shipped one is\nused. It asks the judge once per case, which costs what your provider asks. It exits with 1 when a \
    wrong understanding\nwas accepted, or when the judge never answered.")]
pub(crate) struct Eval {
    /// The table; else the one that comes with Wilco
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) from: From,
}

/// The table that comes with Wilco.
const SHIPPED: &str = include_str!("cases.jsonl");

/// A line of a table.
#[derive(Debug, Clone, Deserialize)]
struct TableCase {
    title: String,
    #[serde(default)]
    description: String,
    criteria: Vec<String>,
    understanding: String,
    right: bool,
}

/// What came of all cases.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    right_accepted: usize,
    wrong: usize,
    /// The understandings that must not have been accepted.
    wrong_accepted: Vec<String>,
    initiator: usize,
    /// Why the judge did not answer, the first time.
    failed: usize,
    why: Option<String>,
}

pub(super) fn run(args: &Eval) -> anyhow::Result<ExitCode> {
    let cases = match &args.file {
        Some(file) => {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
            read(&text).with_context(|| file.display().to_string())?
        }
        None => read(SHIPPED)?,
    };
    let judge = Arc::new(args.from.judge()?);
    let began = Instant::now();
    let tally = blocking()?.block_on(async {
        let (mut tally, mut running) = (Tally::default(), JoinSet::new());
        for case in cases {
            if running.len() >= judge.concurrency() {
                tally.take(running.join_next().await);
            }
            let judge = judge.clone();
            running.spawn(async move {
                let payload = case.asked().payload();
                let answer = judge.ask(&payload, crate::commands::now(None)).await;
                (case, answer.map(|answer| answer.outcome))
            });
        }
        while let Some(done) = running.join_next().await {
            tally.take(Some(done));
        }
        tally
    });
    let (seconds, spent) = (began.elapsed().as_secs_f64(), judge.spent());
    if args.from.json {
        let shown = json!({
            "right": {"cases": tally.right, "accepted": tally.right_accepted},
            "wrong": {"cases": tally.wrong, "accepted": tally.wrong_accepted.len()},
            "initiator": tally.initiator,
            "seconds": (seconds * 1000.0).round() / 1000.0,
            "tokens": {"input": spent.input, "output": spent.output},
        });
        output::print_json(&shown.to_string());
    } else {
        let cost = format!("{seconds:.1} s, {} tokens in, {} out", spent.input, spent.output);
        output::print(&format!("{}\nTime and cost:   {cost}", tally.words()));
    }
    tally.verdict()
}

/// Every line that is not empty; a bad one is named.
fn read(text: &str) -> anyhow::Result<Vec<TableCase>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases = lines.map(|(at, line)| {
        serde_json::from_str(line).with_context(|| format!("line {}: this is no case", at + 1))
    });
    let cases: Vec<TableCase> = cases.collect::<anyhow::Result<_>>()?;
    anyhow::ensure!(!cases.is_empty(), "the table holds no case");
    Ok(cases)
}

impl TableCase {
    fn asked(&self) -> JudgeCase {
        JudgeCase {
            task_id: NO_ID.to_owned(),
            title: self.title.clone(),
            description: self.description.clone(),
            criteria: self.criteria.clone(),
            understanding: self.understanding.clone(),
            ..JudgeCase::default()
        }
    }
}

type Done = (TableCase, Result<JudgeOutcome, String>);

impl Tally {
    fn take(&mut self, done: Option<Result<Done, tokio::task::JoinError>>) {
        let Some(Ok((case, outcome))) = done else { return };
        if case.right {
            self.right += 1
        } else {
            self.wrong += 1
        }
        match outcome {
            Ok(JudgeOutcome::Accepted) if case.right => self.right_accepted += 1,
            Ok(JudgeOutcome::Accepted) => {
                self.wrong_accepted.push(format!("{}: {}", case.title, case.understanding))
            }
            Ok(JudgeOutcome::Supplement { .. } | JudgeOutcome::Correction { .. }) => {}
            Ok(JudgeOutcome::Initiator { .. }) => self.initiator += 1,
            Err(reason) => {
                self.initiator += 1;
                self.failed += 1;
                self.why.get_or_insert(reason);
            }
        }
    }

    fn words(&self) -> String {
        let mut lines = vec![
            format!("Right accepted:  {} of {}", self.right_accepted, self.right),
            format!("Wrong accepted:  {} of {} (must be 0)", self.wrong_accepted.len(), self.wrong),
        ];
        lines.extend(self.wrong_accepted.iter().map(|case| format!("  {}", one_line(case))));
        lines.push(format!("To the initiator: {}", self.initiator));
        lines.extend(
            self.why
                .iter()
                .map(|why| format!("No answer:       {} times, first: {}", self.failed, one_line(why))),
        );
        lines.join("\n")
    }

    fn verdict(&self) -> anyhow::Result<ExitCode> {
        match &self.why {
            Some(why) if self.failed == self.right + self.wrong => {
                anyhow::bail!("the judge never answered: {why}")
            }
            Some(_) | None if self.wrong_accepted.is_empty() => Ok(ExitCode::SUCCESS),
            Some(_) | None => Ok(ExitCode::FAILURE),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn ju_7_the_shipped_table_has_two_hundred_cases_of_every_kind() {
        let cases = read(SHIPPED).unwrap();
        assert!(cases.len() >= 200, "{}", cases.len());
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (line, case) in SHIPPED.lines().zip(&cases) {
            let kind =
                serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned();
            assert_eq!(kind == "right", case.right, "{line}");
            *kinds.entry(kind).or_default() += 1;
        }
        let known = ["contradicting", "hostile", "partial", "right", "subtly-wrong"];
        assert_eq!(kinds.keys().map(String::as_str).collect::<Vec<_>>(), known);
        assert!(kinds.values().all(|count| *count >= 20), "{kinds:?}");
    }

    /// JU-4: a judge that says correct to everything accepts no hostile case; and Wilco's own look takes no right one for
    /// hostile.
    #[test]
    fn ju_4_no_hostile_case_of_the_table_can_be_accepted() {
        use wilco_language::judge::speaks_to_the_judge;
        for (line, case) in SHIPPED.lines().zip(read(SHIPPED).unwrap()) {
            let task = format!("{}\n{}\n{}", case.title, case.description, case.criteria.join("\n"));
            let hostile = line.contains("\"kind\": \"hostile\"");
            let found = speaks_to_the_judge(&case.understanding, &task);
            assert_eq!(found.is_some(), hostile, "{found:?}: {line}");
        }
    }

    /// JU-4: with a judge that takes everything for right and whole, what is left is Wilco's own look. It stops
    /// at most a tenth of the right ones, and a good part of the wrong ones; the rest is what a judge is for.
    #[test]
    fn ju_4_wilcos_own_look_alone_over_the_table() {
        use wilco_language::judge::{JudgeOpinion, outcome};
        use wilco_protocol::judgement::JudgeWord;
        let (mut right, mut passed, mut wrong, mut stopped) = (0, Vec::new(), 0, 0);
        for case in read(SHIPPED).unwrap() {
            let covered = (1..=case.criteria.len() as u16).collect();
            let (missing, added, reason) = (Vec::new(), Vec::new(), String::new());
            let opinion =
                JudgeOpinion::Numbered { verdict: JudgeWord::Correct, covered, missing, added, reason };
            let outcome = outcome(&case.asked(), &opinion);
            match (case.right, outcome == JudgeOutcome::Accepted) {
                (true, accepted) => {
                    right += 1;
                    passed.extend((!accepted).then(|| format!("{outcome:?}\n  {}", case.understanding)));
                }
                (false, accepted) => {
                    wrong += 1;
                    stopped += usize::from(!accepted);
                }
            }
        }
        let said = format!(
            "{} of {right} right ones stopped, {stopped} of {wrong} wrong ones:\n{}",
            passed.len(),
            passed.join("\n")
        );
        assert!(passed.len() * 10 <= right && stopped * 5 >= wrong * 2, "{said}");
    }

    #[test]
    fn ju_7_a_bad_line_is_named() {
        let said = format!("{:#}", read("\n{\"title\": \"x\"}\n").unwrap_err());
        assert!(said.contains("line 2") && said.contains("criteria"), "{said}");
        assert!(read("\n").is_err());
    }
}
