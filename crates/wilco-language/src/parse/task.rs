//! The task in a content: its title, its description and its acceptance criteria.

use serde_json::{Map, Value};
use wilco_protocol::delegation::Sign;

use super::fields::Fields;
use crate::message::MessageType;
use crate::read::classify::{classify, headed};
use crate::read::text::heading;

/// What a task asks for, in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    pub title: String,
    /// Whether its title is part of the task; a subject only says what the letter is called.
    pub titled: bool,
    pub description: String,
    pub criteria: Vec<String>,
    /// What amendments changed in words alone: nothing but these words shows that they were read. They stand in the
    /// description too.
    pub changes: Vec<String>,
    /// The text that came with it.
    pub message: Option<String>,
}

/// Titles longer than this are cut; the whole text stays in the message.
const MAX_TITLE: usize = 200;

impl Task {
    /// Reads the task of an assignment or amendment, flat or nested, or of a plain text.
    pub fn of(content: &Map<String, Value>, subject: &str) -> Task {
        let fields = Fields::unchecked(content);
        // A text of nothing says no more than none.
        let message = fields.text("message").filter(|text| !text.trim().is_empty());
        let found = message.as_deref().and_then(|text| classify(None, text));
        let criteria = fields.texts("acceptance_criteria");
        let classified = |task: crate::read::classify::Task| task.criteria;
        let title = fields.text("title").or_else(|| found.as_ref().and_then(|task| task.title.clone()));
        let titled = title.is_some();
        let title = title
            .or_else(|| Some(subject.to_owned()).filter(|subject| !subject.trim().is_empty()))
            .or_else(|| message.as_deref().and_then(first_line))
            .unwrap_or_default();
        Task {
            title: cut(&title),
            titled,
            description: fields.text("description").or_else(|| message.clone()).unwrap_or_default(),
            criteria: criteria.or_else(|| found.map(classified)).unwrap_or_default(),
            changes: Vec::new(),
            message,
        }
    }

    /// This task as a later amendment changed it. A text under the task's heading says it anew.
    pub fn amended(mut self, content: &Map<String, Value>) -> Task {
        let fields = Fields::unchecked(content);
        let message = fields.text("message");
        let anew = message.as_deref().and_then(|text| classify(None, text));
        let anew = anew.filter(|task| task.sign == Sign::TaskHeading);
        // A plain text is an amendment only under the heading of its task, which may have any id.
        let typed = MessageType::of(content).is_some_and(MessageType::is_for_participants);
        let anew = anew.or_else(|| if typed { None } else { headed(None, message.as_deref()?) });
        let title = fields.text("title").or(anew.as_ref().and_then(|task| task.title.clone()));
        if let Some(title) = &title {
            (self.title, self.titled) = (cut(title), true);
        }
        let listed = anew.map(|task| task.criteria).filter(|criteria| !criteria.is_empty());
        let criteria = fields.texts("acceptance_criteria").or(listed);
        let listed_anew = criteria.as_ref().is_some_and(|criteria| *criteria != self.criteria);
        if let Some(criteria) = criteria {
            self.criteria = criteria;
        }
        let description = fields.text("description");
        if !listed_anew {
            let said = [title, description.clone(), message.as_deref().map(below_headings)];
            self.changes.extend(said.into_iter().flatten().filter(|text| !text.trim().is_empty()));
        }
        if let Some(changed) = description.or(message) {
            self.description = format!("{}\n{changed}", self.description).trim().to_owned();
        }
        self
    }
}

/// A heading says which task is meant.
fn below_headings(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| heading(line).is_none()).collect();
    lines.join("\n")
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn cut(title: &str) -> String {
    let title = title.trim();
    if title.chars().count() <= MAX_TITLE {
        return title.to_owned();
    }
    format!("{}…", title.chars().take(MAX_TITLE - 1).collect::<String>())
}
