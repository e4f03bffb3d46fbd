//! What speaks for a completion beside its claim, and what takes nothing from it: a pull request, nothing that is left,
//! what went wrong and is mended, other work; and what was never tried.

use super::mood;
use super::sentence::Sentence;
use super::turns::{Turn, turn_of};

/// Said of all of it, and never tried: `in theory everything should work`.
pub(super) fn is_unproven(sentence: &Sentence) -> bool {
    const UNPROVEN: [&str; 17] = [
        "not call it",
        "not been able to verify",
        "not count it as",
        "everything should",
        "all should",
        "should all",
        "it should work",
        "this should work",
        "that should work",
        "should work now",
        "none of this has been",
        "none of it has been",
        "nothing has been verified",
        "nothing has been tested",
        "not verified any",
        "could not verify",
        "can not verify",
    ];
    !sentence.aside && sentence.has(&UNPROVEN)
}

/// A sentence that begins by saying that it is about something else: `Outside of this task: the signup has no limiter`.
pub(super) fn is_of_other_work(sentence: &Sentence) -> bool {
    const OTHER_WORK: [&str; 3] = ["outside of this task", "not part of this task", "unrelated to this task"];
    const OWN: [&str; 6] = ["test", "tests", "criterion", "criteria", "limit", "requirement"];
    let begins = sentence.clauses.iter().take(2).any(|clause| clause.has(&OTHER_WORK));
    let first = sentence.clauses.first().is_some_and(|clause| clause.words.len() <= 8);
    begins && first && !sentence.has(&OWN)
}

/// What went wrong on the way, and the same or the next sentence says that it does no more.
pub(super) fn is_past(sentence: &Sentence, next: Option<&Sentence>) -> bool {
    const THEN: [&str; 7] =
        ["at first", "initially", "originally", "in the beginning", "earlier", "at the start", "before that"];
    const MENDED: [&str; 12] = [
        "that is fixed",
        "this is fixed",
        "that is now fixed",
        "this is now fixed",
        "that has been fixed",
        "is now fixed",
        "both are fixed",
        "all are fixed",
        "i fixed that",
        "i have fixed that",
        "that is solved",
        "that is resolved",
    ];
    let mended = |one: &Sentence| {
        one.has(&MENDED) && !one.asks && !mood::is_doubtful(one) && !one.has(&["not", "still", "yet"])
    };
    let now = sentence.has(&["still", "now", "yet", "remaining", "todo"]);
    sentence.has(&THEN) && !now && next.is_some_and(mended)
}

/// A question that is about other work: `Shall I open issues for them?`
pub(super) fn offers_more(sentence: &Sentence) -> bool {
    const OFFERS: [&str; 6] =
        ["shall i", "should i", "do you want me", "would you like me", "want me to", "may i"];
    const ISSUES: [&str; 8] = [
        "open issues",
        "open an issue",
        "open a ticket",
        "open tickets",
        "file an issue",
        "file a ticket",
        "follow-up",
        "follow-ups",
    ];
    sentence.asks && sentence.has(&OFFERS) && sentence.has(&ISSUES) && !sentence.has(&["first", "or"])
}

/// A condition beside the word `[DONE]`.
pub(super) fn is_condition(sentence: &Sentence) -> bool {
    const BEGINS: [&str; 7] = ["if", "once", "as", "when", "unless", "provided", "assuming"];
    sentence.words().first().is_some_and(|first| BEGINS.contains(first))
}

pub(super) fn names_pull_request(sentence: &Sentence) -> bool {
    let words = sentence.words();
    mood::has(&words, &["pr", "mr", "pull request", "merge request"])
        || words.iter().any(|word| word.contains("/pull/"))
}

/// A pull request that is there to be looked at.
pub(super) fn opens_pull_request(sentence: &Sentence) -> bool {
    const UP: [&str; 10] = [
        "open",
        "opened",
        "up",
        "ready",
        "created",
        "raised",
        "submitted",
        "merged",
        "filed",
        "please review",
    ];
    let words = sentence.words();
    let plain = !sentence.asks && !mood::is_doubtful(sentence) && !mood::is_later(sentence);
    plain
        && names_pull_request(sentence)
        && mood::has(&words, &UP)
        && !mood::has(&words, &["not", "draft", "no"])
}

/// `Nothing is left to do`, `no remaining work`.
pub(super) fn nothing_left(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let none = mood::has(&words, &["nothing", "no", "none"]);
    none && mood::has(
        &words,
        &[
            "left to do",
            "left on",
            "is left",
            "remaining work",
            "work remains",
            "remains to",
            "open items",
            "open points",
        ],
    )
}

/// What stands behind the word of the form and tells of less than all of it.
pub(super) fn is_part(rest: &str) -> bool {
    const PARTS: [&str; 17] = [
        "phase",
        "step",
        "criterion",
        "part",
        "stage",
        "milestone",
        "iteration",
        "analysis",
        "spike",
        "draft",
        "only",
        "eta",
        "eod",
        "first",
        "half",
        "wip",
        "subtask",
    ];
    const NEAR: usize = 3;
    rest.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(NEAR)
        .any(|word| PARTS.contains(&word))
}

/// What takes from a claim even under a title such as `Next steps`: something that fails, or a test to be written.
pub(super) fn takes_from(sentence: &Sentence) -> bool {
    let of_tests = sentence.has(&["test", "tests", "criterion", "criteria"]);
    turn_of(sentence, &[Turn::Failure]).is_some()
        || (of_tests && !sentence.has(&["pass", "passes", "passed", "green"]))
}
