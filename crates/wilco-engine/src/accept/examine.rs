//! What only the configuration and the directory show to be wrong: presets, judges, candidates.

use serde_json::{Map, Value};
use wilco_language::message::MessageType;
use wilco_language::parse::FieldError;
use wilco_language::render::unresolved;

use crate::command::Refused;
use crate::workspace::Workspace;

impl Workspace<'_> {
    /// Looks at a content that cannot be taken anyway, so that everything wrong with it is told at once.
    pub(crate) fn examine(&self, content: &Map<String, Value>) -> Result<(), Refused> {
        let policy = field(content, "policy").and_then(Value::as_object).cloned().unwrap_or_default();
        let errors = match MessageType::of(content) {
            Some(MessageType::TaskAssignment) => {
                let policy = self.settings.delegation_policy(None, &policy);
                let listed = field(content, "candidates").and_then(Value::as_array);
                let names = listed.into_iter().flatten().enumerate();
                let names = names.filter_map(|(index, name)| Some((index, name.as_str()?)));
                policy.err().unwrap_or_default().into_iter().chain(self.unknown_candidates(names)).collect()
            }
            Some(MessageType::PreOperation) => {
                self.settings.chosen_preset(content, &policy).err().into_iter().collect()
            }
            Some(MessageType::ValidationStart) => {
                self.settings.validation_policy(&policy).err().unwrap_or_default()
            }
            _ => Vec::new(),
        };
        if errors.is_empty() { Ok(()) } else { Err(Refused::Invalid { errors }) }
    }

    /// Candidates that nobody knows: a task could not go to them.
    pub(crate) fn unknown_candidates<'a>(
        &self,
        names: impl Iterator<Item = (usize, &'a str)>,
    ) -> Vec<FieldError> {
        let unknown = names.filter_map(|(index, name)| {
            let why = self.directory().resolve(name).err()?;
            Some(FieldError {
                pointer: format!("/content/candidates/{index}"),
                detail: unresolved(name, &why),
            })
        });
        unknown.collect()
    }
}

/// A field of the content, or of the source's nested form.
fn field<'a>(content: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let nested = || content.get("content").and_then(Value::as_object)?.get(key);
    content.get(key).filter(|value| !value.is_null()).or_else(nested)
}
