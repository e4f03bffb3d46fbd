//! Tags that models make up in the place of the taught ones: `[REJECT] GH-1` for `[ACK] GH-1 - REJECTED`.
//!
//! Read, and never taught. Only at the start of a line in the writer's own voice; everything behind the id stays.

use std::borrow::Cow;

use super::text;

/// What is written, the taught tag, and the word that belongs to it.
const MADE_UP: [(&str, &str, Option<&str>); 14] = [
    ("CLARIFICATION", "ACK", Some("CLARIFICATION_NEEDED")),
    ("CLARIFICATION_NEEDED", "ACK", Some("CLARIFICATION_NEEDED")),
    ("NEEDS_CLARIFICATION", "ACK", Some("CLARIFICATION_NEEDED")),
    ("CLARIFY", "ACK", Some("CLARIFICATION_NEEDED")),
    ("QUESTION", "ACK", Some("CLARIFICATION_NEEDED")),
    ("REJECT", "ACK", Some("REJECTED")),
    ("REJECTED", "ACK", Some("REJECTED")),
    ("DECLINED", "ACK", Some("REJECTED")),
    ("QUEUED", "ACK", Some("QUEUED")),
    ("RECEIVED", "ACK", Some("RECEIVED")),
    ("READY_TO_PROCEED", "ACK", Some("READY_TO_PROCEED")),
    ("ENVIRONMENT", "ACK", Some("ENVIRONMENT_ISSUE")),
    ("ENVIRONMENT_ISSUE", "ACK", Some("ENVIRONMENT_ISSUE")),
    ("REVIEW", "VERDICT", None),
];

/// The text with the taught tags.
pub(super) fn as_taught(body: &str) -> Cow<'_, str> {
    if !text::has(body, [b'[']) {
        return Cow::Borrowed(body);
    }
    let lines = text::lines(body);
    let written: Vec<_> = lines.iter().map(|line| line.own().then(|| taught(line.text)).flatten()).collect();
    if written.iter().all(Option::is_none) {
        return Cow::Borrowed(body);
    }
    let whole =
        lines.iter().zip(written).map(|(line, taught)| taught.map_or(Cow::Borrowed(line.text), Cow::Owned));
    Cow::Owned(whole.collect::<Vec<_>>().join("\n"))
}

fn taught(line: &str) -> Option<String> {
    let bare = line.trim().trim_start_matches('*');
    let (tag, rest) = bare.strip_prefix('[')?.split_once(']')?;
    let tag = tag.trim().to_uppercase().replace([' ', '-'], "_");
    let (_, taught, word) = MADE_UP.iter().find(|(made_up, ..)| *made_up == tag)?;
    let rest = rest.trim_start_matches(['*', ':', ' ']);
    let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    let (id, behind) = rest.split_at(end);
    let id = id.trim_end_matches(['*', ':', ',', '.']);
    let behind = behind.trim_matches(|c: char| !c.is_alphanumeric());
    // Whoever takes something on by such a tag says no more on its line, and a verdict is one word.
    let accepts = matches!(word, Some("RECEIVED" | "READY_TO_PROCEED"));
    match word {
        Some(_) if accepts && !behind.is_empty() => None,
        Some(word) if behind.is_empty() => Some(format!("[{taught}] {id} - {word}")),
        Some(word) => Some(format!("[{taught}] {id} - {word}. {behind}")),
        None if behind.contains(char::is_whitespace) => None,
        None => Some(format!("[{taught}] {id} - {behind}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_10_tags_that_are_made_up_are_read_as_the_taught_ones() {
        let table = [
            ("[REJECT] GH-1\nReason: no access", "[ACK] GH-1 - REJECTED\nReason: no access"),
            ("[Clarification needed] GH-1", "[ACK] GH-1 - CLARIFICATION_NEEDED"),
            ("**[REVIEW] GH-1 - CORRECT**", "[VERDICT] GH-1 - CORRECT"),
            ("[REVIEW] GH-1 correct this first", "[REVIEW] GH-1 correct this first"),
            ("[READY_TO_PROCEED] HO-7 once I have it", "[READY_TO_PROCEED] HO-7 once I have it"),
            ("> [REJECT] GH-1", "> [REJECT] GH-1"),
            ("[RETRY] GH-1", "[RETRY] GH-1"),
        ];
        for (written, read) in table {
            assert_eq!(as_taught(written), read);
        }
    }
}
