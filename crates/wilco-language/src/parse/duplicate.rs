//! The same key twice in one JSON object: which of them counts is anybody's guess, so it is refused.

use std::borrow::Cow;
use std::collections::HashSet;

/// An object with fewer keys is searched from end to end.
const FEW: usize = 16;

/// A key that stands twice in one object of a JSON text, compared as it reads after unescaping. Of a text that is no
/// JSON it finds nothing or anything: that it is none is said by who parses it.
pub fn duplicate_key(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    // A frame for each open bracket: the keys of an object, nothing for a list.
    let mut open: Vec<Option<Keys<'_>>> = Vec::new();
    let (mut at, mut key_next) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at + 1)?;
                if key_next && let Some(Some(keys)) = open.last_mut() {
                    let key = unescaped(&json[at..=end], &json[at + 1..end]);
                    if let Some(twice) = keys.add(key) {
                        return Some(twice);
                    }
                }
                key_next = false;
                at = end;
            }
            b'{' => {
                open.push(Some(Keys::default()));
                key_next = true;
            }
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b',' => key_next = matches!(open.last(), Some(Some(_))),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the string that begins here ends.
fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        match bytes[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

fn unescaped<'a>(quoted: &str, plain: &'a str) -> Cow<'a, str> {
    match plain.contains('\\') {
        true => serde_json::from_str(quoted).map_or(Cow::Borrowed(plain), Cow::Owned),
        false => Cow::Borrowed(plain),
    }
}

/// The keys of one object so far.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    /// The key, if it was there already.
    fn add(&mut self, key: Cow<'a, str>) -> Option<String> {
        if self.few.contains(&key) || self.many.contains(&key) {
            return Some(key.into_owned());
        }
        if self.few.len() < FEW {
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_14_a_key_that_stands_twice_is_found_wherever_it_is() {
        for (json, twice) in [
            (r#"{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]}"#, None),
            (r#"{"a": 1, "a": 2}"#, Some("a")),
            (r#"{"a": 1, "\u0061": 2}"#, Some("a")),
            (r#"{"x": [{"y": {"from": "ann", "to": 1, "fr\u006fm": "bob"}}]}"#, Some("from")),
            (r#"{"a": "\"b\": 1, \"b\": 2", "b": ["b", "b"]}"#, None),
            (r#"{"a\\": 1, "a\\": 2}"#, Some(r"a\")),
            (r#"["a", "a"]"#, None),
            (r#"{"": 1, "": 2}"#, Some("")),
            (r#"{"a": [1, 2], "b": {}, "a": 3}"#, Some("a")),
            (r#"{"a": "never ends"#, None),
        ] {
            assert_eq!(duplicate_key(json).as_deref(), twice, "{json}");
        }
        let many: Vec<_> = (0..1000).map(|n| format!("\"k{n}\": 1")).collect();
        assert_eq!(duplicate_key(&format!("{{{}}}", many.join(","))), None);
        assert_eq!(duplicate_key(&format!("{{{},\"k999\":2}}", many.join(","))).as_deref(), Some("k999"));
    }
}
