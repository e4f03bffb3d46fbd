//! What only the configuration and the directory show to be wrong: presets, judges, candidates.

use serde_json::{Map, Value};
use wilco_language::message::MessageType;
use wilco_language::parse::FieldError;
use wilco_language::render::unresolved;
use wilco_protocol::directory::Directory;

use crate::settings::Settings;

/// What more is wrong with a content that cannot be taken anyway, so that everything is told at once.
pub fn examine(settings: &Settings, directory: &Directory, content: &Map<String, Value>) -> Vec<FieldError> {
    let none = Map::new();
    let policy = field(content, "policy").and_then(Value::as_object).unwrap_or(&none);
    match MessageType::of(content) {
        Some(MessageType::TaskAssignment) => {
            let policy = settings.delegation_policy(None, policy);
            let listed = field(content, "candidates").and_then(Value::as_array);
            let names = listed.into_iter().flatten().enumerate();
            let names = names.filter_map(|(index, name)| Some((index, name.as_str()?)));
            with_known(policy, directory, names).err().unwrap_or_default()
        }
        Some(MessageType::PreOperation) => {
            settings.chosen_preset(content, policy).err().into_iter().collect()
        }
        Some(MessageType::ValidationStart) => settings.validation_policy(policy).err().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The policy, unless it is wrong or a candidate is somebody that nobody knows: a task could not go there.
pub(crate) fn with_known<'a, P>(
    policy: Result<P, Vec<FieldError>>,
    directory: &Directory,
    candidates: impl Iterator<Item = (usize, &'a str)>,
) -> Result<P, Vec<FieldError>> {
    let unknown = candidates.filter_map(|(index, name)| {
        let why = directory.resolve(name).err()?;
        Some(FieldError { pointer: format!("/content/candidates/{index}"), detail: unresolved(name, &why) })
    });
    let unknown: Vec<_> = unknown.collect();
    match policy {
        Ok(policy) if unknown.is_empty() => Ok(policy),
        wrong => Err(wrong.err().unwrap_or_default().into_iter().chain(unknown).collect()),
    }
}

/// A field of the content, or of the source's nested form.
fn field<'a>(content: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let nested = || content.get("content").and_then(Value::as_object)?.get(key);
    content.get(key).filter(|value| !value.is_null()).or_else(nested)
}
