//! What somebody decides about an escalation in words: `[DECISION] GH-42 retry`, "reassign it to impl-101".
//!
//! One option, said plainly. Two options, a question, a condition, a wish that something not happen decide nothing.

use wilco_protocol::time::Span;

use super::claim::About;
use super::mood::{self, is_polite};
use super::sentence::{Clause, Sentence, is_disguised, sentences};
use super::text;
use super::words::{Word, words};

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDecision {
    pub option: String,
    pub agent: Option<String>,
    pub time: Option<Span>,
}

/// How the options are said.
const SAID: [(&str, &[&str]); 13] = [
    ("retry", &["retry", "try again", "try it again", "retry it", "one more try", "one more time"]),
    (
        "reassign",
        &[
            "reassign",
            "give it to",
            "hand it to",
            "assign it to",
            "pass it to",
            "hand it over to",
            "reassigned",
        ],
    ),
    ("accept-as", &["accept-as", "accept as", "take it as"]),
    ("accept", &["accept", "accept it"]),
    ("extend", &["extend", "extend it", "give it more time", "more time"]),
    ("abort", &["abort", "abort it", "cancel it", "give up on it", "drop it", "call it off", "kill it"]),
    ("proceed", &["proceed", "go ahead"]),
    ("manual-fix", &["manual-fix", "manual fix", "fixed it by hand", "fixed by hand", "fixed it manually"]),
    ("skip", &["skip", "skip it"]),
    ("override", &["override", "override it"]),
    (
        "provide_alternative_agent",
        &["provide_alternative_agent", "provide-alternative-agent", "alternative agent"],
    ),
    ("extend", &["give it another", "give them another", "give it 30", "allow another"]),
    ("retry", &["restart it", "run it again", "ask again"]),
];
/// Whoever says so has not decided.
const UNDECIDED: [&str; 12] = [
    "let me think",
    "what do you think",
    "before i decide",
    "recommendation",
    "recommend",
    "either",
    "i would have",
    "not decided",
    "undecided",
    "your choice",
    "you decide",
    "not sure",
];

/// The decision that a text makes among these options.
pub fn decision(body: &str, options: &[&str], about: &About<'_>) -> Option<ReadDecision> {
    if is_disguised(body) {
        return None;
    }
    let spoken: Vec<_> = words(body).into_iter().filter(|one| one.word == Word::Decision).collect();
    if !spoken.is_empty() {
        let own = spoken.iter().filter(|one| one.id.as_ref().is_none_or(|id| about.is_own(id)));
        let mut read: Vec<_> = own.map(|one| by_word(&one.rest, options)).collect();
        read.dedup();
        return read.pop().filter(|_| read.is_empty()).flatten();
    }
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    if read.iter().any(|one| one.has(&UNDECIDED) || one.asks) {
        return None;
    }
    let mut found: Vec<(&'static str, &Sentence)> = Vec::new();
    for sentence in &read {
        for clause in &sentence.clauses {
            for option in named(clause, options) {
                if denied(clause) || mood::is_conditional(sentence) || mood::is_reported(sentence) {
                    return None;
                }
                found.push((option, sentence));
            }
        }
    }
    let (option, sentence) = *found.first()?;
    found.iter().all(|(other, _)| *other == option).then(|| filled(option, &sentence.words()))
}

/// `retry`, `reassign impl-101`, `extend 30m - the suite is slow`.
fn by_word(rest: &str, options: &[&str]) -> Option<ReadDecision> {
    let folded = rest.to_lowercase().replace([',', ';', '*', '`', ':'], " ");
    let words: Vec<_> = folded.split_whitespace().collect();
    let first = words.iter().find(|word| !matches!(**word, "-" | "–" | "—" | "to"))?;
    let is = |option: &&&str| text::fold(option) == text::fold(first);
    let option = options.iter().find(is).map(|option| (*option).to_owned())?;
    let other = words
        .iter()
        .skip_while(|word| *word != first)
        .nth(1)
        .is_some_and(|next| matches!(*next, "or" | "/" | "|"));
    (!other && !rest.contains('|')).then(|| ReadDecision { option, ..filled("", &words) })
}

fn named(clause: &Clause, options: &[&str]) -> Vec<&'static str> {
    let possible = |option: &str| options.contains(&option);
    let mut named: Vec<_> = SAID
        .iter()
        .filter(|(option, said)| possible(option) && clause.has(said))
        .map(|(option, _)| *option)
        .collect();
    named.dedup();
    named
}

fn denied(clause: &Clause) -> bool {
    let doubted = [
        "not", "no", "never", "would", "could", "might", "may", "should", "maybe", "perhaps", "think",
        "probably",
    ];
    clause.has(&doubted)
}

/// What an option needs, from the words around it.
fn filled(option: &str, words: &[&str]) -> ReadDecision {
    ReadDecision { option: option.to_owned(), agent: agent(words), time: time(words) }
}

/// The name behind `to`, `reassign` or `agent`, when it looks like one or nothing else can be meant.
fn agent(words: &[&str]) -> Option<String> {
    const NOBODY: [&str; 22] = [
        "whoever",
        "someone",
        "somebody",
        "anyone",
        "anybody",
        "another",
        "the",
        "a",
        "an",
        "next",
        "other",
        "who",
        "it",
        "this",
        "be",
        "me",
        "us",
        "them",
        "whichever",
        "any",
        "please",
        "to",
    ];
    let named = |at: usize| {
        let word = words.get(at + 1)?;
        let leads = matches!(words[at], "to" | "agent" | "reassign");
        let name = !NOBODY.contains(word)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'));
        (leads && name && word.contains(char::is_alphabetic)).then(|| (*word).to_owned())
    };
    (0..words.len()).find_map(named)
}

/// `30m`, `30 minutes`, `half an hour`.
fn time(words: &[&str]) -> Option<Span> {
    if mood::has(words, &["half an hour"]) {
        return "30m".parse().ok();
    }
    if mood::has(words, &["an hour", "one hour"]) {
        return "1h".parse().ok();
    }
    let unit = |word: &str| match word {
        "s" | "sec" | "second" | "seconds" => Some("s"),
        "m" | "min" | "mins" | "minute" | "minutes" | "more" => Some("m"),
        "h" | "hour" | "hours" => Some("h"),
        "d" | "day" | "days" => Some("d"),
        _ => None,
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
        let given = || word.starts_with(|c: char| c.is_ascii_digit()).then(|| word.parse().ok()).flatten();
        let behind = words.get(at + 1).and_then(|next| unit(next)).filter(|_| digits);
        behind.and_then(|unit| format!("{word}{unit}").parse().ok()).or_else(|| given().filter(|_| !digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: [&str; 4] = ["retry", "reassign", "extend", "abort"];

    #[test]
    fn talk_14_one_option_said_plainly_decides() {
        let about = About { ids: &["GH-210"], title: "" };
        let table = [
            ("[DECISION] GH-210 retry", Some("retry")),
            ("[DECISION] retry", Some("retry")),
            ("[DECISION] GH-210 - abort, not needed", Some("abort")),
            ("abort", Some("abort")),
            ("Abort it, please.", Some("abort")),
            ("Please try again.", Some("retry")),
            ("reassign it to impl-101", Some("reassign impl-101")),
            ("Give it to impl-2.", Some("reassign impl-2")),
            ("Extend by 30 minutes", Some("extend 30m")),
            ("extend it by half an hour, please", Some("extend 30m")),
            ("[DECISION] GH-211 abort", None),
            ("[DECISION] GH-210 retry|abort", None),
            ("[DECISION] GH-210 retry or abort", None),
            ("[DECISION] GH-210 whatever", None),
            ("Don't abort it", None),
            ("retry or abort?", None),
            ("Either retry or reassign.", None),
            ("If it hangs, abort.", None),
            ("> [DECISION] GH-210 abort", None),
            ("I would abort it", None),
            ("ok", None),
            ("skip it", None),
        ];
        for (body, expected) in table {
            let read = decision(body, &OPTIONS, &about).map(|read| {
                let time = read.time.map(|time| time.to_string());
                [Some(read.option), read.agent, time].into_iter().flatten().collect::<Vec<_>>().join(" ")
            });
            assert_eq!(read.as_deref(), expected, "{body}");
        }
    }
}
