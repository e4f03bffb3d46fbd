//! JSON by its fields: where they stand and what kind they are, whatever they hold.

use std::collections::BTreeMap;

use serde_json::Value;

/// One line per field, or per object of a stream of them.
pub(crate) fn fields(text: &str) -> String {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let mut fields = BTreeMap::new();
    for value in values.unwrap_or_else(|error| panic!("no JSON ({error}): {text}")) {
        walk("", &value, &mut fields);
    }
    fields.into_iter().map(|(path, kind)| format!("{path}: {kind}\n")).collect()
}

fn walk(path: &str, value: &Value, fields: &mut BTreeMap<String, String>) {
    let kind = match value {
        Value::Object(map) if !map.is_empty() => {
            let join = |key: &String| if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            return map.iter().for_each(|(key, value)| walk(&join(key), value, fields));
        }
        Value::Array(items) if !items.is_empty() => {
            return items.iter().for_each(|item| walk(&format!("{path}[]"), item, fields));
        }
        Value::Object(_) => "{}",
        Value::Array(_) => "[]",
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(_) => "number",
        Value::String(_) => "text",
    };
    let known = fields.entry(path.to_owned()).or_default();
    if !known.split(" or ").any(|known| known == kind) {
        let or = if known.is_empty() { "" } else { " or " };
        *known = format!("{known}{or}{kind}");
    }
}
