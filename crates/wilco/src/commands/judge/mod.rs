//! `wilco judge`: asks the configured judge outside of any exchange, to see what it makes of understandings.

mod eval;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::{Value, json};
use wilco_language::judge::{JudgeCase, JudgeOutcome};
use wilco_outside::{JudgeAnswer, JudgeClient};

use crate::config::Config;
use crate::output;
use crate::output::escape::one_line;

/// Try the judge of understandings, or measure it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: JudgeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    Try(Try),
    Eval(eval::Eval),
}

/// Ask the judge once, and say what would follow from its answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco judge try --task \"Rate limit the login\" --criterion \"Sixth attempt returns 429\" \\\n    \
    --understanding \"From the sixth try on the login answers 429\"\n\n\
    It needs [judge] in the configuration and no server. It exits with 0 when the judge answered.")]
pub(crate) struct Try {
    /// The task's text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) task: String,
    /// An acceptance criterion; repeat it for more
    #[arg(long = "criterion", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) criteria: Vec<String>,
    /// What the agent says it understood
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) understanding: String,
    #[command(flatten)]
    pub(crate) from: From,
}

/// Where the judge is configured, and how the answer is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct From {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl From {
    fn judge(&self) -> anyhow::Result<JudgeClient> {
        let config = Config::load(self.config.as_deref())?;
        config.check()?;
        let judge = config.judge()?;
        judge.context("no judge is configured; set [judge] with provider and model; see docs/judge.md")
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        JudgeCommand::Try(args) => ask(&args),
        JudgeCommand::Eval(args) => eval::run(&args),
    }
}

fn ask(args: &Try) -> anyhow::Result<ExitCode> {
    let judge = args.from.judge()?;
    let (title, description) = match args.task.trim().split_once('\n') {
        Some((first, rest)) => (first.trim().to_owned(), rest.trim().to_owned()),
        None => (args.task.trim().to_owned(), String::new()),
    };
    let criteria = args.criteria.clone();
    let case = JudgeCase { task_id: NO_ID.to_owned(), title, description, criteria, ..JudgeCase::default() };
    let case = JudgeCase { understanding: args.understanding.clone(), ..case };
    match blocking()?.block_on(judge.ask(&case.payload(), super::now(None))) {
        Ok(answer) if args.from.json => output::print_json(&shown(&answer).to_string()),
        Ok(answer) => output::print(&words(&answer)),
        Err(reason) => anyhow::bail!("the judge gave no verdict: {reason}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// A task that is in no exchange.
const NO_ID: &str = "task";

fn blocking() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// A sample that every judge should get right, asked by `wilco doctor`.
pub(crate) fn sample(judge: &JudgeClient) -> Result<JudgeAnswer, String> {
    let case = JudgeCase {
        task_id: NO_ID.to_owned(),
        title: "Rate limit the login".to_owned(),
        criteria: vec!["The sixth attempt within a minute returns 429".to_owned()],
        understanding: "From the sixth login attempt in a minute on, the answer is 429.".to_owned(),
        ..JudgeCase::default()
    };
    let runtime = blocking().map_err(|error| error.to_string())?;
    runtime.block_on(judge.ask(&case.payload(), super::now(None)))
}

fn shown(answer: &JudgeAnswer) -> Value {
    let mut shown = json!(answer.record);
    shown["follows"] = answer.outcome.word().into();
    shown["detail"] = detail(&answer.outcome).into();
    shown
}

fn detail(outcome: &JudgeOutcome) -> Option<String> {
    match outcome {
        JudgeOutcome::Accepted => None,
        JudgeOutcome::Supplement { missing } => Some(missing.join("; ")),
        JudgeOutcome::Correction { correction, .. } => correction.clone(),
        JudgeOutcome::Initiator { why } => Some(why.clone()),
    }
}

fn words(answer: &JudgeAnswer) -> String {
    let record = &answer.record;
    let numbers = |list: &[u16]| match list {
        [] => "none".to_owned(),
        list => list.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
    };
    let cost = match record.tokens {
        Some(tokens) => format!(", {} tokens in, {} out", tokens.input, tokens.output),
        None => String::new(),
    };
    let by = record.model.as_deref().unwrap_or(&record.provider);
    let mut lines = vec![
        format!("Verdict: {} ({}, {} ms{cost})", record.verdict.word(), one_line(by), record.took_ms),
        format!("Covered: {}", numbers(&record.covered)),
        format!("Missing: {}", numbers(&record.missing)),
    ];
    lines.extend(
        (!record.added.is_empty()).then(|| format!("Added:   {}", one_line(&record.added.join("; ")))),
    );
    lines.push(format!("Reason:  {}", one_line(&record.reason)));
    let detail = detail(&answer.outcome).map(|text| format!(": {}", one_line(&text))).unwrap_or_default();
    lines.push(format!("Follows: {}{detail}", answer.outcome.word()));
    lines.join("\n")
}
