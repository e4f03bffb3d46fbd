//! Times as people want them: how long ago, how soon.

use wilco_protocol::{Span, Time};

/// How long ago a time was, such as `5m ago`.
pub(crate) fn ago(now: Time, time: &str) -> String {
    match time.parse::<Time>() {
        Ok(time) => format!("{} ago", rough(now.since(time))),
        Err(_) => time.to_owned(),
    }
}

/// How soon a time is, such as `in 5m`, or how late it is by now.
pub(crate) fn left(now: Time, due: &str) -> String {
    match due.parse::<Time>() {
        Ok(due) if due > now => format!("in {}", rough(due.since(now))),
        Ok(due) => format!("due {} ago", rough(now.since(due))),
        Err(_) => due.to_owned(),
    }
}

/// How long after another time, such as `+1m5s`.
pub(crate) fn after(start: &str, time: &str) -> String {
    match (start.parse::<Time>(), time.parse::<Time>()) {
        (Ok(start), Ok(time)) => format!("+{}", rough(time.since(start))),
        _ => time.to_owned(),
    }
}

/// A span without what nobody wants to know.
pub(crate) fn rough(span: Span) -> String {
    const DAY: u64 = 24 * 3600;
    match span.as_seconds() {
        seconds if seconds >= 2 * DAY => format!("{}d", seconds / DAY),
        seconds if seconds >= 3600 => Span::minutes(seconds / 60).to_string(),
        seconds => Span::seconds(seconds).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_4_timers_are_countdowns() {
        let now = "2026-01-01T12:00:00.000Z".parse().unwrap();
        assert_eq!(left(now, "2026-01-01T12:04:59.900Z"), "in 4m59s");
        assert_eq!(left(now, "2026-01-01T11:59:58.000Z"), "due 2s ago");
        assert_eq!(ago(now, "2026-01-01T09:30:20.000Z"), "2h29m ago");
        assert_eq!(ago(now, "2025-12-25T12:00:00.000Z"), "7d ago");
        assert_eq!(ago(now, "never"), "never");
        assert_eq!(after("2026-01-01T12:00:00.000Z", "2026-01-01T12:01:05.000Z"), "+1m5s");
    }
}
