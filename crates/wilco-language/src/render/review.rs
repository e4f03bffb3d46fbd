//! What somebody needs who judges whether an agent understood its task: the task, the understanding once, and what
//! is missing. Short, however long the task is; how to answer is taught elsewhere.

use wilco_protocol::delegation::State;

use super::form::one_line;
use super::to_initiator::entry;
use crate::interpret::Cited;
use crate::parse::Task;

/// Characters of each part; a reader gets the rest from the exchange.
const TITLE: usize = 120;
const CRITERION: usize = 120;
const UNDERSTANDING: usize = 500;
/// Criteria and changes that are shown.
const LISTED: usize = 4;

/// The task, what its agent understood, and what is missing in that.
pub(super) fn review(state: &State, cited: &Cited) -> String {
    let (agent, id) = (&state.assignee, &state.task_id);
    let Some(ack) = &state.ack else {
        return format!(
            "{agent} reports work on {id} without having acknowledged it. Does it do the right thing?"
        );
    };
    let task = cited.task(&state.assignment, &state.amendments);
    let missing: Vec<usize> = match &state.understanding {
        Some(judged) => judged.missing.iter().map(|index| usize::from(*index)).collect(),
        None => Vec::new(),
    };
    let stated = cut(&one_line(&cited.understanding(ack)), UNDERSTANDING);
    let mut parts = vec![format!("Did {agent} understand {id}? {}", cut(&one_line(&task.title), TITLE))];
    parts.extend(asked(&task, &missing));
    parts.push(format!("It understood: {stated}"));
    parts.join("\n")
}

/// The criteria and what amendments said in words; what was not found comes first and is marked.
fn asked(task: &Task, missing: &[usize]) -> Vec<String> {
    let is_missing = |place: &usize| missing.contains(place);
    let (lacking, said): (Vec<usize>, Vec<usize>) = (0..task.criteria.len()).partition(is_missing);
    let line = |place: &usize| {
        let mark = if is_missing(place) { " (not found in it)" } else { "" };
        format!("- {}{mark}", cut(&entry(&task.criteria[*place]), CRITERION))
    };
    let places: Vec<usize> = lacking.into_iter().chain(said).collect();
    let mut lines: Vec<_> = places.iter().take(LISTED).map(line).collect();
    if places.len() > LISTED {
        let left = &places[LISTED..];
        let lacking = left.iter().filter(|place| is_missing(place)).count();
        lines.push(format!("- and {} more criteria, {lacking} of them not found in it", left.len()));
    }
    let newest = task.changes.iter().rev().take(LISTED / 2);
    lines.extend(newest.map(|change| format!("Amended: {}", cut(&one_line(change), CRITERION))));
    lines
}

/// The text, or its beginning.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
