//! Whether a text itself asks for the ACK of a task, so that it need not be taught.
//!
//! In doubt it does not: an agent that is told twice loses nothing, one that is not told never answers.

use super::text::{self, Line};

/// Whether somebody is asked here to answer `[ACK] ID - RECEIVED` for this task and revision: as a form on a line of
/// its own, or in a sentence that asks for it. What is quoted, denied or only told of is not asked.
pub fn asks_for_ack(body: &str, task_id: &str, revision: u32) -> bool {
    let lines = text::lines(body);
    let mut before: Option<&Line<'_>> = None;
    lines.iter().filter(|line| !line.quoted && !line.blank()).any(|line| {
        let lead = before.replace(line);
        let tags = line.text.match_indices('[').filter(|(at, _)| is_tag(&line.text[*at..]));
        let forms = tags.filter(|(at, _)| names(&line.text[at + TAG.len()..], task_id, revision));
        let asks = |at: usize| {
            let (own, form) = line.text.split_at(at);
            if denies(form.split([';', '.']).next().unwrap_or(form)) {
                return false;
            }
            match own.contains(char::is_alphanumeric) {
                true => requests(sentence(own)) && !denies(sentence(own)),
                // A form of its own: whatever leads to it may still forbid it.
                false => !lead.is_some_and(|lead| lead.fence.is_none() && denies(sentence(lead.text))),
            }
        };
        forms.map(|(at, _)| at).any(asks)
    })
}

const TAG: &str = "[ACK]";

fn is_tag(text: &str) -> bool {
    text.get(..TAG.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(TAG))
}

/// ` GH-42 r2 - {RECEIVED|QUEUED}`: this task, this revision, and the status that takes it.
fn names(form: &str, task_id: &str, revision: u32) -> bool {
    let form = form.trim_start().to_lowercase();
    let Some(rest) = form.strip_prefix(&task_id.to_lowercase()) else { return false };
    // `GH-42-b` is another task.
    if !rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | '–' | '—')) {
        return false;
    }
    let named = rest.trim_start().strip_prefix(&format!("r{revision}"));
    let rest = match named {
        Some(rest) => rest,
        None if revision == 1 => rest,
        None => return false,
    };
    let Some(status) = rest.trim_start().strip_prefix(['-', '–', '—', ':']) else { return false };
    status.contains("received")
}

/// What stands behind the last full stop.
fn sentence(text: &str) -> &str {
    text.trim_end().rsplit(". ").next().unwrap_or(text)
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(str::to_owned).collect()
}

fn requests(lead: &str) -> bool {
    const REQUESTS: [&str; 14] = [
        "acknowledge",
        "answer",
        "confirm",
        "format",
        "post",
        "reply",
        "respond",
        "response",
        "return",
        "say",
        "send",
        "start",
        "use",
        "write",
    ];
    words(lead).iter().any(|word| REQUESTS.contains(&word.as_str()))
}

fn denies(lead: &str) -> bool {
    const DENIALS: [&str; 12] = [
        "not", "no", "never", "don't", "dont", "doesn't", "needn't", "mustn't", "without", "avoid", "stop",
        "instead",
    ];
    words(lead).iter().any(|word| DENIALS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn del_4_a_text_that_asks_for_this_ack_is_known() {
        for text in [
            "[ACK] GH-42 - RECEIVED",
            "Do it.\n\n  - **[ACK] gh-42 - {RECEIVED|QUEUED}**",
            "Reply with:\n```\n[ACK] GH-42 - RECEIVED\nUnderstanding: …\n```",
            "Add a page. Please reply with `[ACK] GH-42 - RECEIVED` before you begin.",
            "Do not begin yet. Answer: [ACK] GH-42: received",
            "[ACK] GH-42 r1 - RECEIVED",
        ] {
            assert!(asks_for_ack(text, "GH-42", 1), "{text}");
        }
        assert!(asks_for_ack("[ACK] GH-42 r2 - RECEIVED", "GH-42", 2));
    }

    #[test]
    fn del_4_what_is_quoted_denied_told_or_of_another_task_asks_nothing() {
        for text in [
            "Bob wrote [ACK] OLD-1 - RECEIVED and vanished. Take over.",
            "Bob wrote [ACK] GH-42 - RECEIVED and vanished. Take over.",
            "> [ACK] OLD-1 - RECEIVED",
            "> [ACK] GH-42 - RECEIVED",
            "```\n[ACK] OLD-1 - RECEIVED\n```",
            "Do not reply with [ACK] GH-42 - RECEIVED; just start",
            "Never send this:\n[ACK] GH-42 - RECEIVED",
            "[ACK] GH-42 - RECEIVED is not needed.",
            "[ACK] GH-421 - RECEIVED",
            "[ACK] GH-42-b - RECEIVED",
            "[ACK] GH-42 - QUEUED",
            "[ACK] GH-42",
            "Reply with [ACK] {task_id} - RECEIVED",
        ] {
            assert!(!asks_for_ack(text, "GH-42", 1), "{text}");
        }
        assert!(!asks_for_ack("[ACK] GH-42 - RECEIVED", "GH-42", 2), "every revision but the first is named");
    }
}
