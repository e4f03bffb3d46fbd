//! Is the server there, and is its journal whole?

use wilco_client::Error;

use super::Exam;
use super::finding::Finding;

/// Whether there is somebody to ask further.
pub(super) fn examine(exam: &mut Exam<'_>) -> anyhow::Result<bool> {
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
            exam.found.push(Finding::wrong("server", error.to_string()).next(next));
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
