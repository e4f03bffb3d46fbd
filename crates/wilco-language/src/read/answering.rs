//! Whether a reply to questions answers them: any words do, but for a question back, a promise to look later, and thanks.

use serde_json::Value;

use super::courtesy::{is_assent, is_courtesy};
use super::embedded;
use super::mood;
use super::sentence::{Sentence, sentences};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Answers,
    Courtesy,
    Unread,
}

const LATER: [&str; 26] = [
    "look later",
    "will look",
    "look into it",
    "look at it later",
    "get back to",
    "will check",
    "let me check",
    "let me think",
    "let me see",
    "need to ask",
    "have to ask",
    "need to check",
    "need to think",
    "have to check",
    "in a meeting",
    "will answer",
    "answer later",
    "later today",
    "will reply",
    "reply later",
    "no time",
    "give me a moment",
    "give me a minute",
    "bear with me",
    "ask me again",
    "in a workshop",
];
const ASKS_BACK: [&str; 19] = [
    "what do you mean",
    "which question",
    "which questions",
    "what question",
    "what questions",
    "can you explain",
    "could you explain",
    "can you clarify",
    "could you clarify",
    "can you elaborate",
    "why do you",
    "not sure what you",
    "before i decide",
    "before i answer",
    "i would like to know",
    "i want to know",
    "i need to know",
    "do not understand",
    "can it explain",
];
/// Whoever says so leaves the answer to somebody else.
const REFUSES: [&str; 21] = [
    "i do not know",
    "will ask",
    "not sure",
    "can not decide",
    "can not answer",
    "can not tell you",
    "not able to answer",
    "unable to answer",
    "not mine to",
    "not my call",
    "not my decision",
    "not for me to",
    "not up to me",
    "not the right person",
    "wrong person",
    "ask whoever",
    "ask someone else",
    "ask somebody else",
    "no idea",
    "beyond my",
    "i have no opinion on either",
];

/// `{"1": "redis", "2": true}`: an object of no type with nothing in it that is left open.
fn answers_in_object(body: &str) -> bool {
    let Some(object) = embedded::object(body).filter(|object| !object.contains_key("type")) else {
        return false;
    };
    let says = |value: &Value| match value {
        Value::Null | Value::Object(_) => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => matches!(reply(text), Reply::Answers),
        Value::Array(list) => {
            !list.is_empty()
                && list.iter().all(|one| one.as_str().is_some_and(|text| reply(text) == Reply::Answers))
        }
    };
    !object.is_empty() && object.values().all(says)
}

/// What a reply to questions is.
pub fn reply(body: &str) -> Reply {
    let read = sentences(body);
    let kind = |one: &&Sentence| !mood::is_polite(one) || one.has(&LATER);
    let told: Vec<_> = read.iter().filter(kind).collect();
    if is_courtesy(body) {
        return Reply::Courtesy;
    }
    // `Ok, noted` answers nothing; `sure` may.
    let yes = read.iter().any(|one| one.has(&["sure", "of course", "no problem"]));
    if is_assent(body) && !yes {
        return Reply::Unread;
    }
    if read.iter().all(|one| one.clauses.is_empty()) {
        return if answers_in_object(body) { Reply::Answers } else { Reply::Unread };
    }
    let asks_back = told.iter().any(|one| one.has(&ASKS_BACK)) || told.iter().all(|one| one.asks);
    let later = told.iter().any(|one| one.has(&LATER));
    let refuses = told.iter().any(|one| one.has(&REFUSES));
    if told.is_empty() || asks_back || later || refuses { Reply::Unread } else { Reply::Answers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_14_any_words_answer_but_for_questions_and_promises() {
        for body in [
            "Redis.",
            "yes to both",
            "1. Redis\n2. no",
            "Use A. Does that help?",
            "I don't mind",
            "Whatever you think is best",
        ] {
            assert_eq!(reply(body), Reply::Answers, "{body}");
        }
        for body in [
            "What do you mean?",
            "Will look later",
            "Which questions? I see none.",
            "Let me check first.",
            "Why?",
            "I need to ask the team",
            "What does Redis cost? Before I decide I'd like to know what the others use.",
            "Is there a budget? I want to know that first.",
            "How many nodes are there? Before I answer, please look.",
            "Those are things I can't decide. Ask whoever runs the proxy.",
            "That's not my call, sorry.",
            "No idea, you'd have to ask somebody else.",
            "I'm not the right person for this.",
            "ok",
            "Ok, noted.",
        ] {
            assert_eq!(reply(body), Reply::Unread, "{body}");
        }
        for body in ["Thanks!", "👀", "Thanks for asking! 👌"] {
            assert_eq!(reply(body), Reply::Courtesy, "{body}");
        }
    }
}
