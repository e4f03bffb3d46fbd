//! A whole run: everything that is measured, then the table.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use crate::disk::refuse_memory;
use crate::idle::idle;
use crate::machine::{self, Company, Machine, Watch};
use crate::many::{Many, many, refuse_company};
use crate::options::Options;
use crate::pages::{fill_inboxes, pages};
use crate::peers;
use crate::requests::{PAIRS, introduce};
use crate::rounds::{Round, Scripts};
use crate::rows::{self, Row};
use crate::server::Server;
use crate::starts::starts;
use crate::statistics::spread;

/// All there is to say about a run.
#[derive(Debug, Serialize)]
struct Report {
    machine: Machine,
    company: Company,
    rows: Vec<Row>,
    rounds: Vec<Round>,
    #[serde(skip_serializing_if = "Option::is_none")]
    many: Option<Many>,
}

/// More than this taken by others, and the figures say little.
const QUIET_PERCENT: f64 = 5.0;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let beside = std::env::current_exe()?.parent().map(Path::to_path_buf).unwrap_or_default();
    let place = options.directory.clone().unwrap_or_else(|| beside.clone());
    refuse_memory(&place)?;
    let wilco = options.wilco.clone().unwrap_or_else(|| beside.join("wilco"));
    if !wilco.is_file() {
        bail!("there is no {}; build it with: cargo build --release", wilco.display());
    }
    let report = measure(options, &wilco, &place)?;
    print!("{}", table(&report));
    match &options.json {
        Some(file) => write(file, &report),
        None => Ok(()),
    }
}

fn measure(options: &Options, binary: &Path, place: &Path) -> anyhow::Result<Report> {
    let directory = tempfile::Builder::new()
        .prefix("wilco-bench-")
        .tempdir_in(place)
        .with_context(|| format!("cannot make a directory in {}", place.display()))?;
    let data = |name: &str| -> PathBuf { directory.path().join(name) };
    if options.many().is_some() && !options.noisy {
        refuse_company()?;
    }
    let watch = Watch::begin();
    let idle = idle(binary, &data("idle"), options.long)?;
    let many = options.many().map(|count| many(binary, &data("many"), count, idle.resident)).transpose()?;
    let (rounds, mut rows, loaded) = match options.rounds {
        0 => (Vec::new(), Vec::new(), None),
        _ => in_rounds(options, binary, directory.path())?,
    };
    // All servers have ended by now, so what they took is the benchmark's own.
    let company = watch.end();
    rows.extend(many.iter().flat_map(rows::of_many));
    rows.extend(rows::of_idle(idle, loaded));
    rows.sort_by_key(|row| row.number.trim_start_matches("PERF-").parse().unwrap_or(u32::MAX));
    Ok(Report { machine: Machine::of(place), company, rows, rounds, many })
}

/// What is measured again and again: all rounds, their rows, and the memory of the server afterwards.
fn in_rounds(
    options: &Options,
    binary: &Path,
    directory: &Path,
) -> anyhow::Result<(Vec<Round>, Vec<Row>, Option<f64>)> {
    let (wilco, echo) = (Server::wilco(binary, &directory.join("loaded"))?, Server::echo()?);
    let mut peers = peers::start(&options.against, directory)?;
    let mut on_postgres = peers::on_postgres(binary, directory, &peers)?;
    introduce(wilco.address, PAIRS)?;
    fill_inboxes(&wilco)?;
    let mut scripts = Scripts::new(&wilco, &echo);
    let (mut rounds, mut read, mut started) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=options.rounds {
        eprintln!("round {number} of {}", options.rounds);
        let own = on_postgres.as_mut();
        rounds.push(scripts.round(&wilco, &echo, &mut peers, own, directory, options.seconds)?);
        read.push(pages(&wilco)?);
        started.push(starts(binary, &wilco)?);
    }
    let mut rows = rows::of_rounds(&rounds);
    rows.push(rows::of_pages(&read));
    rows.extend(rows::of_starts(&started));
    Ok((rounds, rows, Some(machine::resident(wilco.id())?)))
}

fn table(report: &Report) -> String {
    let (machine, company) = (&report.machine, &report.company);
    let mut out = format!(
        "{} cores of {}, {} MiB, Linux {}, {}\n\
         load average {:.1} before and {:.1} after; compilers {} and {}; others took {:.0} % of the cores, \
         the host {:.0} %\n",
        machine.cores,
        machine.processor,
        machine.memory_mib,
        machine.kernel,
        machine.file_system,
        company.load_before,
        company.load_after,
        company.compilers_before,
        company.compilers_after,
        company.others_percent,
        company.stolen_percent,
    );
    if company.others_percent + company.stolen_percent > QUIET_PERCENT {
        out += "The machine was not quiet: take ratios with a grain of salt, rates and times not at all.\n";
    }
    let head =
        ["#", "what", "measured (medians)", "ratio (least to most)", "must", "goal", ""].map(str::to_owned);
    let lines: Vec<[String; 7]> = std::iter::once(head).chain(report.rows.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    for line in &lines {
        let padded = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        out += padded.collect::<Vec<_>>().join("  ").trim_end();
        out.push('\n');
    }
    if let Some(many) = &report.many {
        out += &format!(
            "{} open exchanges were made in {:.0} s; while they were measured others took {:.0} % of the cores, the host {:.0} %\n",
            many.exchanges, many.made_in, many.company.others_percent, many.company.stolen_percent
        );
    }
    if !report.rounds.is_empty() {
        out += &rows::beside_others(&report.rounds);
        out += &costs(&report.rounds);
    }
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    out + format!("Again: cargo xtask bench {}", arguments.join(" ")).trim_end() + "\n"
}

/// What the servers' processors did for one of each.
fn costs(rounds: &[Round]) -> String {
    let median = |cost: fn(&Round) -> f64| spread(rounds.iter().map(cost)).median;
    format!(
        "Processor time of the server: echo {:.0} µs, a message {:.0} µs, one of a batch {:.0} µs, a delegation {:.0} µs\n",
        median(|round| round.echo_cost),
        median(|round| round.message_cost),
        median(|round| round.batched_cost),
        median(|round| round.delegation_cost),
    )
}

fn cells(row: &Row) -> [String; 7] {
    let (ratio, unit) = (&row.ratio, row.unit);
    [
        row.number.to_owned(),
        row.what.clone(),
        row.measured.clone(),
        format!("{:.2}{unit} ({:.2} to {:.2})", ratio.median, ratio.least, ratio.most),
        format!("{}{unit}", row.must),
        format!("{}{unit}", row.goal),
        row.verdict.word().to_owned(),
    ]
}

fn write(file: &Path, report: &Report) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(report)?;
    std::fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))
}
