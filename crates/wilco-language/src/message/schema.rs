//! JSON Schemas of fields and of contents.

use serde_json::{Map, Value, json};

use super::{Field, FieldKind, MessageType};

/// How much a schema leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// These fields and words, and no others: what a model should keep to.
    Exact,
    /// Whatever the server takes: other fields are kept, and some values are never looked at.
    Open,
}

/// The schema of an object with these fields.
pub fn fields_schema(fields: &[Field], strictness: Strictness) -> Map<String, Value> {
    let property = |field: &Field| {
        let mut schema = match field.checked || strictness == Strictness::Exact {
            true => kind_schema(&field.kind, strictness),
            false => json!({}),
        };
        schema["description"] = json!(field.about);
        (field.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    if strictness == Strictness::Exact {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}

fn kind_schema(kind: &FieldKind, strictness: Strictness) -> Value {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    match kind {
        FieldKind::Text | FieldKind::LongText => json!({"type": "string"}),
        FieldKind::OneOf(words) => json!({"type": "string", "enum": words}),
        FieldKind::Suggested(words) => match strictness {
            Strictness::Exact => json!({"type": "string", "enum": words}),
            Strictness::Open => json!({"type": "string", "examples": words}),
        },
        FieldKind::Number(least, u64::MAX) => json!({"type": "integer", "minimum": least}),
        FieldKind::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        FieldKind::Minutes => json!({"type": "number", "exclusiveMinimum": 0}),
        FieldKind::Flag => json!({"type": "boolean"}),
        FieldKind::Duration => json!({"type": ["string", "number"], "examples": ["90s", "5m", "1h30m"]}),
        FieldKind::Texts => texts(),
        FieldKind::Numbers => json!({"type": "array", "items": {"type": "integer", "minimum": 1}}),
        FieldKind::Names => json!({"anyOf": [{"type": "string"}, texts()]}),
        FieldKind::Keys => json!({"type": "object"}),
        FieldKind::Object(fields) => Value::Object(fields_schema(fields, strictness)),
        FieldKind::Objects(fields) => json!({"type": "array", "items": fields_schema(fields, strictness)}),
        FieldKind::Either(kinds) => {
            json!({"anyOf": kinds.iter().map(|kind| kind_schema(kind, strictness)).collect::<Vec<_>>()})
        }
        FieldKind::Content(types) => {
            let each = |known: &MessageType| content_schema(*known, strictness);
            json!({"anyOf": types.iter().map(each).collect::<Vec<_>>()})
        }
    }
}

/// The schema of a content of this type.
pub fn content_schema(of: MessageType, strictness: Strictness) -> Value {
    let entry = of.entry();
    // What only Wilco sends is talk from others, of which the words alone are looked at.
    let loose: Vec<Field> = entry
        .fields
        .iter()
        .map(|field| if of.is_only_wilcos() && field.name != "message" { field.unchecked() } else { *field })
        .collect();
    let mut schema = fields_schema(&loose, strictness);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.shift_insert(0, "type".to_owned(), json!({"type": "string", "const": entry.name}));
    }
    let needed = entry.fields.iter().filter(|field| field.required).map(|field| field.name);
    schema.insert("required".to_owned(), json!(std::iter::once("type").chain(needed).collect::<Vec<_>>()));
    schema.insert("description".to_owned(), json!(entry.about));
    Value::Object(schema)
}

/// The schema of any content that may be sent: one of the known types, or words under another. `reference` says
/// where the schema of a type stands.
pub fn contents_schema(reference: impl Fn(&str) -> Value) -> Value {
    let mut each: Vec<_> = MessageType::ALL.iter().map(|known| reference(known.name())).collect();
    let names: Vec<_> = MessageType::ALL.iter().map(|known| known.name()).collect();
    each.push(json!({
        "type": "object",
        "description": "A conversation: any other type, and what it says",
        "properties": {
            "type": {"type": "string", "not": {"enum": names}},
            "message": {"type": "string", "description": "What the message says"},
        },
        "required": ["type", "message"],
        "examples": [{"type": "text", "message": "The form is done, the tests follow."}],
    }));
    json!({
        "description": "The content of a message: its type says which fields it has. Other fields are kept.",
        "oneOf": each,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{optional, required};
    use super::*;

    #[test]
    fn mcp_1_a_schema_is_strict_and_says_what_each_argument_is() {
        const FIELDS: &[Field] = &[
            required("task_id", FieldKind::Text, "Which task"),
            optional("status", FieldKind::OneOf(&["received", "queued"]), "How it stands"),
        ];
        assert_eq!(
            Value::Object(fields_schema(FIELDS, Strictness::Exact)),
            json!({
                "type": "object",
                "properties": {
                    "task_id": {"type": "string", "description": "Which task"},
                    "status": {"type": "string", "enum": ["received", "queued"], "description": "How it stands"},
                },
                "required": ["task_id"],
                "additionalProperties": false,
            })
        );
    }
}
