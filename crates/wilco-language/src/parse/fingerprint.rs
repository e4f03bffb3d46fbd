//! A hash of a parsed JSON value: equal for equal values, whatever the order of keys and the white space.

use serde_json::Value;

pub fn fingerprint(value: &Value) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    feed(&mut hasher, value);
    *hasher.finalize().as_bytes()
}

/// Every kind of value starts with a mark of its own and states its length, so that no two differ alike.
fn feed(hasher: &mut blake3::Hasher, value: &Value) {
    match value {
        Value::Null => {
            hasher.update(b"n");
        }
        Value::Bool(flag) => {
            hasher.update(if *flag { b"t" } else { b"f" });
        }
        Value::Number(number) => text(hasher, b"#", &number.to_string()),
        Value::String(string) => text(hasher, b"s", string),
        Value::Array(items) => {
            hasher.update(b"[").update(&(items.len() as u64).to_be_bytes());
            items.iter().for_each(|item| feed(hasher, item));
        }
        Value::Object(map) => {
            hasher.update(b"{").update(&(map.len() as u64).to_be_bytes());
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            for (key, item) in entries {
                text(hasher, b"k", key);
                feed(hasher, item);
            }
        }
    }
}

fn text(hasher: &mut blake3::Hasher, mark: &[u8], text: &str) {
    hasher.update(mark).update(&(text.len() as u64).to_be_bytes()).update(text.as_bytes());
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
