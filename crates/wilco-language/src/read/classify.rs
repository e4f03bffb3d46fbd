//! Tells a task delegation in plain text from a conversation, by the signs of DEL-2.
//!
//! Looks at the words alone. Message type, correlation, `RE:` subjects and the number of recipients
//! are the caller's to check first.

use wilco_protocol::delegation::Sign;

use super::sections::{Section, entries, sections};
use super::text::{self, Line};
use super::words::words;
use super::{ack, placeholders};

/// A plain text taken for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The strongest sign found.
    pub sign: Sign,
    pub task_id: Option<String>,
    pub title: Option<String>,
    pub criteria: Vec<String>,
}

/// The task a plain text delegates, or none when it is a conversation.
pub fn classify(subject: Option<&str>, body: &str) -> Option<Task> {
    let lines: Vec<Line<'_>> = text::lines(body).into_iter().filter(Line::own).collect();
    if acknowledges(&lines) {
        return None;
    }
    let sections = sections(&lines);
    let mut headings = sections.iter().filter(|s| s.heading).filter_map(|s| Heading::of(&s.title));
    let heading = headings.find(Heading::is_clear).map(|heading| (heading.id, heading.title));
    let sign = match &heading {
        Some(_) => Sign::TaskHeading,
        None => section_sign(&sections)
            .or_else(|| checklist(&lines).next().map(|_| Sign::Checklist))
            .or_else(|| placeholders::template(&lines).then_some(Sign::Placeholders))?,
    };
    let (task_id, title) = heading.map_or((None, None), |(id, title)| (Some(id), title));
    Some(Task {
        sign,
        task_id,
        title: title.or_else(|| subject_of(subject)),
        criteria: criteria(&sections, &lines),
    })
}

/// The task that a heading `Task:` names by whatever word. For readers who know such a task: of itself a word like
/// `login` is no id.
pub fn headed(subject: Option<&str>, body: &str) -> Option<Task> {
    let lines: Vec<Line<'_>> = text::lines(body).into_iter().filter(Line::own).collect();
    let sections = sections(&lines);
    let mut headings = sections.iter().filter(|s| s.heading).filter_map(|s| Heading::of(&s.title));
    let heading = headings.find(|heading| heading.marked && !heading.id.is_empty())?;
    if acknowledges(&lines) {
        return None;
    }
    Some(Task {
        sign: Sign::TaskHeading,
        task_id: Some(heading.id),
        title: heading.title.or_else(|| subject_of(subject)),
        criteria: criteria(&sections, &lines),
    })
}

fn subject_of(subject: Option<&str>) -> Option<String> {
    subject.map(str::trim).filter(|subject| !subject.is_empty()).map(str::to_owned)
}

/// An ACK said outside a fence; a delegation may well show one inside.
fn acknowledges(own: &[Line<'_>]) -> bool {
    let own: Vec<&str> = own.iter().map(|line| line.text).collect();
    let bracketed = own.iter().any(|line| text::has(line, [b'[']));
    let said = || own.join("\n");
    (bracketed && !ack::acks(&said()).is_empty()) || !words(&said()).is_empty()
}

/// The sections that make a text a task, strongest first.
const SECTIONS: [(&str, Sign); 4] = [
    ("acceptance criteria", Sign::AcceptanceCriteria),
    ("git workflow", Sign::GitWorkflow),
    ("verification commands", Sign::VerificationCommands),
    ("required output format", Sign::RequiredOutputFormat),
];

fn section_sign(sections: &[Section<'_>]) -> Option<Sign> {
    let named = |name| sections.iter().any(|s| is_named(s, name) && !only_asks(s));
    SECTIONS.iter().find(|(name, _)| named(name)).map(|(_, sign)| *sign)
}

/// The title is the name alone, or a heading with little behind it: `Acceptance Criteria (all)`.
fn is_named(section: &Section<'_>, name: &str) -> bool {
    let title = section.title.to_lowercase();
    let singular = match name {
        "acceptance criteria" => "acceptance criterion",
        "verification commands" => "verification command",
        other => other,
    };
    let Some(rest) = title.strip_prefix(name).or_else(|| title.strip_prefix(singular)) else {
        return false;
    };
    let rest = rest.trim_end_matches(':').trim_end();
    let added = rest.starts_with(" (") && rest.ends_with(')');
    let about = section.heading && (rest.starts_with(" for ") || rest.starts_with(": "));
    rest.is_empty() || ((added || about) && !rest.contains('?'))
}

/// A section that holds nothing but questions is being discussed, not set.
fn only_asks(section: &Section<'_>) -> bool {
    let mut said = section.lines.iter().map(|line| line.text.trim()).filter(|t| !t.is_empty());
    let asks = |text: &str| text.ends_with('?');
    said.next().is_some_and(asks) && said.all(asks)
}

/// `Task: GH-42-feature` and the title behind the id.
struct Heading {
    id: String,
    title: Option<String>,
    /// A mark stands between `Task` and the id.
    marked: bool,
    /// Nothing follows the id, or a mark parts it from the title.
    parted: bool,
}

impl Heading {
    /// None when it is no heading of a task, or tells of one instead of setting it.
    fn of(heading: &str) -> Option<Heading> {
        let rest = heading.get(..4).filter(|word| word.eq_ignore_ascii_case("task"))?;
        let rest = &heading[rest.len()..];
        let marked = strip_id_word(rest).trim_start().strip_prefix([':', '-', '–', '—']);
        let named = match marked {
            Some(named) => named,
            None if rest.starts_with(char::is_whitespace) => strip_id_word(rest),
            None => return None,
        };
        let named = named.trim_start();
        let end = named.find(char::is_whitespace).unwrap_or(named.len());
        let (token, rest) = named.split_at(end);
        let id = token.trim_matches(['*', '`', '(', ')', '[', ']', ',']).trim_end_matches(':');
        let behind = rest.trim_start();
        let parted =
            token.ends_with(':') || behind.is_empty() || behind.starts_with(['-', '–', '—', ':', '|', '(']);
        let title = rest.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '-' | '–' | '—' | ':' | '|' | '(' | ')')
        });
        let talk = title.ends_with('?') || reports(title);
        let title = (!title.is_empty()).then(|| title.to_owned());
        (!talk).then(|| Heading { id: id.to_owned(), title, marked: marked.is_some(), parted })
    }

    /// Whether the word is an id by its looks.
    fn is_clear(&self) -> bool {
        match self.marked {
            true => is_id(&self.id) || (self.parted && names_one(&self.id)),
            false => is_id(&self.id) && self.parted,
        }
    }
}

fn strip_id_word(text: &str) -> &str {
    let bare = text.trim_start();
    match bare.get(..2) {
        Some(word)
            if word.eq_ignore_ascii_case("id") && !bare[2..].starts_with(|c: char| c.is_alphanumeric()) =>
        {
            &bare[2..]
        }
        _ => text,
    }
}

/// Letters and digits together, `#42`, or capitals joined by hyphens; no blanks of a template.
fn is_id(text: &str) -> bool {
    let digit = text.chars().any(|c| c.is_ascii_digit());
    let letter = text.chars().any(char::is_alphabetic);
    let capitals = text.contains('-') && letter && !text.chars().any(char::is_lowercase);
    well_formed(text) && (digit && (letter || text.starts_with('#')) || capitals)
}

/// A single name such as `auth-refactor` or `42`, when nothing follows but a title.
fn names_one(text: &str) -> bool {
    let joined = text.trim_matches(['-', '_']).contains(['-', '_']);
    well_formed(text) && (joined || text.chars().all(|c| c.is_ascii_digit()))
}

fn well_formed(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | '.' | '/' | ':'))
}

/// "Task: GH-42 - status update" tells of a task instead of setting one.
fn reports(title: &str) -> bool {
    const REPORT: [&str; 18] = [
        "status",
        "update",
        "report",
        "done",
        "completed",
        "complete",
        "results",
        "result",
        "feedback",
        "question",
        "questions",
        "summary",
        "progress",
        "notes",
        "blocked",
        "finished",
        "is",
        "discussion",
    ];
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(str::to_lowercase).peekable();
    words.peek().is_some() && words.all(|word| REPORT.contains(&word.as_str()))
}

fn checklist<'a>(lines: &'a [Line<'a>]) -> impl Iterator<Item = &'a str> {
    let boxes = lines.iter().filter_map(|line| text::checkbox(line.text));
    boxes.filter(|(ticked, _)| !ticked).map(|(_, item)| item)
}

fn criteria(sections: &[Section<'_>], lines: &[Line<'_>]) -> Vec<String> {
    let section = sections.iter().find(|s| is_named(s, SECTIONS[0].0));
    let listed = section.map_or(Vec::new(), |section| entries(&section.lines));
    if !listed.is_empty() {
        return listed;
    }
    checklist(lines).map(text::plain).filter(|item| !item.is_empty()).collect()
}
