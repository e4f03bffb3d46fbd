//! Is the server there, and is its journal whole?

use wilco_client::Error;

use super::Exam;
use super::finding::Finding;
use crate::place::Place;

/// Whether there is somebody to ask further.
/// Whoever asks about a database by name may ask before a server runs.
pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) -> anyhow::Result<bool> {
    let url = exam.client.url().to_owned();
    let ready = match exam.client.ready() {
        Ok(ready) => ready,
        Err(error) => {
            let next = match &error {
                Error::Unreachable { .. } => "wilco serve",
                Error::Address { .. } | Error::Foreign { .. } => "wilco help environment",
                Error::Problem { .. } => "wilco doctor --rescue DIR",
                Error::Timeout { .. } | Error::Broken { .. } => "wilco doctor",
            };
            let text = error.to_string();
            let found = match place.store.is_some() {
                true => Finding::note("server", text),
                false => Finding::wrong("server", text),
            };
            exam.found.push(found.next(next));
            return Ok(false);
        }
    };
    exam.now = super::super::now(ready.at.as_deref());
    exam.found.push(Finding::fine(
        "server",
        format!("{url} answers, its newest event is {}", ready.value.position),
    ));
    match exam.client.verify() {
        Ok(answer) if answer.value.ok => exam.found.push(Finding::fine("journal", "whole")),
        Ok(answer) => {
            let position = answer.value.position.unwrap_or_default();
            let reason = answer.value.reason.unwrap_or_default();
            let text = format!("damaged at position {position}: {reason}");
            exam.found.push(
                Finding::wrong("journal", text).next("wilco doctor --rescue DIR, with the server stopped"),
            );
        }
        // Not everybody may ask for that.
        Err(error) if matches!(error.status(), Some(401 | 403 | 404)) => {
            exam.found.push(
                Finding::note("journal", "not yours to verify").next("wilco audit verify, as an operator"),
            );
        }
        Err(error) => return exam.caller.checked(Err(error)).map(|()| true),
    }
    Ok(true)
}
