//! A body in one go: the fields of the envelope parsed, the content as the text that it is.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

const CONTENT: &str = "content";

pub(super) struct Split<'a> {
    /// All fields but the content.
    pub(super) envelope: Map<String, Value>,
    pub(super) content: Option<&'a RawValue>,
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
        let mut split = Split { envelope: Map::new(), content: None };
        while let Some(key) = fields.next_key::<String>()? {
            if key != CONTENT {
                split.envelope.insert(key, fields.next_value()?);
            } else if split.content.replace(fields.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(CONTENT));
            }
        }
        Ok(split)
    }
}
