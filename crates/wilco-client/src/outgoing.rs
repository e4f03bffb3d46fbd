//! A message on its way to the server.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// What a message says before the server gives it an id and a time. What is missing, the server fills in
/// or refuses.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outgoing {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "one_or_several")]
    pub to: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    pub content: Value,
}

/// A list of several recipients makes a broadcast; one name makes a message.
fn one_or_several<S: Serializer>(names: &[String], out: S) -> Result<S::Ok, S::Error> {
    match names {
        [one] => one.serialize(out),
        several => several.serialize(out),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Outgoing;

    #[test]
    fn msg_1_one_recipient_is_a_name_and_several_are_a_list() {
        let to = |names: &[&str]| {
            let to = names.iter().map(|name| name.to_string()).collect();
            let message = Outgoing { to, content: json!({"message": "hi"}), ..Outgoing::default() };
            serde_json::to_value(message).unwrap()
        };
        assert_eq!(to(&[]), json!({"content": {"message": "hi"}}));
        assert_eq!(to(&["a"]), json!({"to": "a", "content": {"message": "hi"}}));
        assert_eq!(to(&["a", "b"]), json!({"to": ["a", "b"], "content": {"message": "hi"}}));
    }
}
