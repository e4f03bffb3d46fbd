//! JSON Schemas of arguments: strict, so that a model sees beforehand what would be refused.

use serde_json::{Map, Value, json};

use super::{Field, Kind, Variant};

/// The schema of an object with these fields and no others.
pub(crate) fn schema(fields: &[Field]) -> Map<String, Value> {
    let property = |field: &Field| {
        let mut schema = of(&field.kind);
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
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn of(kind: &Kind) -> Value {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Span => json!({"type": ["string", "number"], "examples": ["90s", "5m", "1h30m"]}),
        Kind::Texts => texts(),
        Kind::Numbers => json!({"type": "array", "items": {"type": "integer", "minimum": 1}}),
        Kind::Names => json!({"anyOf": [{"type": "string"}, texts()]}),
        Kind::Keys => json!({"type": "object"}),
        Kind::Object(fields) => Value::Object(schema(fields)),
        Kind::Objects(fields) => json!({"type": "array", "items": schema(fields)}),
        Kind::Either(kinds) => json!({"anyOf": kinds.iter().map(of).collect::<Vec<_>>()}),
        Kind::Content(variants) => json!({"anyOf": variants.iter().map(variant).collect::<Vec<_>>()}),
    }
}

fn variant(variant: &Variant) -> Value {
    let mut schema = schema(variant.fields);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.shift_insert(0, "type".to_owned(), json!({"type": "string", "const": variant.name}));
    }
    let mut required = vec!["type"];
    required.extend(variant.fields.iter().filter(|field| field.required).map(|field| field.name));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("description".to_owned(), json!(variant.about));
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::super::{optional, required};
    use super::*;

    #[test]
    fn mcp_1_a_schema_is_strict_and_says_what_each_argument_is() {
        const FIELDS: &[Field] = &[
            required("task_id", Kind::Text, "Which task"),
            optional("status", Kind::Word(&["received", "queued"]), "How it stands"),
        ];
        assert_eq!(
            Value::Object(schema(FIELDS)),
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
