//! What only the configuration and the directory show to be wrong: presets, judges, candidates.

use serde_json::{Map, Value};
use wilco_language::parse::{FieldError, Kind, kind};
use wilco_language::render::unresolved;

use crate::command::Refused;
use crate::workspace::Workspace;

impl Workspace<'_> {
    /// Looks at a content that cannot be taken anyway, so that everything wrong with it is told at once.
    pub(crate) fn examine(&self, content: &Map<String, Value>) -> Result<(), Refused> {
        let word = content.get("type").and_then(Value::as_str).unwrap_or_default();
        let errors = match kind(word) {
            Kind::Spoken(_, "task-assignment") => {
                let policy = field(content, "policy").and_then(Value::as_object).cloned().unwrap_or_default();
                let policy = self.settings.delegation_policy(None, &policy);
                let listed = field(content, "candidates").and_then(Value::as_array);
                let names = listed.into_iter().flatten().enumerate();
                let names = names.filter_map(|(index, name)| Some((index, name.as_str()?)));
                policy.err().unwrap_or_default().into_iter().chain(self.unknown_candidates(names)).collect()
            }
            Kind::Spoken(_, "pre-operation") => {
                let none = Map::new();
                let policy = field(content, "policy").and_then(Value::as_object).unwrap_or(&none);
                self.settings.chosen_preset(content, policy).err().into_iter().collect()
            }
            Kind::Spoken(..) | Kind::OnlyWilco(_) | Kind::Talk(_) | Kind::Unknown => Vec::new(),
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
