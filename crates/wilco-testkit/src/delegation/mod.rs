//! A world for one delegation, and what may happen in it, at random.

mod strategy;

use wilco_protocol::decision::Facts;
use wilco_protocol::{Name, Time};

pub use strategy::{Opening, Step, opening, steps};

/// A world in which `helper` may take over and the server may have been down.
#[derive(Debug)]
pub struct World {
    pub down: Option<(Time, Time)>,
    /// Nobody of these can take a task.
    pub away: Vec<Name>,
}

impl Facts for World {
    fn down_across(&self, due: Time) -> bool {
        self.down.is_some_and(|(from, until)| from < due && due < until)
    }

    fn can_take(&self, agent: &Name) -> bool {
        self.is_registered(agent) && !self.away.contains(agent)
    }

    fn is_registered(&self, agent: &Name) -> bool {
        matches!(agent.as_str(), "boss" | "worker" | "helper" | "carol")
    }

    fn able(&self, _: &[String]) -> Vec<Name> {
        vec!["boss".into(), "carol".into(), "helper".into(), "worker".into()]
    }
}
