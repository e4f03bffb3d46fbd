//! Arguments that were checked, on their way into requests.

use serde_json::{Map, Value};

use super::MessageType;

/// What was given. Nothing in it is null.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given(Map<String, Value>);

impl Given {
    pub(crate) fn new(map: Map<String, Value>) -> Given {
        Given(map.into_iter().filter(|(_, value)| !value.is_null()).collect())
    }

    /// Takes one out, so that the rest can be passed on whole.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.take(name).and_then(|value| value.as_bool()).unwrap_or(false)
    }

    /// The rest, as the content of a message of this type.
    pub(crate) fn into_content(self, of: MessageType) -> Map<String, Value> {
        let mut content = Map::new();
        content.insert("type".to_owned(), of.name().into());
        content.extend(self.0);
        content
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}
