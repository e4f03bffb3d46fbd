//! Carrying out the orders of a handoff: its document, files and issues.

use std::io;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::Value;
use wilco_protocol::handoff::{DocumentOrder, Effect, IssuesOrder, Report, StateFileOrder};
use wilco_protocol::{Span, Time};

use crate::document::Template;
use crate::github::Github;
use crate::{Outcome, audit_file, document, state_file};

/// Where handoffs leave their traces, from the configuration.
#[derive(Debug, Clone, Default)]
pub struct Handoffs {
    /// Where documents are saved.
    pub documents: PathBuf,
    pub template: Template,
    pub github: Option<Github>,
    /// The orchestrator's; none: that step does not apply.
    pub state_file: Option<PathBuf>,
    pub audit_file: PathBuf,
    /// The audit file is rotated above this size.
    pub audit_rotate_bytes: u64,
}

impl Handoffs {
    pub(crate) async fn carry_out(&self, effect: &Effect, payload: &Value, now: Time) -> Outcome {
        let done = match effect {
            Effect::PublishDocument { number } => self.publish(*number, payload).await,
            Effect::UpdateIssues => self.update_issues(payload).await,
            Effect::UpdateStateFile => self.update_state_file(payload, now).await,
            Effect::AppendAudit => self.append_audit(payload, now).await,
        };
        match done {
            Ok(report) => reported(report),
            Err(Trouble::Lasting(reason)) => reported(effect.failed(reason)),
            Err(Trouble::Passing { reason, after, otherwise }) => {
                let otherwise = otherwise.map(wilco_protocol::decision::Report::Handoff);
                Outcome::NotYet { reason, after, otherwise }
            }
        }
    }

    async fn publish(&self, number: u32, payload: &Value) -> Result<Report, Trouble> {
        let order: DocumentOrder = read(payload)?;
        let text = document::text(&self.template, &order.body).map_err(Trouble::Lasting)?;
        let (directory, name, saved) = (self.documents.clone(), order.name.clone(), text.clone());
        let place = directory.display().to_string();
        blocking(move || document::save(&directory, &name, &saved)).await?.map_err(|error| {
            let reason = format!("the document cannot be saved in {place}: {error}");
            if may_pass(&error) { Trouble::passing(reason) } else { Trouble::Lasting(reason) }
        })?;
        let published = document::publish(self.github.as_ref(), &order, &text).await;
        Ok(Report::DocumentPublished { number, published })
    }

    async fn update_issues(&self, payload: &Value) -> Result<Report, Trouble> {
        let order: IssuesOrder = read(payload)?;
        let github = self.github.as_ref();
        let github =
            github.ok_or_else(|| Trouble::lasting("no repository is configured; set github.repository"))?;
        let done = github.hand_over(&order).await;
        let report = Report::IssuesUpdated { issues: done.issues, pulls: done.pulls };
        match done.again {
            None => Ok(report),
            Some((reason, after)) => Err(Trouble::Passing { reason, after, otherwise: Some(report) }),
        }
    }

    async fn update_state_file(&self, payload: &Value, now: Time) -> Result<Report, Trouble> {
        let order: StateFileOrder = read(payload)?;
        let path = self.state_file.clone().ok_or_else(|| Trouble::lasting("no state file is configured"))?;
        let changed = blocking(move || match order {
            StateFileOrder::Replace(order) => {
                state_file::replace(&path, &order, now).map(|changed| changed.found)
            }
            StateFileOrder::Repeat(order) => state_file::verify(&path, &order, now).map(|_| Vec::new()),
        });
        match changed.await? {
            Ok(tasks) => Ok(Report::StateFileUpdated { tasks }),
            Err(error) if error.may_pass() => Err(Trouble::passing(error.to_string())),
            Err(error) => Err(Trouble::Lasting(error.to_string())),
        }
    }

    async fn append_audit(&self, payload: &Value, now: Time) -> Result<Report, Trouble> {
        let entry = read(payload)?;
        let (path, above) = (self.audit_file.clone(), self.audit_rotate_bytes);
        let name = path.display().to_string();
        let appended = blocking(move || audit_file::append(&path, above, &entry, now)).await?;
        // It is tried again in any case: nothing else tells what happened.
        appended
            .map_err(|error| Trouble::passing(format!("the audit file {name} cannot be written: {error}")))?;
        Ok(Report::AuditAppended)
    }
}

fn reported(report: Report) -> Outcome {
    Outcome::Reported(wilco_protocol::decision::Report::Handoff(report))
}

/// Why an order was not carried out, and whether another try makes sense.
pub(crate) enum Trouble {
    Lasting(String),
    /// `after`: not before that. `otherwise`: what is reported when no try works.
    Passing {
        reason: String,
        after: Option<Span>,
        otherwise: Option<Report>,
    },
}

impl Trouble {
    fn lasting(reason: &str) -> Trouble {
        Trouble::Lasting(reason.to_owned())
    }

    fn passing(reason: String) -> Trouble {
        Trouble::Passing { reason, after: None, otherwise: None }
    }
}

fn read<T: DeserializeOwned>(payload: &Value) -> Result<T, Trouble> {
    serde_json::from_value(payload.clone())
        .map_err(|error| Trouble::Lasting(format!("the order cannot be read: {error}")))
}

/// Files are written on a thread that may wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Trouble::passing(error.to_string()))
}

/// Whether a disk that answered so may answer otherwise in a minute.
pub(crate) fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, QuotaExceeded, ResourceBusy, StorageFull, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | QuotaExceeded | ResourceBusy | StorageFull | TimedOut | WouldBlock)
}
