//! Values as YAML: in lines of their own, or within brackets.

use granit_parser::ScalarStyle;

/// Something to write. Texts are quoted, so that none of them is taken for a time, a number or a null.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Whole(i64),
    /// A number that was written by somebody else, as it was written.
    Number(String),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(&'static str, Value)>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    pub(crate) fn texts<T: AsRef<str>>(texts: &[T]) -> Value {
        Value::List(texts.iter().map(|text| Value::text(text.as_ref())).collect())
    }

    /// A text, or null when there is none.
    pub(crate) fn maybe(text: Option<impl Into<String>>) -> Value {
        text.map_or(Value::Null, Value::text)
    }

    /// On one line.
    pub(crate) fn flow(&self) -> String {
        match self {
            Value::Null => "null".to_owned(),
            Value::Flag(flag) => flag.to_string(),
            Value::Whole(number) => number.to_string(),
            Value::Number(number) => number.clone(),
            Value::Text(text) => quoted(text),
            Value::List(items) => {
                let items: Vec<_> = items.iter().map(Value::flow).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Map(entries) => {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| format!("{key}: {}", value.flow())).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }
}

/// A list as the whole of a text.
pub(crate) fn items(items: &[Value]) -> String {
    block_items(items, 0, "\n") + "\n"
}

/// The lines of a mapping, without an indent before the first.
pub(crate) fn block(entries: &[(&'static str, Value)], indent: usize, step: usize, newline: &str) -> String {
    let lines: Vec<_> = entries.iter().map(|(key, value)| entry(key, value, indent, step, newline)).collect();
    lines.join(&format!("{newline}{}", " ".repeat(indent)))
}

/// `key: value`, a mapping beneath its key. Lists of ours are short and stay on the line.
pub(crate) fn entry(key: &str, value: &Value, indent: usize, step: usize, newline: &str) -> String {
    let beneath = format!("{newline}{}", " ".repeat(indent + step));
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            format!("{key}:{beneath}{}", block(entries, indent + step, step, newline))
        }
        Value::List(items) if matches!(items.first(), Some(Value::Map(_))) => {
            format!("{key}:{beneath}{}", block_items(items, indent + step, newline))
        }
        value => format!("{key}: {}", value.flow()),
    }
}

/// The items of a list, each after its dash, without an indent before the first.
pub(crate) fn block_items(items: &[Value], indent: usize, newline: &str) -> String {
    let lines: Vec<_> = items
        .iter()
        .map(|item| match item {
            Value::Map(entries) if !entries.is_empty() => {
                format!("- {}", block(entries, indent + 2, 2, newline))
            }
            item => format!("- {}", item.flow()),
        })
        .collect();
    lines.join(&format!("{newline}{}", " ".repeat(indent)))
}

/// A scalar in place of another, in the other's style where that can be.
pub(crate) fn like(style: ScalarStyle, value: &Value) -> String {
    match (style, value) {
        (ScalarStyle::Plain, Value::Text(text)) if is_plain(text) => text.clone(),
        (ScalarStyle::SingleQuoted, Value::Text(text))
            if text.chars().all(|c| c != '\'' && !c.is_control()) =>
        {
            format!("'{text}'")
        }
        (_, value) => value.flow(),
    }
}

/// Whether a text means itself without quotes, to every reader.
pub(crate) fn is_plain(text: &str) -> bool {
    const TAKEN: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let tame = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(tame)
        && !TAKEN.contains(&text.to_ascii_lowercase().as_str())
}

/// In double quotes. JSON's escapes are YAML's too; what YAML takes for a line end is escaped as well.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = serde_json::Value::from(text).to_string();
    for (raw, escaped) in [
        ('\u{7f}', "\\x7f"),
        ('\u{85}', "\\N"),
        ('\u{2028}', "\\L"),
        ('\u{2029}', "\\P"),
        ('\u{feff}', "\\ufeff"),
    ] {
        out = out.replace(raw, escaped);
    }
    out
}
