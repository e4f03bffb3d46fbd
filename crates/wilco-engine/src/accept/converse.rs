//! Messages that belong to no exchange.

use serde_json::{Map, json};
use wilco_language::parse::{MAX_TASK_ID, Typed};
use wilco_language::read::ack::readable;
use wilco_language::read::classify::Task;
use wilco_language::render::Rendered;
use wilco_protocol::{ExchangeId, Name};
use wilco_store::Reading;

use super::arrival::{Arrival, Outgoing, Place};
use super::correlate::{AMENDS, Target};
use super::start::{SAME, Taken, Unbegun, title};
use crate::command::Refused;
use crate::settings::AutoRegister;
use crate::workspace::Workspace;

impl Workspace<'_> {
    /// A conversation, unless its text is a task.
    pub(crate) fn converse(&mut self, arrival: &Arrival<'_>, may_classify: bool) -> Result<Taken, Refused> {
        let task = if may_classify { self.task_in(arrival)? } else { None };
        if let Some(task) = task {
            return self.take_for_task(arrival, task);
        }
        let astray = match &arrival.incoming().typed {
            // Anybody may remind whomever they like.
            reminder if reminder.in_wilcos_place() => None,
            Typed::Delegation(_)
            | Typed::Operation(_)
            | Typed::Handoff(_)
            | Typed::Validation(_)
            | Typed::Decision(_) => Some((
                "no-exchange",
                "Your message belongs to no open exchange of yours, so it was kept as a conversation. \
                 Name the task_id, the operation_id, the handoff_id or the exchange, or reply to the message that you answer."
                    .to_owned(),
            )),
            Typed::Conversation | Typed::Talk => None,
        };
        self.talk(arrival, astray)
    }

    /// A text that is a task: it changes the open one of its heading, or begins a delegation, and is never
    /// refused.
    fn take_for_task(&mut self, arrival: &Arrival<'_>, task: Task) -> Result<Taken, Refused> {
        if let Some(id) =
            task.task_id.as_deref().filter(|id| id.chars().count() > MAX_TASK_ID || !readable(id))
        {
            let shown: String = id.chars().take(40).collect();
            let detail =
                format!("its task id, {shown}…, is no short word of at most {MAX_TASK_ID} characters");
            return self.not_enrolled(arrival, &detail);
        }
        if let Some(exchange) = self.same_again(arrival, task.task_id.as_deref(), &title(arrival, &task))? {
            return self.say_to(arrival, vec![Target { exchange, rule: SAME }]);
        }
        if let Some(open) = self.open_under_heading(arrival, task.task_id.as_deref())? {
            return self.say_to(arrival, vec![Target { exchange: open, rule: AMENDS }]);
        }
        if self.is_new(&arrival.to[0]) && self.settings.auto_register == AutoRegister::Conversations {
            let why = format!(
                "nothing begins with an agent that was never seen, and {to} is new; send it to {to} again to make it a task",
                to = arrival.to[0]
            );
            return self.not_enrolled(arrival, &why);
        }
        match self.enrol(arrival, task) {
            Ok(taken) => Ok(taken),
            Err(Unbegun::Refused(refused)) => Err(refused),
            Err(Unbegun::Refusal(refusal)) => {
                self.not_enrolled(arrival, &wilco_language::render::refusal(&refusal))
            }
        }
    }

    /// Whether this very message made the agent known.
    fn is_new(&self, agent: &Name) -> bool {
        self.changes.agents.iter().any(|(name, before)| name == agent && before.is_none())
    }

    fn not_enrolled(&mut self, arrival: &Arrival<'_>, why: &str) -> Result<Taken, Refused> {
        let text = format!("Your message looks like a task but was kept as a conversation: {why}");
        self.talk(arrival, Some(("not-enrolled", text)))
    }

    /// Several exchanges could be meant: none is guessed.
    pub(crate) fn converse_ambiguous(
        &mut self,
        arrival: &Arrival<'_>,
        ids: &[ExchangeId],
    ) -> Result<Taken, Refused> {
        let list: Vec<_> = ids.iter().map(ExchangeId::to_string).collect();
        let text = format!(
            "Your message could belong to {}. Nothing was changed. Send it again with \"exchange\" set to one of them.",
            list.join(", ")
        );
        let taken = self.talk(arrival, None)?;
        self.notify(arrival, "ambiguous", text, Some(json!(list)))?;
        Ok(taken)
    }

    fn talk(&mut self, arrival: &Arrival<'_>, notice: Option<(&str, String)>) -> Result<Taken, Refused> {
        if arrival.to.is_empty() {
            return Err(Refused::invalid("/to", "is required: the name of an agent"));
        }
        let position = self.reserve();
        let (meaning, effect) = ("conversation".into(), "none".into());
        let reading = Reading { exchange: None, rule: None, meaning, effect };
        let outgoing = Outgoing { reading: Some(reading), ..Outgoing::plain(&arrival.to) };
        let place = Place { position, exchange: None };
        let messages = self.store_arrival(arrival, place, outgoing)?;
        if let Some((reason, text)) = notice {
            self.notify(arrival, reason, text, None)?;
        }
        Ok((messages, None))
    }

    /// Tells the sender how its message was taken.
    fn notify(
        &mut self,
        arrival: &Arrival<'_>,
        reason: &str,
        text: String,
        exchanges: Option<serde_json::Value>,
    ) -> Result<(), Refused> {
        let mut content = Map::from_iter([
            ("type".to_owned(), json!("protocol-notice")),
            ("message".to_owned(), json!(text)),
            ("reason".to_owned(), json!(reason)),
            ("about".to_owned(), json!(arrival.id)),
        ]);
        content.extend(exchanges.map(|list| ("exchanges".to_owned(), list)));
        let rendered =
            Rendered { subject: format!("About your message: {reason}"), priority: "normal", content };
        Ok(self.send_from_wilco(None, &arrival.from, rendered, &[])?)
    }
}
