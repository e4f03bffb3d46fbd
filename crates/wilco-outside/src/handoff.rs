//! Carrying out the orders of a handoff: its document, files and issues.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use wilco_protocol::handoff::{DocumentOrder, Effect, IssuesOrder, Report, StateFileOrder};
use wilco_protocol::{Span, Time};
use wilco_store::PostgresTarget;

use crate::document::Template;
use crate::github::{Github, MAX_WAIT};
use crate::{EffectResult, RecentReplacement, Replacements, audit_file, document, state_file, tables};

/// Where handoffs leave their traces, from the configuration.
#[derive(Debug, Clone, Default)]
pub struct Handoffs {
    /// Where there are several nodes: documents and the audit are tables there, and no files here.
    pub tables: Option<PostgresTarget>,
    /// Where documents are saved.
    pub documents: PathBuf,
    pub template: Template,
    pub github: Option<Github>,
    /// The orchestrator's; none: that step does not apply.
    pub state_file: Option<PathBuf>,
    pub audit_file: PathBuf,
    /// The audit file is rotated above this size.
    pub audit_rotate_bytes: u64,
    /// Held while a file is read, changed and written: handoffs that end together share these files.
    pub turn: Arc<Mutex<()>>,
}

impl Handoffs {
    pub(crate) async fn carry_out(&self, effect: &Effect, payload: &Value, now: Time) -> EffectResult {
        let done = match effect {
            Effect::PublishDocument { number } => self.publish(*number, payload).await,
            Effect::UpdateIssues => self.update_issues(payload, now).await,
            Effect::UpdateStateFile => self.update_state_file(payload, now).await,
            Effect::AppendAudit => self.append_audit(payload, now).await,
        };
        match done {
            Ok(report) => reported(report),
            Err(Trouble::Lasting(reason)) => reported(effect.failed(reason)),
            Err(Trouble::Passing { reason, after, otherwise }) => {
                let otherwise = otherwise.map(|report| wilco_protocol::decision::Report::Handoff(*report));
                EffectResult::NotYet { reason, after, otherwise }
            }
        }
    }

    async fn publish(&self, number: u32, payload: &Value) -> Result<Report, Trouble> {
        let mut order: DocumentOrder = read(payload)?;
        let text = document::text(&self.template, &order.body).map_err(Trouble::Lasting)?;
        let (directory, name, saved) = (self.documents.clone(), order.name.clone(), text.clone());
        let (place, tables) = (directory.display().to_string(), self.tables.clone());
        let saved = self.in_turn(move || match &tables {
            Some(tables) => tables::save(tables, &name, &saved),
            None => document::save(&directory, &name, &saved),
        });
        order.name = saved.await?.map_err(|error| match self.tables {
            Some(_) => Trouble::passing(format!("the document cannot be saved: {error}")),
            None if may_pass(&error) => {
                Trouble::passing(format!("the document cannot be saved in {place}: {error}"))
            }
            None => Trouble::Lasting(format!("the document cannot be saved in {place}: {error}")),
        })?;
        let published = document::publish(self.github.as_ref(), &order, &text).await;
        Ok(Report::DocumentPublished { number, name: order.name, published })
    }

    /// Does work on files, one at a time, on a thread that may wait.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Trouble> {
        let turn = self.turn.clone();
        let work = move || {
            let _held = turn.lock().unwrap_or_else(PoisonError::into_inner);
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| Trouble::passing(error.to_string()))
    }

    /// A document that was saved.
    pub fn saved(&self, name: &str) -> io::Result<Option<String>> {
        match &self.tables {
            Some(tables) => tables::saved(tables, name),
            None => document::saved(&self.documents, name),
        }
    }

    /// The report over all replacements that the viewer may see.
    pub fn replacements(&self, sees: impl Fn(&RecentReplacement) -> bool) -> io::Result<Replacements> {
        match &self.tables {
            Some(tables) => tables::replacements(tables, sees),
            None => audit_file::replacements(&self.audit_file, sees),
        }
    }

    async fn update_issues(&self, payload: &Value, now: Time) -> Result<Report, Trouble> {
        let order: IssuesOrder = read(payload)?;
        let github = self.github.as_ref();
        let github =
            github.ok_or_else(|| Trouble::lasting("no repository is configured; set github.repository"))?;
        let done = github.hand_over(&order).await;
        let report = Report::IssuesUpdated { issues: done.issues, pulls: done.pulls };
        let given_up = |after: Span| order.at.is_some_and(|at| at.plus(MAX_WAIT) < now.plus(after));
        match done.again {
            None => Ok(report),
            Some((_, after)) if given_up(after.unwrap_or_default()) => Ok(report),
            Some((reason, after)) => {
                Err(Trouble::Passing { reason, after, otherwise: Some(Box::new(report)) })
            }
        }
    }

    async fn update_state_file(&self, payload: &Value, now: Time) -> Result<Report, Trouble> {
        let order: StateFileOrder = read(payload)?;
        let path = self.state_file.clone().ok_or_else(|| Trouble::lasting("no state file is configured"))?;
        let changed = self.in_turn(move || match order {
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
        let (path, above, tables) = (self.audit_file.clone(), self.audit_rotate_bytes, self.tables.clone());
        let name = path.display().to_string();
        let appended = self.in_turn(move || match &tables {
            Some(tables) => tables::append(tables, &entry),
            None => audit_file::append(&path, above, &entry, now),
        });
        let appended = appended.await?;
        // It is tried again in any case: nothing else tells what happened.
        appended
            .map_err(|error| Trouble::passing(format!("the audit file {name} cannot be written: {error}")))?;
        Ok(Report::AuditAppended)
    }
}

fn reported(report: Report) -> EffectResult {
    EffectResult::Reported(wilco_protocol::decision::Report::Handoff(report))
}

/// Why an order was not carried out, and whether another try makes sense.
pub(crate) enum Trouble {
    Lasting(String),
    /// `after`: not before that. `otherwise`: what is reported when no try works.
    Passing {
        reason: String,
        after: Option<Span>,
        otherwise: Option<Box<Report>>,
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

/// Whether a disk that answered so may answer otherwise in a minute.
pub(crate) fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, QuotaExceeded, ResourceBusy, StorageFull, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | QuotaExceeded | ResourceBusy | StorageFull | TimedOut | WouldBlock)
}
