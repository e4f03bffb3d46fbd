//! Messages that begin an operation.

use wilco_language::message::MessageType;
use wilco_language::parse::{Announcement, FieldError};
use wilco_language::render;
use wilco_protocol::exchange::Start;
use wilco_protocol::operation::{Execute, Operate};
use wilco_protocol::{ExchangeId, Meaning, Protocol};
use wilco_store::Priority;

use super::arrival::{Arrival, Defaults};
use super::start::{Taken, begin};
use crate::authority::TokenHolder;
use crate::command::{Api, Refused};
use crate::command_rule::{CommandCall, CommandRule};
use crate::execute::priority;
use crate::workspace::Workspace;

/// A `pre-operation`.
pub(crate) fn operate(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Announcement,
) -> Result<Taken, Refused> {
    let chosen = workspace.settings().operation_policy(said, arrival.to.len());
    let (kind, policy) = chosen.map_err(|errors| Refused::Invalid { errors })?;
    let execute = said.execute.clone().unwrap_or(match arrival.post.api {
        Api::V1 => Execute::Manual,
        // Its scripts perform operations themselves.
        Api::Maestro => Execute::None,
    });
    let execute = allowed(workspace, arrival, said, execute)?;
    let id = ExchangeId { protocol: Protocol::Operation, number: workspace.next_position() };
    let several = arrival.to.len() > 1;
    let start = Operate {
        id,
        by: arrival.from.clone(),
        to: arrival.to.clone(),
        message: arrival.id.clone(),
        operation: said.operation.clone(),
        kind,
        broadcast_id: several.then(|| arrival.broadcast_id(id.number)),
        requires_acknowledgment: said.requires_acknowledgment,
        silence_foreseen: [&said.own, &said.policy]
            .iter()
            .any(|keys| keys.contains_key("proceed_on_timeout")),
        pre_notice: said.pre_notice,
        policy,
        execute,
    };
    let given = arrival.incoming().priority.as_deref().map_or(Priority::High, priority);
    let defaults = Defaults {
        subject: render::pending(&said.operation),
        priority: given.max(Priority::High),
        rule: MessageType::PreOperation.name().into(),
        meaning: Meaning::PreOperation,
    };
    begin(workspace, arrival, Start::Operation(start), defaults).map_err(Refused::from)
}

/// Only configured programs are run, with arguments that they may have.
fn allowed(
    workspace: &Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Announcement,
    execute: Execute,
) -> Result<Execute, Refused> {
    let Execute::Command(mut command) = execute else { return Ok(execute) };
    let known = &workspace.settings().operation_commands;
    let [name, arguments @ ..] = command.argv.as_slice() else {
        return Ok(Execute::Command(command));
    };
    let rule = known.get(name);
    CommandRule::check(rule, &TokenHolder::of(arrival.post), name)?;
    let asked = CommandCall {
        name,
        arguments,
        values: &said.values,
        arguments_at: "/content/execute/command/1",
        values_at: "/content/execute/values",
    };
    let Some(rule) = rule else {
        let detail = if known.is_empty() {
            format!(
                "the command {name:?} is not allowed: none is; name it in the configuration, under [operation.commands]"
            )
        } else {
            let list: Vec<_> = known.keys().map(String::as_str).collect();
            format!("the command {name:?} is not allowed; choose one of {}", list.join(", "))
        };
        let pointer = "/content/execute/command/0".to_owned();
        return Err(Refused::Invalid { errors: vec![FieldError { pointer, detail }] });
    };
    let arguments = rule.arguments(&asked).map_err(|errors| Refused::Invalid { errors })?;
    command.argv = std::iter::once(name.clone()).chain(arguments).collect();
    Ok(Execute::Command(command))
}
