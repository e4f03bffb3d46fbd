//! A hash of a parsed JSON value: equal for equal values, whatever the order of keys and the white space.

use serde_json::{Map, Value};

pub fn fingerprint(value: &Value) -> [u8; 32] {
    let mut written = Vec::with_capacity(512);
    write(&mut written, value);
    *blake3::hash(&written).as_bytes()
}

/// That of an envelope with its content, which are parsed apart.
pub(super) fn of_message(mut envelope: Map<String, Value>, content: &Map<String, Value>) -> [u8; 32] {
    envelope.insert("content".to_owned(), Value::Object(content.clone()));
    fingerprint(&Value::Object(envelope))
}

/// Every kind of value starts with a mark of its own and states its length, so that no two differ alike.
fn write(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(b'n'),
        Value::Bool(flag) => out.push(if *flag { b't' } else { b'f' }),
        Value::Number(number) => text(out, b'#', &number.to_string()),
        Value::String(string) => text(out, b's', string),
        Value::Array(items) => {
            begin(out, b'[', items.len());
            items.iter().for_each(|item| write(out, item));
        }
        Value::Object(map) => {
            begin(out, b'{', map.len());
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            for (key, item) in entries {
                text(out, b'k', key);
                write(out, item);
            }
        }
    }
}

fn text(out: &mut Vec<u8>, mark: u8, text: &str) {
    begin(out, mark, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn begin(out: &mut Vec<u8>, mark: u8, length: usize) {
    out.push(mark);
    out.extend_from_slice(&(length as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn msg_12_the_parsed_body_counts_not_its_bytes() {
        let parse = |text: &str| fingerprint(&serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(parse(r#"{"a":1,"b":[2]}"#), parse("{ \"b\" : [2],\n \"a\" : 1 }"));
        assert_ne!(fingerprint(&json!(["ab", "c"])), fingerprint(&json!(["a", "bc"])));
        assert_ne!(fingerprint(&json!("1")), fingerprint(&json!(1)));
    }
}
