//! What somebody needs who judges whether an agent understood its task: the task, the understanding once, and what
//! differs. Short, however long the task is; how to answer is taught elsewhere.

use wilco_protocol::delegation::{Phase, State};

use super::form::one_line;
use super::to_initiator::entry;
use crate::interpret::Cited;
use crate::parse::Task;
use crate::read::understanding::{ContradictionKind, TaskText, contradictions, new_names};

/// Characters of each part; a reader gets the rest from the exchange.
const TITLE: usize = 120;
const CRITERION: usize = 120;
const UNDERSTANDING: usize = 500;
const WORD: usize = 40;
const WHY: usize = 300;
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
    let stated = understood(&cited.understanding(ack));
    let mut parts = vec![format!("Did {agent} understand {id}? {}", cut(&one_line(&task.title), TITLE))];
    parts.extend(asked(&task, &missing));
    parts.push(format!("It understood: {stated}"));
    parts.extend(differing(state, &task, &cited.understanding(ack)));
    parts.extend(
        left_by_judge(state).map(|why| format!("The judge did not settle it: {}", cut(&one_line(why), WHY))),
    );
    parts.join("\n")
}

/// What an agent understood, on one line and not too long.
pub(super) fn understood(stated: &str) -> String {
    cut(&one_line(stated), UNDERSTANDING)
}

/// What stands in the understanding and not in the task.
fn differing(state: &State, task: &Task, stated: &str) -> Vec<String> {
    let text = TaskText {
        task_id: &state.task_id,
        title: &task.title,
        titled: task.titled,
        description: &task.description,
        criteria: &task.criteria,
    };
    let found = contradictions(&text, stated);
    let of = |kinds: &[ContradictionKind]| -> Vec<String> {
        found.iter().filter(|one| kinds.contains(&one.kind)).map(|one| one.word.clone()).collect()
    };
    use ContradictionKind as Kind;
    [
        ("Another task", of(&[Kind::TaskId])),
        ("Numbers that are not the task's", of(&[Kind::Number])),
        ("Names that are new", [of(&[Kind::Name]), new_names(&text, stated)].concat()),
        ("Words that turn the meaning", of(&[Kind::Negation, Kind::Direction])),
    ]
    .into_iter()
    .filter(|(_, words)| !words.is_empty())
    .map(|(what, words)| format!("{what}: {}", few(&words)))
    .collect()
}

/// The first of them, each once.
fn few(words: &[String]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for word in words.iter().map(|word| cut(&one_line(word), WORD)) {
        if shown.len() < LISTED && !shown.contains(&word) {
            shown.push(word);
        }
    }
    shown.join(", ")
}

/// What the judge that was asked first could not settle.
pub(super) fn left_by_judge(state: &State) -> Option<&str> {
    match &state.phase {
        Phase::InReview { why, .. } => why.as_deref(),
        _ => None,
    }
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
