//! Whether a form on a line of its own is said, or only shown: announced, asked about, denied, or somebody else's.
//!
//! The line that leads to it tells: `You told me to write:`, `impl-101 wrote:`, `Should I answer like this?`.

use super::block::heads;
use super::text::Line;

/// Somebody else said it.
const SAYS: [&str; 16] = [
    "wrote",
    "writes",
    "said",
    "says",
    "posted",
    "told",
    "answered",
    "replied",
    "quoting",
    "quoted",
    "quote",
    "forwarded",
    "pasted",
    "copied",
    "sent",
    "sends",
];
/// It is not said now, or not at all.
const PUTS_OFF: [&str; 26] = [
    "will",
    "would",
    "later",
    "not",
    "never",
    "should",
    "shall",
    "if",
    "when",
    "once",
    "after",
    "until",
    "tomorrow",
    "template",
    "example",
    "question",
    "questions",
    "instead",
    "draft",
    "going",
    "plan",
    "unless",
    "could",
    "might",
    "supposed",
    "end",
];
/// What a lead speaks of when it speaks of the form below it.
const OF_FORM: [&str; 22] = [
    "this",
    "like",
    "form",
    "so",
    "that",
    "send",
    "sending",
    "answer",
    "reply",
    "write",
    "put",
    "following",
    "correct",
    "post",
    "use",
    "respond",
    "submit",
    "say",
    "report",
    "finish",
    "template",
    "example",
];

/// Whether the line before a form only shows it.
pub(super) fn is_announced(lines: &[Line<'_>], at: usize) -> bool {
    const SHORT: usize = 4;
    let Some(lead) = lead(lines, at) else { return false };
    let words = words(&lead.replace("once more", ""));
    let has = |cues: &[&str]| words.iter().any(|word| cues.contains(&word.as_str()));
    let mine =
        words.first().is_some_and(|first| matches!(first.as_str(), "i" | "i'm" | "i've" | "here" | "here's"));
    let denies = words.iter().any(|word| ["n't", "'ll", "'d"].iter().any(|end| word.ends_with(end)));
    // Of the form speaks what stands next to it: `Before I write code, two points would help:` does not.
    let last = self::words(lead.rsplit(',').next().unwrap_or(&lead));
    let of_form = last.len() <= SHORT || last.iter().any(|word| OF_FORM.contains(&word.as_str()));
    let formed = has(&["form"]) && !has(&["here", "here's", "in"]);
    let told = has(&["you"]) && (lead.contains(" to write") || lead.contains(" to print"));
    let told = told || lead.starts_with("Plan") || lead.contains("last line");
    match () {
        () if lead.ends_with('?') => has(&OF_FORM),
        () if lead.ends_with(':') => {
            (has(&SAYS) && !mine) || (of_form && (has(&PUTS_OFF) || denies)) || formed || told
        }
        () => is_saying(&words),
    }
}

/// Whether a line is what somebody else is said to have said: `impl-101 wrote:` stands before it; or a form that is
/// only shown.
pub(super) fn is_shown(lines: &[Line<'_>], at: usize) -> bool {
    let reported = || lead(lines, at).is_some_and(|lead| lead.ends_with(':') && is_saying(&words(&lead)));
    reported() || (heads(lines[at].text) && is_announced(lines, at))
}

fn is_saying(words: &[String]) -> bool {
    let mine = words.iter().any(|word| matches!(word.as_str(), "i" | "i've" | "here" | "here's"));
    let says = words.last().is_some_and(|last| {
        matches!(last.as_str(), "wrote" | "said" | "says" | "writes" | "posted" | "replied" | "answered")
    });
    says && !mine
}

/// The last sentence of the line that stands before this one and is no form itself.
fn lead(lines: &[Line<'_>], at: usize) -> Option<String> {
    let fence = lines[at].fence;
    let own_fence = |line: &Line<'_>| fence.is_some() && line.fence == fence;
    let before = lines[..at].iter().rev().find(|line| !line.blank() && !own_fence(line));
    let lead = before.filter(|line| line.own())?.text.to_lowercase().replace('’', "'");
    let lead = lead.trim().trim_end_matches(['*', '_', '`', ' ']);
    let sentence = lead.rsplit(['.', '!']).find(|part| !part.trim().is_empty()).unwrap_or(lead);
    Some(sentence.to_owned())
}

fn words(lead: &str) -> Vec<String> {
    let words = lead.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;

    #[test]
    fn talk_11_a_form_that_is_only_shown_is_not_said() {
        let shown = [
            "You told me to write:",
            "impl-101 wrote:",
            "impl-101 wrote",
            "The form to finish is:",
            "Question about the form:",
            "I will not send this:",
            "I'll send this later:",
            "Should I answer like this?",
            "When finished, I send:",
            "Fine. I won't write:",
        ];
        for lead in shown {
            let body = format!("{lead}\n\n[DONE] GH-210");
            assert!(is_announced(&text::lines(&body), 2), "{lead}");
        }
        let said = [
            "Here is my acknowledgment:",
            "Here's the ack in the form you asked for:",
            "I will start now.",
            "All tests pass:",
            "Before I write any code, two points would change the design:",
            "> Is GH-210 done?",
            "I've finished. It will be in the next release.",
        ];
        for lead in said {
            let body = format!("{lead}\n\n[DONE] GH-210");
            assert!(!is_announced(&text::lines(&body), 2), "{lead}");
        }
    }
}
