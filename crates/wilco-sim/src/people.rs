//! What people and agents do: begin tasks, look into their inboxes, react.

use serde_json::json;
use wilco_engine::{Command, MarkAs, PutAgent, Viewer};
use wilco_protocol::Name;
use wilco_protocol::directory::{Mark, Profile};
use wilco_store::{InboxFilter, InboxStatus, Reader, Walk};

use crate::cast::CAPABILITIES;
use crate::initiator::Initiator;
use crate::model::{Broken, broken};
use crate::nudge::BELL;
use crate::speech::SimMessage;
use crate::worker::Worker;
use crate::world::{Happening, World};

/// Letters read at one look.
const MOST_AT_ONCE: usize = 20;

impl World {
    /// The server starts for the first time, and everybody is registered.
    pub(crate) fn set_up(&mut self) -> Result<(), Broken> {
        match self.realm.is_alone() {
            true => _ = self.start()?,
            false => self.heal()?,
        }
        let everybody: Vec<Name> = self.cast.everybody().cloned().collect();
        let arrive = |who: &Name| [self.put(who, None), Command::Seen { agent: who.clone() }];
        let commands = everybody.iter().flat_map(arrive).collect();
        self.step(commands).map(|_| ())
    }

    pub(crate) fn begin(&mut self, who: &Name) {
        let (cast, fault_rates, rng) = (&self.cast, &self.fault_rates, &mut self.rng);
        let speech = Initiator { me: who, cast, fault_rates, rng }.delegate();
        self.send(speech);
    }

    /// Somebody has got something and will look, sooner or later.
    pub(crate) fn will_look(&mut self, who: &Name) {
        if !self.looking.insert(who.clone()) {
            return;
        }
        let vanishes = self.rng.per_mille(self.fault_rates.silence);
        let after = if vanishes { self.rng.seconds(600, 3 * 3600) } else { self.rng.seconds(0, 60) };
        self.later(after, Happening::Look(who.clone()));
    }

    pub(crate) fn look(&mut self, who: &Name) -> Result<(), Broken> {
        self.looking.remove(who);
        let node = if self.realm.is_alone() { self.engine.as_ref().map(|_| 0) } else { self.is_read()? };
        let Some(node) = node else {
            self.will_look(who);
            return Ok(());
        };
        let after = self.read.get(who).copied().unwrap_or(0);
        let filter = InboxFilter {
            agent: who.clone(),
            statuses: vec![InboxStatus::Unread],
            walk: Walk::Behind(after),
            limit: MOST_AT_ONCE,
        };
        let rows = self.disk.inbox(&filter)?;
        if rows.len() == MOST_AT_ONCE {
            self.will_look(who);
        }
        let (mut commands, mut last) = (Vec::new(), after);
        for (_, row) in rows {
            if row.position <= last {
                return broken("MSG-13", format!("{} comes out of order in {who}'s inbox", row.id));
            }
            last = row.position;
            self.react(who, &SimMessage::read(&row.body)?);
            if self.rng.percent(50) {
                let mark = *self.rng.pick(&[MarkAs::Read, MarkAs::Read, MarkAs::Archived, MarkAs::Deleted]);
                self.model.asks_to_mark(who, &row.id);
                commands.push(Command::Mark { agent: who.clone(), id: row.id, mark });
            }
        }
        self.read.insert(who.clone(), last);
        commands.extend(self.sign_of_life(who));
        if commands.is_empty() {
            return Ok(());
        }
        match self.realm.is_alone() {
            true => self.step(commands).map(|_| ()),
            false => self.step_from(node, commands),
        }
    }

    /// What else somebody does who looks into its inbox; rarely, it is sent to sleep or taken off the list.
    fn sign_of_life(&mut self, who: &Name) -> Option<Command> {
        let agent = who.clone();
        match self.rng.below(100) {
            0..10 => Some(Command::Seen { agent }),
            10..30 => Some(Command::Waits { agent: who.to_string() }),
            30..35 => Some(Command::Called { agent, proven: self.rng.percent(50) }),
            35..40 => Some(Command::Alive),
            40 => Some(self.put(who, Some(Some(Mark::Hibernated)))),
            41 => Some(self.put(who, Some(None))),
            42 => Some(Command::RemoveAgent { name: agent, by: Viewer::Operator }),
            _ => None,
        }
    }

    /// Registers somebody, with a skill that goes with its place in the cast.
    fn put(&self, who: &Name, mark: Option<Option<Mark>>) -> Command {
        let place = self.cast.everybody().position(|one| one == who).unwrap_or(0);
        let skill = CAPABILITIES[place % CAPABILITIES.len()].to_owned();
        // The same ones for a whole run: who comes back is nudged as before.
        let nudged = place as u64 * 100 < self.fault_rates.nudged * self.cast.everybody().count() as u64;
        let nudge = nudged.then(|| json!({"kind": "command", "command": BELL}));
        let profile = Profile { capabilities: vec![skill], nudge, ..Profile::default() };
        Command::PutAgent(Box::new(PutAgent {
            name: who.to_string(),
            profile,
            role: None,
            mark,
            viewer: Viewer::Operator,
        }))
    }

    fn react(&mut self, who: &Name, letter: &SimMessage<'_>) {
        if self.rng.percent(self.fault_rates.silence) {
            return;
        }
        let (cast, fault_rates, rng) = (&self.cast, &self.fault_rates, &mut self.rng);
        let said = if cast.is_worker(who) {
            let documents = &self.documents;
            Worker { me: who, letter, cast, fault_rates, documents, rng, said: Vec::new() }.react()
        } else {
            Initiator { me: who, cast, fault_rates, rng }.react(letter)
        };
        for (after, speech) in said {
            self.later(after, Happening::Say(Box::new(speech)));
        }
    }
}
