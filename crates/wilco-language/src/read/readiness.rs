//! Answers of agents before an operation: ready, more time, cancel, or none of these.
//!
//! Whole words only, the careful meaning first: cancel, then wait, then ready. What is quoted or fenced
//! is somebody else's. A text that says two things is read as the more careful one, and whoever wrote it
//! is told how it was read.

use std::collections::BTreeSet;

use serde_json::Value;
use wilco_protocol::operation::Answer;

use super::embedded;
use super::foreign;
use super::mood;
use super::sentence::{Clause, Place, Sentence, find, sentences};
use super::turns::{Turn, turn_of};

/// What a text and the field `ready` say together.
pub fn readiness(text: &str, ready: Option<bool>) -> Answer {
    match (said(text), ready) {
        (Answer::Information, Some(true)) => Answer::Ready,
        (read @ (Answer::Information | Answer::Ready | Answer::Wait), Some(false)) => read.max(Answer::Wait),
        (read, _) => read,
    }
}

/// What a text says. One that is an object says it in its fields.
fn said(text: &str) -> Answer {
    if let Some(object) = embedded::object(text).filter(|_| text.trim_start().starts_with('{')) {
        let word = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or("");
        let ready = object.get("ready").and_then(Value::as_bool);
        return readiness(&format!("{}\n\n{}", word("message"), word("status")), ready);
    }
    let read = sentences(text);
    let said = read.iter().map(says).max().unwrap_or(Answer::Information);
    // What nobody read to its end may end with a "no", and what is said beside it may turn it.
    let turned = |one: &Sentence| {
        one.cut || turn_of(one, &TURNS).is_some() || is_busy(one) || is_under_way(one) || is_for_others(one)
    };
    if said == Answer::Ready && read.iter().any(turned) { Answer::Information } else { said }
}

const CANCEL: [&str; 2] = ["cancel", "abort"];
/// The same said of the operation by whoever does not want it.
const CANCELLED: [&str; 6] =
    ["to be cancelled", "to be canceled", "to be aborted", "call it off", "call this off", "call off"];
const READY: [&str; 3] = ["ok", "okay", "ready"];
/// Whoever says so lets it happen.
const GO: [&str; 13] = [
    "go ahead",
    "go for it",
    "you can proceed",
    "you may proceed",
    "please proceed",
    "proceed",
    "you can restart",
    "you may restart",
    "you can start",
    "you can go ahead",
    "good to go",
    "all clear",
    "fine with me",
];
const WAIT: [&str; 24] = [
    "wait",
    "hold on",
    "hold off",
    "hang on",
    "not now",
    "not yet",
    "not before",
    "not right now",
    "not at the moment",
    "one moment",
    "one sec",
    "one second",
    "just a moment",
    "just a second",
    "just a sec",
    "just a minute",
    "more time",
    "give me a moment",
    "give me a minute",
    "give me a second",
    "bear with me",
    "need to finish",
    "must finish",
    "have to finish",
];
/// What must not happen now: `do not restart me`.
const ACTS: [&str; 12] = [
    "restart",
    "restarted",
    "proceed",
    "start",
    "begin",
    "interrupt",
    "interrupted",
    "stop",
    "kill",
    "reboot",
    "touch",
    "go",
];
const LATER: [&str; 6] = ["almost", "nearly", "soon", "until", "after", "when"];
/// Who is not sure, or says what shall count as an answer, is not ready.
const DOUBTS: [&str; 21] = [
    "might",
    "may",
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "should be",
    "think",
    "guess",
    "hopefully",
    "not sure",
    "unsure",
    "supposed to",
    "if",
    "once",
    "unless",
    "seems",
    "would be",
    "treat",
    "silence",
    "consider",
];

/// What turns a "ready". That something of the work fails does not: it can be restarted all the same.
const TURNS: [Turn; 5] = [Turn::Remainder, Turn::TakenBack, Turn::Later, Turn::Doubt, Turn::Foreign];

/// Something is in the way, whatever else is said.
fn is_busy(sentence: &Sentence) -> bool {
    const BUSY: [&str; 17] = [
        "busy",
        "unsaved",
        "uncommitted",
        "unpushed",
        "in the middle",
        "is running",
        "are running",
        "held",
        "caution",
        "careful",
        "would say",
        "in flight",
        "in progress",
        "would lose",
        "then i",
        "i quickly",
        "i finish",
    ];
    let words = sentence.words();
    sentence.has(&BUSY)
        && !words.iter().any(|word| negates(word) || matches!(*word, "nothing" | "none" | "0"))
}

/// `ok for the others`, `go ahead with impl-2`, `ok whenever the tests are through`.
fn is_for_others(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let name = |word: &str| word.contains('-') && word.ends_with(|c: char| c.is_ascii_digit());
    let with = words.windows(2).any(|two| matches!(two[0], "with" | "for") && name(two[1]));
    let any_time = ["whenever you", "whenever it suits", "whenever im", "whenever i am"];
    let bound = words.contains(&"whenever") && words.last() != Some(&"whenever") && !sentence.has(&any_time);
    with || bound
        || sentence.has(&["others", "the rest", "everybody else", "somebody else", "need longer", "longer"])
}

/// `ok, saving my work`: it is not ready before that is done.
fn is_under_way(sentence: &Sentence) -> bool {
    let doing = |word: &str| {
        word.len() > 4
            && word.ends_with("ing")
            && !matches!(word, "nothing" | "everything" | "something" | "anything")
    };
    let words = sentence.words();
    let acts = |three: &[&str]| matches!(three[..2], ["i", "am"] | ["we", "are"]) && doing(three[2]);
    let listed = sentence.place != Place::Prose;
    sentence.clauses.iter().any(|clause| !listed && clause.words.first().is_some_and(|word| doing(word)))
        || words.windows(3).any(acts)
}

/// `ok / wait / cancel`: the answers that there are, and none of them given.
fn is_menu(words: &[&str]) -> bool {
    let kind = |word: &str| match word {
        "wait" => Some(1),
        _ if CANCEL.contains(&word) => Some(2),
        _ if READY.contains(&word) => Some(3),
        _ => None,
    };
    let kinds: BTreeSet<_> = words.iter().filter_map(|word| kind(word)).collect();
    kinds.len() > 2 && words.iter().all(|word| kind(word).is_some() || *word == "or")
}

fn says(sentence: &Sentence) -> Answer {
    let words = sentence.words();
    if is_menu(&words) {
        return Answer::Information;
    }
    let negated = words.iter().any(|word| negates(word));
    // `no problem, restart me`: no ready word, and nothing is refused.
    let kindly = !is_ready(sentence) && is_kindly(&words);
    let goes = sentence.has(&GO) || foreign::is_ready(sentence) || sentence.clauses.iter().any(lets_restart);
    let ready = is_ready(sentence) || goes;
    // `you may restart me` allows it.
    let allowed = sentence.has(&["you may"]);
    let doubted = sentence.has(&DOUBTS) && (!allowed || sentence.has(&DOUBTS[2..]));
    let turned = turn_of(sentence, &TURNS).is_some()
        || is_busy(sentence)
        || is_under_way(sentence)
        || is_for_others(sentence);
    // Whoever doubts denies only what stands behind the negation.
    let denied = not_ready(sentence) || (ready && negated && !kindly && !sentence.has(&DOUBTS));
    if sentence.clauses.iter().any(cancels) || (sentence.has(&CANCELLED) && !negated) {
        Answer::Cancel
    } else if refuses(&words) {
        Answer::Refuse
    } else if sentence.has(&WAIT) || foreign::asks_to_wait(sentence) || asks_for_time(&words) || denied {
        Answer::Wait
    } else if ready && !sentence.asks && !later(sentence) && !doubted && !of_another(sentence) && !turned {
        Answer::Ready
    } else {
        Answer::Information
    }
}

/// `restart me whenever you like`: an order, and nothing behind it but that the time does not matter.
fn lets_restart(clause: &Clause) -> bool {
    const BEFORE: [&str; 13] =
        ["please", "just", "feel", "free", "to", "you", "can", "may", "so", "and", "go", "ahead", "yes"];
    let words: Vec<_> = clause.words.iter().map(String::as_str).collect();
    let Some(at) = find(&words, "restart me") else { return false };
    let rest = words[at + 2..].join(" ");
    let any_time = [
        "",
        "now",
        "right now",
        "whenever",
        "anytime",
        "any time",
        "please",
        "whenever you like",
        "whenever you want",
        "whenever you wish",
        "any time you like",
        "at any time",
    ];
    words[..at].iter().all(|word| BEFORE.contains(word)) && any_time.contains(&rest.as_str())
}

/// What is not there when nothing stands in the way: `no objections`, `no unsaved work`.
const HARMLESS: [&str; 19] = [
    "job",
    "jobs",
    "process",
    "processes",
    "unpushed",
    "work",
    "problem",
    "problems",
    "worries",
    "objection",
    "objections",
    "unsaved",
    "uncommitted",
    "pending",
    "open",
    "running",
    "blockers",
    "concerns",
    "issues",
];

/// Every negation of the sentence is one of courtesy.
fn is_kindly(words: &[&str]) -> bool {
    let next = |at: usize| words.get(at + 1).copied().unwrap_or_default();
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| negates(word))
        .all(|(at, word)| *word == "no" && HARMLESS.contains(&next(at)))
}

/// A ready word with a negation before it in its clause.
fn not_ready(sentence: &Sentence) -> bool {
    let denied = |clause: &Clause| {
        let place = clause.words.iter().position(|word| READY.contains(&word.as_str()));
        place.is_some_and(|place| clause.words[..place].iter().any(|word| negates(word)))
    };
    sentence.clauses.iter().any(denied)
}

/// A ready word, but neither `200 OK` nor `limiter - ok` in a list.
fn is_ready(sentence: &Sentence) -> bool {
    sentence.clauses.iter().enumerate().any(|(at, clause)| {
        let place = clause.words.iter().position(|word| READY.contains(&word.as_str()));
        let coded = |place: usize| place > 0 && clause.words[place - 1].chars().all(|c| c.is_ascii_digit());
        let listed = matches!(sentence.place, Place::Item | Place::Box { .. } | Place::Row)
            && at > 0
            && clause.words.len() == 1;
        let known = |place: usize| clause.words[..place].iter().all(|word| leads(word));
        place.is_some_and(|place| !coded(place) && !listed && known(place))
    })
}

/// What may stand before a ready word in its clause: who is ready, and that all is saved. `The build is ready` is not it.
fn leads(word: &str) -> bool {
    const LEADS: &str = "i we it all everything am is are was now yes yep sure so and then thanks great fine from my side \
        this that sounds looks work state saved committed pushed done set fully finally again also have has been both \
        good alright right got please hi hello understood ja klar me us for restart the answer status agent am \
        everybody here already just very entirely completely totally ready ok okay reply means would to be response \
        may might could should not no never quite almost nearly if once when think guess can do will say or impl ack done";
    word.contains('-') || LEADS.split_whitespace().any(|known| known == word)
}

/// `impl-2 is ready`: somebody else, by a name with a number in it or as a third person.
fn of_another(sentence: &Sentence) -> bool {
    let names = |clause: &Clause| {
        let subject: Vec<_> =
            clause.words.iter().take_while(|word| !matches!(word.as_str(), "is" | "was" | "are")).collect();
        let other = |word: &String| {
            let named = word.contains('-') && word.contains(|c: char| c.is_ascii_digit());
            named || matches!(word.as_str(), "they" | "he" | "she" | "somebody" | "someone")
        };
        subject.len() < clause.words.len()
            && subject.len() <= 3
            && subject.iter().any(|word| other(word))
            && clause.words.iter().any(|word| READY.contains(&word.as_str()))
    };
    sentence.clauses.iter().any(names)
}

/// `give me 2 more minutes`, `another five minutes`, `I need 10 minutes`.
fn asks_for_time(words: &[&str]) -> bool {
    const UNITS: [&str; 10] =
        ["second", "seconds", "sec", "minute", "minutes", "min", "mins", "moment", "hour", "hours"];
    let unit = |at: usize| words.get(at).is_some_and(|word| UNITS.contains(word));
    let wanted = |at: usize| {
        let more = words[at..].iter().take(6).any(|word| matches!(*word, "more" | "another" | "extra"));
        more || mood::has(words, &["give me", "i need", "need another", "we need"])
    };
    words.iter().enumerate().any(|(at, word)| {
        let counted = mood::is_number(word) || matches!(*word, "a" | "another" | "more" | "few");
        counted && (unit(at + 1) || unit(at + 2)) && wanted(at.saturating_sub(2))
    })
}

/// A plain `no`, or that it must not happen: `do not restart me now`, `I can't be restarted`.
fn refuses(words: &[&str]) -> bool {
    let plain =
        matches!(words, ["no" | "nope" | "nah"] | ["no", "please" | "thanks" | "sorry"] | ["no", "no", ..]);
    let first = words.first() == Some(&"no")
        && words.get(1).is_some_and(|word| matches!(*word, "i" | "do" | "you" | "it" | "this"));
    let forbids = |at: usize| words[at + 1..].iter().take(3).any(|word| ACTS.contains(word));
    let begins = |at: usize| {
        at > 0 && matches!(words[at - 1], "do" | "can" | "must" | "should" | "would" | "rather" | "will")
    };
    // `I can not restart computers` speaks of what the writer is able to do to something else.
    let unable = |at: usize| {
        let free =
            ["now", "yet", "right", "me", "this", "it", "at", "until", "while", "before", "because", "just"];
        let object = words.get(at + 2).is_some_and(|word| !free.contains(word));
        let whose = at.checked_sub(2).map_or("", |at| words[at]);
        at > 0
            && words[at - 1] == "can"
            && !matches!(whose, "you" | "we" | "they")
            && words.get(at + 1) == Some(&"restart")
            && object
    };
    let negated = |at: usize| begins(at) && forbids(at) && !unable(at);
    plain || first || words.iter().enumerate().any(|(at, word)| *word == "not" && negated(at))
}

/// Whether it speaks of another time: `soon`, `in 5 minutes`.
fn later(sentence: &Sentence) -> bool {
    sentence.has(&LATER) || mood::is_at_a_time(&sentence.words())
}

/// A cancel word, unless something in its clause before it says no.
fn cancels(clause: &Clause) -> bool {
    let place = clause.words.iter().position(|word| CANCEL.contains(&word.as_str()));
    place.is_some_and(|place| !clause.words[..place].iter().any(|word| negates(word)))
}

fn negates(word: &str) -> bool {
    matches!(word, "not" | "no" | "never")
}
