//! The catalogue in words: the reference page, and what `wilco help` says of types.

use serde_json::{Map, Value};
use wilco_protocol::Protocol;

use super::{Field, FieldKind, MessageType, Senders, TypeEntry, listed};

/// The groups in which types are told.
fn groups() -> Vec<(&'static str, Vec<MessageType>)> {
    let of = |protocol: Option<Protocol>, talk: bool| {
        let all = MessageType::ALL.iter().copied();
        all.filter(|one| one.entry().protocol == protocol && one.is_talk() == talk).collect()
    };
    vec![
        ("Delegation", of(Some(Protocol::Delegation), false)),
        ("Operation", of(Some(Protocol::Operation), false)),
        ("Handoff", of(Some(Protocol::Handoff), false)),
        ("Validation", of(Some(Protocol::Validation), false)),
        ("Every protocol", of(None, false)),
        ("Talk", of(None, true)),
    ]
}

fn senders(senders: Senders) -> String {
    match senders {
        Senders::Roles(roles) => listed(&roles.iter().map(|role| role.word()).collect::<Vec<_>>()),
        Senders::OnlyWilco => "only Wilco".to_owned(),
        Senders::Anybody => "anybody".to_owned(),
    }
}

impl TypeEntry {
    /// How a field of it may look, in JSON, where an example has it.
    pub fn example_of(&self, field: &str) -> Option<Value> {
        let contents = self.examples.iter().filter_map(|text| serde_json::from_str(text).ok());
        contents.into_iter().find_map(|content: Map<String, Value>| content.get(field).cloned())
    }
}

/// All types, a line each.
pub fn overview() -> String {
    let line = |known: &MessageType| format!("  {:<26} {}\n", known.name(), known.entry().about);
    let group = |(title, types): (&str, Vec<MessageType>)| {
        format!("{title}:\n{}", types.iter().map(line).collect::<String>())
    };
    let groups: Vec<_> = groups().into_iter().map(group).collect();
    format!("{}\nwilco help type NAME shows the fields of a type, with examples.\n", groups.join("\n"))
}

/// Everything about one type, for a terminal.
pub fn details(known: MessageType) -> String {
    let entry = known.entry();
    let mut out = format!("{}: {}.\n\n", entry.name, entry.about);
    out.push_str(&format!("From:     {}\nLeads to: {}.\n", senders(entry.senders), entry.leads_to));
    if let Some(subject) = usual(entry) {
        out.push_str(&format!("Subject:  {subject}\n"));
    }
    out.push_str("\nFields:\n");
    lines(entry.fields, 1, &mut out);
    out.push_str("\nExamples:\n");
    entry.examples.iter().for_each(|example| out.push_str(&format!("  {example}\n")));
    out
}

fn lines(fields: &[Field], depth: usize, out: &mut String) {
    for field in fields {
        let needed = if field.required { " (required)" } else { "" };
        let (indent, name) = ("  ".repeat(depth), field.name);
        out.push_str(&format!("{indent}{name}{needed}: {}. {}.\n", field.kind.described(), field.about));
        lines(inner(&field.kind), depth + 1, out);
    }
}

/// The fields of the objects in a field.
fn inner(kind: &FieldKind) -> &'static [Field] {
    match kind {
        FieldKind::Object(fields) | FieldKind::Objects(fields) => fields,
        FieldKind::Either(kinds) => kinds.iter().map(inner).find(|fields| !fields.is_empty()).unwrap_or(&[]),
        FieldKind::Text
        | FieldKind::LongText
        | FieldKind::OneOf(_)
        | FieldKind::Suggested(_)
        | FieldKind::Number(..)
        | FieldKind::Minutes
        | FieldKind::Duration
        | FieldKind::Flag
        | FieldKind::Texts
        | FieldKind::Numbers
        | FieldKind::Names
        | FieldKind::Keys
        | FieldKind::Content(_) => &[],
    }
}

fn usual(entry: &TypeEntry) -> Option<String> {
    let priority = entry.priority.map(|priority| format!(", priority {priority}")).unwrap_or_default();
    entry.subject.map(|subject| format!("{subject}{priority}"))
}

const INTRODUCTION: &str = "# Messages

Every act in Wilco is a message, and its `content.type` says what it is. This page lists every known type; it is made \
from the same catalogue that messages are checked against, and `wilco help type NAME` shows the same.

`-` and `_` are the same in a type, and letter case does not matter. A known type with missing or wrong fields is \
refused with every wrong field at once. Fields that are not listed are kept. What only Wilco sends is a conversation \
when others send it, and moves nothing. Any other type is a conversation and needs a `message`.

Fields that must be given are bold.
";

/// The reference page, in Markdown.
pub fn reference() -> String {
    let mut out = INTRODUCTION.to_owned();
    for (title, types) in groups() {
        out.push_str(&format!("\n## {title}\n"));
        types.iter().for_each(|known| section(known.entry(), &mut out));
    }
    out
}

fn section(entry: &TypeEntry, out: &mut String) {
    let TypeEntry { name, about, leads_to, .. } = entry;
    out.push_str(&format!("\n### `{name}`\n\n{about}.\n\n"));
    out.push_str(&format!("- From: {}\n- Leads to: {leads_to}\n", senders(entry.senders)));
    if let Some(subject) = usual(entry) {
        out.push_str(&format!("- Subject, if none is given: `{subject}`\n"));
    }
    out.push_str("\n| field | kind | meaning | example |\n|---|---|---|---|\n");
    for field in entry.fields {
        let example = entry.example_of(field.name).map(|value| format!("`{value}`")).unwrap_or_default();
        rows(field, "", &example, out);
    }
    let example = entry.examples.first().copied().unwrap_or_default();
    out.push_str(&format!("\n```json\n{example}\n```\n"));
}

fn rows(field: &Field, within: &str, example: &str, out: &mut String) {
    let path = format!("{within}{}", field.name);
    let name = if field.required { format!("**{path}**") } else { path.clone() };
    let cells = [name, field.kind.described(), field.about.to_owned(), example.to_owned()];
    out.push_str(&format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    inner(&field.kind).iter().for_each(|field| rows(field, &format!("{path}."), "", out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::typed;

    #[test]
    fn msg_2_every_type_has_one_name_and_is_found_by_it_however_it_is_spelt() {
        for known in MessageType::ALL {
            let same =
                MessageType::ALL.iter().filter(|other| MessageType::named(other.name()) == Some(*known));
            assert_eq!(same.count(), 1, "{known}");
            for spelt in [
                known.name().replace('-', "_").to_uppercase(),
                format!(" {} ", known.name().replace('_', "-")),
            ] {
                assert_eq!(MessageType::named(&spelt), Some(*known), "{spelt}");
            }
        }
    }

    #[test]
    fn msg_3_every_example_is_taken_and_every_field_has_one() {
        for known in MessageType::ALL {
            let entry = known.entry();
            for example in entry.examples {
                let content: Map<String, Value> = serde_json::from_str(example).unwrap();
                assert_eq!(MessageType::of(&content), Some(*known), "{example}");
                assert!(typed(&content).is_ok(), "{example}: {:?}", typed(&content));
                let unknown = content.keys().find(|key| {
                    *key != "type" && !entry.fields.iter().any(|field| field.name == key.as_str())
                });
                assert_eq!(unknown, None, "{example}");
            }
            for field in entry.fields {
                assert!(entry.example_of(field.name).is_some(), "{known} has no example of {}", field.name);
            }
        }
    }

    /// A field that is not there, or of no kind that it may be, is refused by its name.
    #[test]
    fn msg_3_what_the_catalogue_requires_is_required() {
        for known in MessageType::ALL.iter().filter(|known| !known.is_only_wilcos()) {
            let entry = known.entry();
            let whole: Map<String, Value> = serde_json::from_str(entry.examples[0]).unwrap();
            let refused = |content: &Map<String, Value>, name: &str| {
                let errors = typed(content).err().unwrap_or_default();
                errors.iter().any(|error| error.pointer.starts_with(&format!("/content/{name}")))
            };
            for field in entry.fields {
                let mut content = whole.clone();
                content.shift_remove(field.name);
                assert!(!field.required || refused(&content, field.name), "{known} without {}", field.name);
                content.insert(field.name.to_owned(), serde_json::json!([[]]));
                assert_eq!(
                    refused(&content, field.name),
                    field.checked,
                    "{known} with a list as {}",
                    field.name
                );
            }
        }
    }

    /// The page is written by `cargo xtask openapi`.
    #[test]
    fn msg_2_the_reference_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/messages.md");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == reference(), "run: cargo xtask openapi");
    }
}
