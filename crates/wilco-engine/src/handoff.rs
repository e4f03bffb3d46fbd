//! What a handoff's orders need: the document's facts, what changes in the state file and in issues, the entry of
//! the audit.

use serde_json::{Value, json};
use wilco_language::interpret::Cited;
use wilco_language::render::{self, HandedTask};
use wilco_protocol::handoff::{
    Body, DocumentOrder, Effect, IssuesOrder, Party, Publish, Repetition, Replacement, State, StateFileOrder,
};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{Exchange, MessageId, Name, delegation};
use wilco_store::{Message, StoreError};

use crate::execute::{Cause, citing};
use crate::lookup::damaged;
use crate::workspace::Workspace;

/// Events and messages of a task that its document tells of: the newest.
const MAX_HISTORY: usize = 40;
const MAX_MESSAGES: usize = 30;
/// How many are looked at for that.
const MAX_LOOKED_AT: usize = 1000;
/// A longer text is cut.
const MAX_TEXT: usize = 2000;

/// What goes with an order; none when nobody could carry it out.
pub(crate) fn handoff_order(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    order: &Effect,
    cause: Option<&Cause<'_>>,
) -> Result<Option<Value>, StoreError> {
    let cited = citing(workspace, exchange, cause)?;
    let payload = match (exchange, order) {
        (Exchange::Handoff(state), Effect::PublishDocument { .. }) => {
            json!(document(workspace, state, &cited)?)
        }
        (Exchange::Handoff(state), Effect::UpdateStateFile) => json!(replacement(workspace, state, &cited)?),
        (Exchange::Handoff(state), Effect::UpdateIssues) => json!(issues(workspace, state, &cited)),
        (Exchange::Handoff(state), Effect::AppendAudit) => {
            let setting = workspace.setting(&state.initiator, &cited);
            json!(render::audit(state, workspace.now(), &setting))
        }
        (Exchange::Delegation(state), Effect::UpdateStateFile) => json!(repetition(workspace, state)),
        _ => return Ok(None),
    };
    Ok(Some(payload))
}

fn document(
    workspace: &mut Workspace<'_>,
    state: &State,
    cited: &Cited,
) -> Result<DocumentOrder, StoreError> {
    let local_url = format!("{}/v1/handoffs/{}/document", workspace.settings().url, state.handoff_id);
    let answered = state.answers.last().and_then(|message| cited.text(message, "document"));
    let given = answered.or_else(|| cited.text(&state.opening, "document").filter(|_| state.own_document));
    let body = match given {
        Some(text) => Body::Given(text),
        None => Body::Template(facts_of(workspace, state, cited)?),
    };
    let failed = state.failed.as_ref().map_or("unknown", |failed| failed.id.as_str());
    Ok(DocumentOrder {
        handoff_id: state.handoff_id.clone(),
        name: state.document_name.clone(),
        body,
        publish: state.policy.publish.unwrap_or(Publish::Local),
        issue: state.issues.first().copied(),
        description: format!("Agent replacement handoff: {failed} to {}", state.replacement.id),
        local_url,
        at: workspace.now(),
    })
}

/// The variables of the template.
fn facts_of(workspace: &mut Workspace<'_>, state: &State, cited: &Cited) -> Result<Value, StoreError> {
    let (mut known, mut history, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    for delegated in state.tasks.iter().filter_map(|task| task.delegation.as_ref()) {
        let number = delegated.exchange.number;
        let Some(live) = workspace.live(number)? else { continue };
        let texts = citing(workspace, &live.exchange, None)?;
        if let Exchange::Delegation(task) = &*live.exchange {
            known.push(handed(&live.exchange, task, &texts));
        }
        history.extend(history_of(workspace, number)?);
        messages.extend(messages_of(workspace, number)?);
    }
    let setting = workspace.setting(&Name::new(&state.replacement.id), cited);
    Ok(render::handoff_document(
        state,
        &known,
        newest(history, MAX_HISTORY),
        newest(messages, MAX_MESSAGES),
        &setting,
    ))
}

fn history_of(workspace: &mut Workspace<'_>, number: u64) -> Result<Vec<Value>, StoreError> {
    let mut events = Vec::new();
    for row in workspace.store().journal_of(number, 0, MAX_LOOKED_AT)? {
        let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
        if let Fact::Exchange(event) = &entry.fact {
            let json = event.to_json();
            let text = json.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
            events.push(json!({"at": entry.at, "by": entry.by, "exchange": entry.exchange, "text": text}));
        }
    }
    Ok(events)
}

fn messages_of(workspace: &mut Workspace<'_>, number: u64) -> Result<Vec<Value>, StoreError> {
    let mut found = Vec::new();
    for row in workspace.store().messages_of(number, 0, MAX_LOOKED_AT)? {
        let message: Message =
            serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
        let content = message.values();
        let text =
            |key: &str| content.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let said =
            text("message").or(text("summary")).or(text("understanding")).or(text("title")).unwrap_or("");
        found.push(json!({
            "at": message.timestamp,
            "from": message.from,
            "to": message.to,
            "type": text("type"),
            "subject": message.subject,
            "text": said.chars().take(MAX_TEXT).collect::<String>(),
        }));
    }
    Ok(found)
}

fn replacement(
    workspace: &mut Workspace<'_>,
    state: &State,
    cited: &Cited,
) -> Result<StateFileOrder, StoreError> {
    let mut tasks = Vec::new();
    for task in state.movable() {
        let ended = match &task.delegation {
            Some(one) => workspace.live(one.exchange.number)?.is_some_and(|live| !live.exchange.is_open()),
            None => false,
        };
        if !ended {
            tasks.push(task.task.clone());
        }
    }
    let unknown = || Party { id: "unknown".to_owned(), session: String::new(), github: None };
    let reason = cited.text(&state.opening, "reason").unwrap_or_default();
    Ok(StateFileOrder::Replace(Box::new(Replacement {
        failed: state.failed.clone().unwrap_or_else(unknown),
        replacement: state.replacement.clone(),
        reason,
        at: workspace.now(),
        handoff_id: state.handoff_id.clone(),
        handoff_url: state.url().unwrap_or_default().to_owned(),
        tasks,
        replacement_status: state.overridden.as_ref().map(|_| "acknowledged_with_delay".to_owned()),
        note: render::progress_note(state),
    })))
}

fn repetition(workspace: &Workspace<'_>, state: &delegation::State) -> StateFileOrder {
    StateFileOrder::Repeat(Repetition {
        task: state.task_uuid.clone(),
        attempts: state.handed.as_ref().map_or(0, |handed| handed.repetitions),
        at: workspace.now(),
        verified: state.acknowledged_at.is_some(),
    })
}

fn issues(workspace: &Workspace<'_>, state: &State, cited: &Cited) -> IssuesOrder {
    let setting = workspace.setting(&state.initiator, cited);
    let login = |party: &Party| {
        let agent = workspace.directory().get(&Name::new(&party.id));
        let github = agent.and_then(|agent| agent.profile.github.clone()).unwrap_or_else(|| party.id.clone());
        Party { github: Some(github), ..party.clone() }
    };
    let unknown = Party { id: "unknown".to_owned(), session: String::new(), github: None };
    IssuesOrder {
        handoff_id: state.handoff_id.clone(),
        issues: state.issues.clone(),
        pulls: state.pulls.clone(),
        failed: state.failed.as_ref().map(login).unwrap_or(unknown),
        replacement: login(&state.replacement),
        comment: render::issue_comment(state, &setting),
        at: Some(workspace.now()),
    }
}

fn handed(exchange: &Exchange, task: &delegation::State, cited: &Cited) -> HandedTask {
    let answer = |id: &MessageId| cited.answered(id);
    HandedTask {
        view: exchange.view(cited),
        task: cited.task(&task.assignment, &task.amendments),
        answers: task.answers.iter().map(answer).collect(),
    }
}

/// In the order of their times, and of too many the last.
fn newest(mut list: Vec<Value>, most: usize) -> Vec<Value> {
    list.sort_by_key(|one| one["at"].as_str().unwrap_or("").to_owned());
    let over = list.len().saturating_sub(most);
    list.drain(..over);
    list
}
