//! Everything up to the damage, as JSON lines.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::json;
use serde_json::value::RawValue;
use wilco_store::{JournalRow, MessageRow, Rescued, StoreError, rescue};

use crate::offline::{existing, hex};
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

pub(super) fn run(directory: &Path, to: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    existing(directory)?;
    let place = |path: &Path| format!("cannot write {}", path.display());
    let (rescued, written) = match to {
        Some(path) => {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            let file = file.with_context(|| place(path))?;
            let outcome = export(directory, BufWriter::new(&file))?;
            file.sync_all().with_context(|| place(path))?;
            outcome
        }
        None => export(directory, io::stdout().lock())?,
    };
    written.context("the export was cut off")?;
    let said = if json { report_json(&rescued) } else { report(&rescued) };
    // With the lines on stdout the report must not be among them.
    match to {
        Some(_) => crate::output::print(&visible(&said)),
        None => eprintln!("{}", visible(&said)),
    }
    Ok(if rescued.damage.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn export(directory: &Path, mut out: impl Write) -> anyhow::Result<(Rescued, io::Result<()>)> {
    let mut written = Ok(());
    let rescued = rescue(directory, &mut |row, message| {
        write(&mut out, row, message).map_err(|error| {
            let reason = error.to_string();
            written = Err(error);
            StoreError::Failed(reason.into())
        })
    })?;
    let flushed = out.flush();
    Ok((rescued, written.and(flushed)))
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

fn report(rescued: &Rescued) -> String {
    let events = rescued.whole.position;
    let Some(damage) = &rescued.damage else {
        return format!("Nothing is damaged: {events} events, head {}.", hex(&rescued.whole.hash));
    };
    let lost = match rescued.known - events {
        0 => "No event is known to be lost; derived tables may be: wilco rebuild --data DIR".to_owned(),
        1 => format!("1 event is lost, position {}.", rescued.known),
        lost => format!(
            "{lost} events are lost or cannot be trusted, positions {} to {}.",
            events + 1,
            rescued.known
        ),
    };
    format!(
        "{damage}.\n{events} events before it are whole and exported. {lost}\nGo back to a copy with: wilco restore FILE --force"
    )
}

fn report_json(rescued: &Rescued) -> String {
    let damage = match &rescued.damage {
        Some(StoreError::Damaged { position, reason }) => json!({"position": position, "reason": reason}),
        Some(other) => json!({"position": null, "reason": other.to_string()}),
        None => serde_json::Value::Null,
    };
    let head = hex(&rescued.whole.hash);
    json!({"ok": rescued.damage.is_none(), "events": rescued.whole.position, "head": head, "known": rescued.known, "damage": damage})
        .to_string()
}
