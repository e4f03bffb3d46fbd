//! Which fields a replacement changes in the state file. Pure: a text in, changes out.

use wilco_protocol::handoff::{Party, Replacement, TaskUpdate, Updated};

use super::fields::{assignments, beneath, is_agent, items, key, mapping, set, set_within, text};
use crate::stamp::seconds;
use crate::yaml::{Change, Node, NodeKind, Step, Value, Wrong, parse};

pub(super) fn plan(file: &str, order: &Replacement) -> Result<(Vec<Change>, Vec<TaskUpdate>), Wrong> {
    let root = mapping(parse(file)?)?;
    let (mut changes, mut tasks) = (Vec::new(), Vec::new());
    for task in &order.tasks {
        tasks.push(assignment(&root, task, order, &mut changes)?);
    }
    let foreign = tasks.iter().filter(|task| matches!(task.updated, Updated::Foreign { .. })).count();
    if foreign > 0 && foreign == tasks.len() {
        // Nothing is replaced: the agents stay what they are.
        return Ok((Vec::new(), tasks));
    }
    agents(&root, order, &mut changes)?;
    let status = if foreign > 0 { "partial" } else { "complete" };
    history(&root, order, &tasks, status, &mut changes)?;
    Ok((changes, tasks))
}

fn assignment(
    root: &Node,
    task: &str,
    order: &Replacement,
    into: &mut Vec<Change>,
) -> Result<TaskUpdate, Wrong> {
    let found: Vec<_> = assignments(root, task)?.collect();
    let owner = |item: &Node| text(item, "agent", root).map(str::to_owned);
    let (old, new) = (&order.failed.id, &order.replacement.id);
    let ours = |item: &Node| owner(item).is_none_or(|agent| is_agent(&agent, old) || is_agent(&agent, new));
    let update = |updated, issue, progress| TaskUpdate { task: task.to_owned(), updated, issue, progress };
    let Some((at, item)) = found.iter().find(|(_, item)| ours(item)).or(found.first()).copied() else {
        return Ok(update(Updated::Absent, None, None));
    };
    let issue = text(item, "github_issue", root);
    let issue = issue.and_then(|issue| issue.trim_start_matches('#').parse().ok());
    let progress = item.get("progress", root);
    let progress = progress.map(|progress| progress.get("percentage", root).unwrap_or(progress));
    let progress = progress.and_then(Node::number_or_flag).and_then(|percent| percent.parse::<f64>().ok());
    let progress = progress.map(|percent| percent.clamp(0.0, 100.0).round() as u32);
    if let Some(agent) = owner(item).filter(|_| !ours(item)) {
        return Ok(update(Updated::Foreign { agent }, issue, progress));
    }
    let info = item.get("replacement_info", root);
    let done = info.and_then(|info| text(info, "handoff_id", root)) == Some(order.handoff_id.as_str());
    if !done || !owner(item).is_some_and(|agent| is_agent(&agent, new)) {
        into.extend(moved(root, at, item, order)?);
    }
    Ok(update(Updated::Moved, issue, progress))
}

fn moved(root: &Node, at: usize, item: &Node, order: &Replacement) -> Result<Vec<Change>, Wrong> {
    let path = [key("active_assignments"), Step::Item(at)];
    // The file knows where its agent worked; the registry may have never met it.
    let own = text(item, "agent", root).is_none_or(|agent| is_agent(agent, &order.failed.id));
    let session = text(item, "session", root).filter(|session| own && !session.trim().is_empty());
    let session = session.unwrap_or(&order.failed.session).to_owned();
    let mut changes = set(
        item,
        &path,
        vec![
            ("agent", Value::text(&order.replacement.id)),
            ("session", Value::text(&order.replacement.session)),
            ("status", Value::text("pending_verification")),
        ],
    );
    let mut info = vec![
        ("replaced_agent", Value::text(&order.failed.id)),
        ("replaced_session", Value::text(&session)),
        ("replacement_reason", Value::text(&order.reason)),
        ("replacement_timestamp", Value::text(seconds(order.at))),
        ("handoff_id", Value::text(&order.handoff_id)),
        ("handoff_url", Value::text(&order.handoff_url)),
    ];
    let said = item.own("replacement_info").is_some_and(|info| info.own("replacement_status").is_some());
    if said || order.replacement_status.is_some() {
        info.push(("replacement_status", Value::maybe(order.replacement_status.clone())));
    }
    changes.extend(set_within(item, &path, "replacement_info", info)?);
    let reset = vec![
        ("status", Value::text("awaiting_repetition")),
        ("attempts", Value::Whole(0)),
        ("last_attempt", Value::Null),
        ("verified_at", Value::Null),
    ];
    changes.extend(set_within(item, &path, "instruction_verification", reset)?);
    changes.extend(progress(root, item, &path, &order.note)?);
    Ok(changes)
}

/// What was reached stays, marked as inherited. A bare number becomes the percentage.
fn progress(root: &Node, item: &Node, path: &[Step], note: &str) -> Result<Vec<Change>, Wrong> {
    let old = item.own("progress");
    let note = match old.and_then(|old| text(old, "notes", root)) {
        Some(notes) if notes.starts_with(note) => notes.to_owned(),
        Some(notes) => format!("{note}. {notes}"),
        None => note.to_owned(),
    };
    let marked = vec![("at_replacement", Value::Flag(true)), ("notes", Value::text(note))];
    match old.and_then(Node::number_or_flag) {
        Some(percent) => {
            let mut whole = vec![("percentage", Value::Number(percent.to_owned()))];
            whole.extend(marked);
            Ok(vec![Change::Set { path: beneath(path, key("progress")), value: Value::Map(whole) }])
        }
        None => set_within(item, path, "progress", marked),
    }
}

fn agents(root: &Node, order: &Replacement, into: &mut Vec<Change>) -> Result<(), Wrong> {
    let at = seconds(order.at);
    let (failed, new) = (&order.failed, &order.replacement);
    let retired = [
        ("status", Value::text("inactive")),
        ("inactive_reason", Value::text("replaced")),
        ("replaced_at", Value::text(&at)),
        ("replaced_by", Value::text(&new.id)),
    ];
    let session = |party: &Party| ("session", Value::text(&party.session));
    let mut unknown = vec![("type", Value::text("ai")), session(failed)];
    unknown.extend(retired.clone());
    agent(root, &failed.id, retired.to_vec(), unknown, into)?;

    let known =
        vec![session(new), ("status", Value::text("active")), ("assigned_from", Value::text(&failed.id))];
    let fresh = vec![
        ("type", Value::text("ai")),
        session(new),
        ("status", Value::text("active")),
        ("registered", Value::text(&at)),
        ("assigned_from", Value::text(&failed.id)),
    ];
    agent(root, &new.id, known, fresh, into)
}

/// Sets the fields of an agent that is there, or adds one with all of them.
fn agent(
    root: &Node,
    name: &str,
    known: Vec<(&'static str, Value)>,
    fresh: Vec<(&'static str, Value)>,
    into: &mut Vec<Change>,
) -> Result<(), Wrong> {
    const SECTION: &str = "registered_agents";
    let section = [key(SECTION)];
    if let Some(Node { kind: NodeKind::Map { entries, .. }, .. }) = root.own(SECTION) {
        let there = entries.iter().find(|(id, _)| id.text().is_some_and(|id| is_agent(id, name)));
        let path = |id: &str| beneath(&section, key(id));
        into.extend(match there {
            Some((id, old)) if !old.is_null() => set(old, &path(id.text().unwrap_or(name)), known),
            Some((id, _)) => {
                vec![Change::Set { path: path(id.text().unwrap_or(name)), value: Value::Map(fresh) }]
            }
            None => vec![Change::Set { path: path(name), value: Value::Map(fresh) }],
        });
        return Ok(());
    }
    let list = items(root, SECTION)?;
    let there = list.iter().position(|item| text(item, "id", root).is_some_and(|id| is_agent(id, name)));
    match there {
        Some(at) => into.extend(set(&list[at], &beneath(&section, Step::Item(at)), known)),
        None => {
            let mut item = vec![("id", Value::text(name))];
            item.extend(fresh);
            into.push(Change::Append { path: section.to_vec(), item: Value::Map(item) });
        }
    }
    Ok(())
}

fn history(
    root: &Node,
    order: &Replacement,
    tasks: &[TaskUpdate],
    status: &str,
    into: &mut Vec<Change>,
) -> Result<(), Wrong> {
    const SECTION: &str = "replacement_history";
    let told = |item: &Node| text(item, "handoff_id", root) == Some(order.handoff_id.as_str());
    if items(root, SECTION)?.iter().any(told) {
        return Ok(());
    }
    let transferred = tasks.iter().filter(|task| !matches!(task.updated, Updated::Foreign { .. }));
    let transferred: Vec<_> = transferred.map(|task| task.task.as_str()).collect();
    let entry = Value::Map(vec![
        ("timestamp", Value::text(seconds(order.at))),
        ("failed_agent", Value::text(&order.failed.id)),
        ("replacement_agent", Value::text(&order.replacement.id)),
        ("reason", Value::text(&order.reason)),
        ("tasks_transferred", Value::texts(&transferred)),
        ("handoff_id", Value::text(&order.handoff_id)),
        ("status", Value::text(status)),
    ]);
    into.push(Change::Append { path: vec![key(SECTION)], item: entry });
    Ok(())
}
