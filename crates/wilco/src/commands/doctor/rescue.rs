//! Everything that is whole, as JSON lines.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::json;
use serde_json::value::RawValue;
use wilco_store::{
    JournalRow, MessageRow, PostgresTarget, Salvaged, StoreError, hex, rescue, rescue_postgres,
};

use crate::offline::existing;
use crate::output::escape::visible;

#[derive(serde::Serialize)]
struct Line<'a> {
    position: u64,
    hash: String,
    /// The event, to the byte.
    event: &'a RawValue,
    /// The message that it accepted, to the byte: as a text, because its content may hold line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// What to rescue from.
pub(super) enum Damaged<'a> {
    Directory(&'a Path),
    Schema(Box<PostgresTarget>),
}

pub(super) fn run(from: &Damaged<'_>, to: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    if let Damaged::Directory(directory) = from {
        existing(directory)?;
    }
    let place = |path: &Path| format!("cannot write {}", path.display());
    let rescued = match to {
        Some(path) => {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            let file = file.with_context(|| place(path))?;
            let outcome = export(from, BufWriter::new(&file)).and_then(|rescued| {
                file.sync_all().with_context(|| place(path))?;
                Ok(rescued)
            });
            if outcome.is_err() {
                // It is ours, and of no use; the next try may have the same name.
                let _ = fs::remove_file(path);
            }
            outcome?
        }
        None => export(from, io::stdout().lock())?,
    };
    let said = if json { report_json(&rescued) } else { report(&rescued) };
    // With the lines on stdout the report must not be among them.
    match to {
        Some(_) => crate::output::print(&visible(&said)),
        None => eprintln!("{}", visible(&said)),
    }
    Ok(if rescued.damage.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn export(from: &Damaged<'_>, mut out: impl Write) -> anyhow::Result<Salvaged> {
    let mut written = Ok(());
    let mut each = |row: &JournalRow, message: Option<&MessageRow>| {
        write(&mut out, row, message).map_err(|error| {
            let reason = error.to_string();
            written = Err(error);
            StoreError::NotStored(reason.into())
        })
    };
    let rescued: anyhow::Result<Salvaged> = match from {
        Damaged::Directory(directory) => rescue(directory, &mut each).map_err(Into::into),
        Damaged::Schema(target) => rescue_postgres(target, &mut each).map_err(Into::into),
    };
    written.and(out.flush()).context("the export was cut off")?;
    rescued
}

fn write(out: &mut impl Write, row: &JournalRow, message: Option<&MessageRow>) -> io::Result<()> {
    let line = Line {
        position: row.position,
        hash: hex(&row.hash),
        event: serde_json::from_slice(&row.bytes)?,
        message: message
            .map(|message| str::from_utf8(&message.body))
            .transpose()
            .map_err(io::Error::other)?,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

fn report(rescued: &Salvaged) -> String {
    let events = rescued.events;
    let Some(damage) = &rescued.damage else {
        return format!("Nothing is damaged: {events} events, head {}.", hex(&rescued.newest.hash));
    };
    let mut said = format!("{damage}.\n{events} events are whole and exported.");
    if !rescued.lost.is_empty() {
        said.push_str(&format!(" Lost, or not to be trusted: {}.", places(&rescued.lost)));
    }
    if !rescued.without_message.is_empty() {
        said.push_str(&format!(" Exported without their message: {}.", places(&rescued.without_message)));
    }
    if rescued.lost.is_empty() && rescued.without_message.is_empty() {
        said.push_str(" No event is known to be lost; derived tables may be: wilco rebuild --data DIR");
    }
    said + "\nGo back to a copy with: wilco restore FILE --force"
}

/// `position 20, positions 31 to 40`.
fn places(ranges: &[RangeInclusive<u64>]) -> String {
    const SHOWN: usize = 20;
    let place = |range: &RangeInclusive<u64>| match (range.start(), range.end()) {
        (start, end) if start == end => format!("position {start}"),
        (start, end) => format!("positions {start} to {end}"),
    };
    let mut shown: Vec<_> = ranges.iter().take(SHOWN).map(place).collect();
    if ranges.len() > SHOWN {
        shown.push(format!("{} more, all of them with --json", ranges.len() - SHOWN));
    }
    shown.join(", ")
}

fn report_json(rescued: &Salvaged) -> String {
    let damage = match &rescued.damage {
        Some(StoreError::Damaged { position, reason }) => json!({"position": position, "reason": reason}),
        Some(other) => json!({"position": null, "reason": other.to_string()}),
        None => serde_json::Value::Null,
    };
    let pairs = |ranges: &[RangeInclusive<u64>]| -> Vec<[u64; 2]> {
        ranges.iter().map(|range| [*range.start(), *range.end()]).collect()
    };
    json!({
        "ok": rescued.damage.is_none(),
        "events": rescued.events,
        "head": hex(&rescued.newest.hash),
        "damage": damage,
        "lost": pairs(&rescued.lost),
        "without_message": pairs(&rescued.without_message),
    })
    .to_string()
}
