//! `wilco report`: what somebody may ask about later.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use wilco_protocol::Time;
use wilco_wire::{DelegationRow, Incident, JudgementRow, OperationRow, Replacements, ValidationRow};

use crate::caller::Caller;
use crate::output::age::ago;
use crate::output::table::Table;
use crate::output::{self, Screen};

/// Show a report
#[derive(Debug, clap::Args)]
#[command(override_usage = "wilco report delegations|incidents|judge|operations|replacements|validations")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: ReportCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Delegations: who has which task, how far it is, what it took, newest first
    #[command(after_help = "Examples:\n  wilco report delegations\n  wilco report delegations --json")]
    Delegations(ReportOptions),
    /// Agents that did not answer or failed, newest first
    #[command(after_help = "Examples:\n  wilco report incidents\n  wilco report incidents --json")]
    Incidents(ReportOptions),
    /// What the judge of understandings said beside what initiators said, newest first
    #[command(after_help = "Examples:\n  wilco report judge\n  wilco report judge --json")]
    Judge(ReportOptions),
    /// The operation log: who was asked, who answered, what came of it, newest first
    #[command(after_help = "Examples:\n  wilco report operations\n  wilco report operations --format jsonl")]
    Operations(ReportOptions),
    /// Agents that were replaced: how often, how it went, the newest ten
    #[command(after_help = "Examples:\n  wilco report replacements\n  wilco report replacements --format md")]
    Replacements(ReportOptions),
    /// Validation loops: how often they went round, what failed most, newest first
    #[command(after_help = "Examples:\n  wilco report validations\n  wilco report validations --json")]
    Validations(ReportOptions),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportOptions {
    /// What it looks like
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    format: Format,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A table for this terminal
    Text,
    /// A table in Markdown
    Md,
    /// The same as --json
    Json,
    /// An object on each line
    Jsonl,
}

impl ReportOptions {
    /// Prints the report as the server writes it; the table for the terminal is made here.
    fn print_as_written(&self, name: &str) -> anyhow::Result<bool> {
        let format = match self.format {
            Format::Text => return Ok(false),
            Format::Md => "md",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
        };
        output::print(self.caller.checked(self.caller.client().report(name, format))?.trim_end());
        Ok(true)
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        ReportCommand::Delegations(asked) if asked.print_as_written("delegations")? => {}
        ReportCommand::Incidents(asked) if asked.print_as_written("incidents")? => {}
        ReportCommand::Judge(asked) if asked.print_as_written("judge")? => {}
        ReportCommand::Operations(asked) if asked.print_as_written("operations")? => {}
        ReportCommand::Replacements(asked) if asked.print_as_written("replacements")? => {}
        ReportCommand::Validations(asked) if asked.print_as_written("validations")? => {}
        ReportCommand::Delegations(asked) => {
            let caller = &asked.caller;
            caller.show(caller.client().delegations(), |page, screen| match page.items.as_slice() {
                [] => "No delegations.".to_owned(),
                items => delegations(items, screen),
            })?;
        }
        ReportCommand::Incidents(asked) => {
            let caller = &asked.caller;
            caller.show_at(caller.client().incidents(), |page, now, screen| match page.items.as_slice() {
                [] => "No incidents.".to_owned(),
                items => incidents(items, now, screen),
            })?;
        }
        ReportCommand::Judge(asked) => {
            let caller = &asked.caller;
            caller.show_at(caller.client().judgements(), |page, now, screen| {
                match page.items.as_slice() {
                    [] => "The judge was not asked yet.".to_owned(),
                    items => judgements(items, now, screen),
                }
            })?;
        }
        ReportCommand::Replacements(asked) => {
            let caller = &asked.caller;
            caller.show(caller.client().replacements(), |report, screen| match report.total {
                0 => "No replacements.".to_owned(),
                _ => replacements(report, screen),
            })?;
        }
        ReportCommand::Validations(asked) => {
            let caller = &asked.caller;
            caller.show(caller.client().validations(), |page, screen| match page.items.as_slice() {
                [] => "No validations.".to_owned(),
                items => validations(items, screen),
            })?;
        }
        ReportCommand::Operations(asked) => {
            let caller = &asked.caller;
            caller.show(caller.client().operations(), |page, screen| match page.items.as_slice() {
                [] => "No operations.".to_owned(),
                items => operations(items, screen),
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn replacements(report: &Replacements, screen: &Screen) -> String {
    let Replacements { total, successful, failed, partial, recent } = report;
    let mut table = Table::new(&["WHEN", "FAILED", "REPLACEMENT", "OUTCOME"]);
    for row in recent {
        table.row([&row.timestamp, &row.failed_agent, &row.replacement_agent, &row.outcome]);
    }
    let counts =
        format!("{total} replacements: {successful} successful, {failed} failed, {partial} partial.");
    format!("{counts}\n\n{}", table.show(screen))
}

fn validations(items: &[ValidationRow], screen: &Screen) -> String {
    let mut table = Table::new(&[
        "EXCHANGE",
        "ISSUE",
        "STATUS",
        "ITERATIONS",
        "ESCALATIONS",
        "PHASES",
        "MOST FREQUENT FAILURE",
    ]);
    for row in items {
        let (rounds, escalations) = (row.iterations.to_string(), row.escalations.to_string());
        let most = row.failures.first();
        let most =
            most.map(|one| format!("{} - {} ({})", one.location, one.error, one.count)).unwrap_or_default();
        let phases = row.phases.join(", ");
        table.row([&row.exchange, &row.issue, &row.status, &rounds, &escalations, &phases, &most]);
    }
    table.show(screen)
}

fn delegations(items: &[DelegationRow], screen: &Screen) -> String {
    let mut table =
        Table::new(&["EXCHANGE", "TASK", "ASSIGNEE", "STATE", "ATTEMPT", "REVISION", "CORRECTIONS", "TITLE"]);
    for row in items {
        let counts = [row.attempt, row.revision, row.corrections].map(|count| count.to_string());
        let [attempt, revision, corrections] = &counts;
        table.row([
            &row.exchange,
            &row.task_id,
            &row.assignee,
            &row.state,
            attempt,
            revision,
            corrections,
            &row.title,
        ]);
    }
    table.show(screen)
}

fn operations(items: &[OperationRow], screen: &Screen) -> String {
    let mut table = Table::new(&["EXCHANGE", "OPERATION", "AGENT", "ANSWER", "REMINDERS", "RESULT"]);
    for row in items {
        let mut answer = vec![if row.acknowledgment_received { "ready in time" } else { "no ready in time" }];
        answer.extend(row.timeout_occurred.then_some("timed out"));
        answer.extend(row.extended.then_some("extended"));
        answer.extend(row.proceeded_anyway.then_some("proceeded anyway"));
        let result = row.result.as_deref().unwrap_or("open");
        let (answer, reminders) = (answer.join(", "), row.reminders_sent.to_string());
        table.row([&row.exchange, &row.operation, &row.agent, &answer, &reminders, result]);
    }
    table.show(screen)
}

fn judgements(items: &[JudgementRow], now: Time, screen: &Screen) -> String {
    let count = |wanted: Option<bool>| items.iter().filter(|row| row.agree == wanted).count();
    let accepted = |row: &&JudgementRow| {
        row.judge == "correct" && row.initiator.as_deref().is_some_and(|verdict| verdict != "correct")
    };
    let counts = format!(
        "{} judged: {} like the initiator, {} otherwise ({} of them called correct by the judge alone), {} by the judge alone.",
        items.len(),
        count(Some(true)),
        count(Some(false)),
        items.iter().filter(accepted).count(),
        count(None),
    );
    let mut table = Table::new(&["WHEN", "EXCHANGE", "TASK", "AGENT", "JUDGE", "INITIATOR"]);
    for row in items {
        let judge = if row.shadow { format!("{} (shadow)", row.judge) } else { row.judge.clone() };
        let initiator = row.initiator.as_deref().unwrap_or("-");
        table.row([&ago(now, &row.at), &row.exchange, &row.task_id, &row.agent, &judge, initiator]);
    }
    format!("{counts}\n\n{}", table.show(screen))
}

fn incidents(items: &[Incident], now: Time, screen: &Screen) -> String {
    let mut table = Table::new(&["WHEN", "INCIDENT", "AGENT", "EXCHANGE", "ATTEMPTS", "DELIVERY"]);
    for incident in items {
        let Incident { at, kind, agent, exchange, attempts, delivery } = incident;
        table.row([&ago(now, at), kind, agent, exchange, &attempts.to_string(), delivery]);
    }
    table.show(screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn del_36_an_incident_shows_how_far_the_message_got() {
        let incident = Incident {
            at: "2026-01-01T12:00:00.000Z".to_owned(),
            kind: "unresponsive".to_owned(),
            agent: "bob".to_owned(),
            exchange: "del-4".to_owned(),
            attempts: 2,
            delivery: "stored".to_owned(),
        };
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        assert_eq!(
            incidents(&[incident], now, &Screen::plain(None)),
            "WHEN     INCIDENT      AGENT  EXCHANGE  ATTEMPTS  DELIVERY\n\
             10s ago  unresponsive  bob    del-4     2         stored"
        );
    }
}
