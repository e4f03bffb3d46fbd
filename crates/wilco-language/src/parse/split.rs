//! A body in one go: the fields of the envelope parsed, the content as the text that it is.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

const CONTENT: &str = "content";

/// The fields that an envelope has besides its content; others mean nothing.
const FIELDS: [&str; 9] =
    ["from", "to", "subject", "priority", "id", "in_reply_to", "inReplyTo", "exchange", "broadcast_id"];

#[derive(Default)]
pub(super) struct Split<'a> {
    /// In the order of their names above: there are few, and looking for one is quicker than hashing it.
    fields: [Option<Value>; FIELDS.len()],
    pub(super) content: Option<&'a RawValue>,
}

impl Split<'_> {
    /// Whether a field was given and not taken yet; null counts as missing.
    pub(super) fn has(&self, name: &str) -> bool {
        let place = FIELDS.iter().position(|known| *known == name);
        place.and_then(|place| self.fields[place].as_ref()).is_some_and(|value| !value.is_null())
    }

    /// A field as it was given, once; null counts as missing.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let place = FIELDS.iter().position(|known| *known == name)?;
        self.fields[place].take().filter(|value| !value.is_null())
    }
}

impl<'de> Deserialize<'de> for Split<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Split<'de>, D::Error> {
        input.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Split<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Split<'de>, A::Error> {
        let mut split = Split::default();
        while let Some(key) = fields.next_key()? {
            match key {
                // Of two of a name the later counts.
                Key::Field(place) => split.fields[place] = Some(fields.next_value()?),
                Key::Content if split.content.replace(fields.next_value()?).is_some() => {
                    return Err(A::Error::duplicate_field(CONTENT));
                }
                Key::Content => {}
                // It is JSON all the same.
                Key::Other => drop(fields.next_value::<Value>()?),
            }
        }
        Ok(split)
    }
}

/// The name of a field, without a copy of it.
enum Key {
    Field(usize),
    Content,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Key, D::Error> {
        input.deserialize_identifier(Keys)
    }
}

struct Keys;

impl Visitor<'_> for Keys {
    type Value = Key;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        let field = FIELDS.iter().position(|known| *known == name).map(Key::Field);
        Ok(field.unwrap_or(if name == CONTENT { Key::Content } else { Key::Other }))
    }
}
