//! Whether everything that was recorded once is there still. What a later version adds is no loss.

use serde_json::Value;

/// The first place where the recorded value is not what is there now.
pub fn lost(recorded: &Value, now: &Value) -> Option<String> {
    at("", recorded, now)
}

fn at(place: &str, recorded: &Value, now: &Value) -> Option<String> {
    match (recorded, now) {
        (Value::Object(recorded), Value::Object(now)) => recorded.iter().find_map(|(key, value)| {
            let place = format!("{place}/{key}");
            match now.get(key) {
                // The words that show why something is ticked may become better ones; that there are some stays.
                Some(now) if key == "evidence" && value.is_string() && now.is_string() => None,
                Some(now) => at(&place, value, now),
                // A field that is left out when it has nothing to say.
                None if value.is_null() => None,
                None => Some(format!("{place} is gone; it was {value}")),
            }
        }),
        (Value::Array(recorded), Value::Array(now)) if recorded.len() == now.len() => {
            let mut pairs = recorded.iter().zip(now).enumerate();
            pairs.find_map(|(index, (recorded, now))| at(&format!("{place}/{index}"), recorded, now))
        }
        _ if recorded == now => None,
        _ => Some(format!("{place} was {recorded}, and is {now}")),
    }
}
