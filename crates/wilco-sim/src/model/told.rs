//! Who is to hear what, and did: each agent once.

use std::collections::BTreeMap;

use wilco_protocol::{Name, Protocol};

use super::{Broken, broken};

/// What Wilco says exactly once for each event that calls for it.
const COUNTED: [&str; 11] = [
    "validation-request",
    "revalidation-trigger",
    "fix-request",
    "success-notification",
    "timeout-reminder",
    "status-change",
    "escalation",
    "replacement_handoff",
    "handoff_reminder",
    "handoff-correction",
    "replacement_confirmation",
];

/// How often somebody is still to hear something; negative: it heard it too often.
#[derive(Debug, Default)]
pub(super) struct Debts(BTreeMap<(u64, &'static str, Name), i32>);

/// The debts of one exchange.
pub(super) struct Told<'a> {
    pub(super) number: u64,
    pub(super) debts: &'a mut Debts,
}

impl Told<'_> {
    pub(super) fn owe(&mut self, kind: &'static str, agent: &Name) {
        *self.debts.0.entry((self.number, kind, agent.clone())).or_default() += 1;
    }
}

impl Debts {
    /// Wilco said this to somebody. Copies of an escalation go to a controller that nobody owes them.
    pub(super) fn heard(&mut self, number: u64, protocol: Protocol, kind: &str, agent: &Name) {
        if !matches!(protocol, Protocol::Validation | Protocol::Handoff) {
            return;
        }
        let Some(kind) = COUNTED.into_iter().find(|counted| *counted == kind) else { return };
        let key = (number, kind, agent.clone());
        match self.0.get_mut(&key) {
            Some(debt) => *debt -= 1,
            None if kind == "escalation" => {}
            None => {
                self.0.insert(key, -1);
            }
        }
    }

    pub(super) fn are_paid(&self) -> Result<(), Broken> {
        match self.0.iter().find(|(_, debt)| **debt != 0) {
            None => Ok(()),
            Some(((number, kind, agent), debt)) => {
                let how = if *debt > 0 { "is not told" } else { "is told too often" };
                broken("G4", format!("{agent} {how} by {kind} in exchange {number}"))
            }
        }
    }
}
