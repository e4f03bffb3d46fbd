//! Times as people read them: how long ago, how soon, and the exact one at hand.

use maud::{Markup, html};
use wilco_protocol::Time;

/// When something was.
pub(super) fn ago(at: Time, now: Time) -> Markup {
    html! { time datetime=(at) data-at=(at.millis()) title=(at) { (rough(now.since(at).as_millis())) " ago" } }
}

/// When something happened, from what stands on the wire.
pub(super) fn ago_text(at: &str, now: Time) -> Markup {
    at.parse().map_or_else(|_| html! { (at) }, |at| ago(at, now))
}

/// When something is due. The browser counts on.
pub(super) fn countdown(due: Time, now: Time) -> Markup {
    let late = due <= now;
    let words = match late {
        true => format!("{} overdue", rough(now.since(due).as_millis())),
        false => format!("in {}", rough(due.since(now).as_millis())),
    };
    html! { time.due-now[late] datetime=(due) data-due=(due.millis()) title=(due) { (words) } }
}

/// A length of time where moments matter: tenths of a second below ten seconds.
pub(super) fn fine(millis: u64) -> String {
    if millis < 10_000 { format!("{}.{}s", millis / 1000, millis % 1000 / 100) } else { rough(millis) }
}

/// A length of time in at most two units.
pub(super) fn rough(millis: u64) -> String {
    let mut left = millis / 1000;
    let mut words = Vec::new();
    for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        let count = left / length;
        if count > 0 && words.len() < 2 {
            words.push(format!("{count}{unit}"));
        }
        left -= count * length;
    }
    if words.is_empty() { "0s".to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_8_times_are_relative_and_have_the_exact_one_at_hand() {
        let now = Time::from_millis(1_800_000_000_000);
        assert_eq!(rough(0), "0s");
        assert_eq!((fine(1_250), fine(61_000)), ("1.2s".to_owned(), "1m 1s".to_owned()));
        assert_eq!(rough(3_725_000), "1h 2m");
        let due = countdown(Time::from_millis(1_800_000_090_000), now).into_string();
        assert!(due.contains(">in 1m 30s<") && due.contains("data-due=\"1800000090000\""), "{due}");
        assert!(due.contains("title=\"2027-01-15T08:01:30.000Z\""), "{due}");
        assert!(countdown(Time::from_millis(1_799_999_999_000), now).into_string().contains("1s overdue"));
    }
}
