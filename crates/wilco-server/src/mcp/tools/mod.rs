//! The tools there are. Each turns its arguments into a plan; carrying it out is the same for all of them.

mod exchange;
mod handoff;
mod mail;
mod operation;
mod run;
mod task;
mod todo;
mod validation;

use serde_json::{Map, Value};
use wilco_wire::{Exchange, FieldProblem};

use crate::mcp::arguments::{Field, FieldKind, Given, MessageType, check, optional};
use crate::mcp::find::Named;
use crate::mcp::request::Request;

pub(crate) use run::run;

/// A tool: what a model is told of it, and what it does.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) does: Does,
    pub(crate) fields: &'static [Field],
    /// Arguments as they are usually given, in JSON.
    pub(crate) examples: &'static [&'static str],
    pub(crate) plan: fn(Given) -> Plan,
}

/// What is wrong with the arguments of a tool; none when there is no such tool. What is right is planned, and not
/// carried out. For random inputs.
#[doc(hidden)]
pub fn examined(name: &str, arguments: Map<String, Value>) -> Option<Vec<FieldProblem>> {
    let (_, tool) = ALL.iter().find(|(_, tool)| tool.name == name)?;
    let wrong = check(tool.fields, &arguments);
    if wrong.is_empty()
        && let Plan::Wrong(error) = (tool.plan)(Given::new(arguments))
    {
        return Some(vec![error]);
    }
    Some(wrong)
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Look,
    Say,
}

/// For whom a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    Agents,
    Initiators,
}

/// Which tools are listed. Whatever is listed, every tool can be called: what an agent owes it can always answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSet {
    /// What an agent needs who works on tasks of others, in few words: every model request carries them.
    Agent,
    #[default]
    All,
}

impl ToolSet {
    pub const WORDS: [&str; 2] = ["agent", "all"];

    pub fn from_word(word: &str) -> Option<ToolSet> {
        match word {
            "agent" => Some(ToolSet::Agent),
            "all" => Some(ToolSet::All),
            _ => None,
        }
    }

    pub(crate) fn tools(self) -> Vec<&'static Tool> {
        let in_set = |(whom, tool): &(For, &'static Tool)| match (self, whom) {
            (ToolSet::All, For::Agents | For::Initiators) => Some(*tool),
            (ToolSet::Agent, For::Agents) if tool.name == mail::SEND.name => Some(&mail::SEND_OF_AGENT),
            (ToolSet::Agent, For::Agents) => Some(*tool),
            (ToolSet::Agent, For::Initiators) => None,
        };
        ALL.iter().filter_map(in_set).collect()
    }
}

/// All of them, in the order in which they are listed.
pub(crate) const ALL: [(For, &Tool); 19] = [
    (For::Agents, &mail::INBOX),
    (For::Agents, &todo::WAITING),
    (For::Agents, &mail::READ),
    (For::Agents, &mail::SEND),
    (For::Agents, &task::ACKNOWLEDGE),
    (For::Agents, &task::ASK),
    (For::Agents, &task::CHECKPOINT),
    (For::Agents, &task::COMPLETE),
    (For::Agents, &operation::ANSWER),
    (For::Agents, &handoff::ACKNOWLEDGE),
    (For::Agents, &validation::REPORT),
    (For::Initiators, &task::DELEGATE),
    (For::Initiators, &operation::START),
    (For::Initiators, &handoff::START),
    (For::Initiators, &validation::START),
    (For::Initiators, &task::VERDICT),
    (For::Initiators, &exchange::DECIDE),
    (For::Initiators, &exchange::SHOW),
    (For::Initiators, &exchange::LIST),
];

pub(crate) fn by_name(name: &str) -> Option<&'static Tool> {
    ALL.iter().map(|(_, tool)| *tool).find(|tool| tool.name == name)
}

/// What is to be done.
pub(crate) enum Plan {
    Inbox {
        agent: Option<String>,
        query: Vec<(&'static str, Option<String>)>,
    },
    Todo {
        agent: Option<String>,
    },
    Read {
        id: String,
        keep_unread: bool,
    },
    List(Request),
    Show {
        exchange: String,
    },
    /// A message as it goes to the server.
    Send(Map<String, Value>),
    Say(Say),
    /// Each is said, whatever comes of the others.
    SayEach(Vec<(String, Say)>),
    /// Each argument is right, but not all of them together.
    Wrong(FieldProblem),
}

/// Something to say in an exchange that must be found first.
pub(crate) struct Say {
    pub(crate) from: Option<String>,
    pub(crate) named: Named,
    pub(crate) content: Content,
}

/// The content, once it is known to which exchange, and by whom, it is said.
pub(crate) type Content = Box<dyn FnOnce(&Exchange, Option<&str>) -> Map<String, Value> + Send>;

/// Who calls, where nothing else says it.
const FROM: Field =
    optional("from", FieldKind::Text, "Your name, where neither a token, Wilco-Agent nor --as says it");

const PRIORITY: Field =
    optional("priority", FieldKind::OneOf(&["low", "normal", "high", "urgent"]), "normal, if you do not say");

/// A message that begins something.
fn opening(mut given: Given, to: Option<Value>, of: MessageType) -> Plan {
    let mut message = Map::new();
    for key in ["from", "subject", "priority"] {
        message.extend(given.take(key).map(|value| (key.to_owned(), value)));
    }
    message.extend(to.map(|to| ("to".to_owned(), to)));
    message.insert("content".to_owned(), Value::Object(given.into_content(of)));
    Plan::Send(message)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mcp::arguments::check;

    #[test]
    fn mcp_1_every_tool_of_the_contract_in_a_fixed_order() {
        let names = ALL.map(|(_, tool)| tool.name);
        assert_eq!(
            names.join(" "),
            "inbox todo read_message send_message acknowledge_task ask_clarification checkpoint complete_task \
             answer_operation acknowledge_handoff report_validation delegate_task start_operation start_handoff \
             start_validation give_verdict decide show_exchange list_exchanges"
        );
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    #[test]
    fn mcp_1_the_examples_of_a_tool_are_right_arguments() {
        for (_, tool) in ALL {
            assert!(!tool.examples.is_empty(), "{} has no example", tool.name);
            for example in tool.examples {
                let arguments: Map<String, Value> = serde_json::from_str(example).unwrap();
                let wrong = check(tool.fields, &arguments);
                assert!(wrong.is_empty(), "{}: {example}: {wrong:?}", tool.name);
            }
        }
    }
}
