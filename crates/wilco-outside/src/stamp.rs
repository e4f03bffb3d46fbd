//! Times as they stand in names and in files of others: in UTC, to the second.

use wilco_protocol::Time;

/// `2026-01-31T14:30:00Z`.
pub(crate) fn seconds(time: Time) -> String {
    let text = time.to_string();
    format!("{}Z", text.get(..19).unwrap_or(&text))
}

/// `20260131T143000Z`.
pub(crate) fn compact(time: Time) -> String {
    seconds(time).replace(['-', ':'], "")
}

/// `20260131-143000`.
pub(crate) fn rotated(time: Time) -> String {
    compact(time).replace('T', "-").replace('Z', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_names_are_utc_to_the_second() {
        let time: Time = "2026-01-31T14:30:00.999Z".parse().unwrap();
        assert_eq!(seconds(time), "2026-01-31T14:30:00Z");
        assert_eq!(compact(time), "20260131T143000Z");
        assert_eq!(rotated(time), "20260131-143000");
    }
}
