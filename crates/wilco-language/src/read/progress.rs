//! Signs that work goes on: what an agent does now or next, what is open, what has ticks.

use super::mood::{self, has, is_number};
use super::sentence::{Place, Sentence};
use super::text;

/// Something of the work is open, whatever else is said.
const OPEN: [&str; 78] = [
    "in progress",
    "wip",
    "tbd",
    "not yet",
    "yet to",
    "still working",
    "still need",
    "still needs",
    "still have",
    "still has",
    "still open",
    "still missing",
    "still failing",
    "still fails",
    "still fail",
    "still red",
    "still to",
    "still running",
    "still pending",
    "still left",
    "still on",
    "still in",
    "still not",
    "still two",
    "incomplete",
    "unfinished",
    "working on",
    "working through",
    "continuing",
    "continue with",
    "carry on",
    "carrying on",
    "in the middle",
    "halfway",
    "half way",
    "not implemented",
    "not done",
    "not finished",
    "not complete",
    "not completed",
    "not tested",
    "not working",
    "not work",
    "not written",
    "not passing",
    "not pass",
    "not pushed",
    "not committed",
    "not started",
    "not begun",
    "not ready",
    "could not",
    "can not",
    "unable to",
    "not able",
    "not manage",
    "is failing",
    "are failing",
    "test fails",
    "tests fail",
    "is red",
    "are red",
    "broken",
    "hard-coded",
    "hardcoded",
    "stubbed",
    "placeholder",
    "draft",
    "blocked",
    "stuck",
    "just need",
    "only need",
    "next i",
    "next up",
    "up next",
    "one more thing",
    "ignore the",
    "i would write",
];
/// The same, unless none of it is there: `no open items`.
const COUNTED: [&str; 20] = [
    "remaining",
    "remains",
    "is left",
    "are left",
    "left to",
    "is missing",
    "are missing",
    "missing",
    "outstanding",
    "open item",
    "open items",
    "open point",
    "open points",
    "open issues",
    "todo",
    "todos",
    "to do",
    "blockers",
    "pending",
    "doing",
];
/// What an agent promises to do to its work.
const WORK: [&str; 15] = [
    "add",
    "write",
    "finish",
    "fix",
    "implement",
    "complete",
    "make",
    "test",
    "update",
    "wire",
    "refactor",
    "cover",
    "do",
    "handle",
    "finalize",
];

/// Whether it says that something of the work is not there yet.
pub(super) fn is_open(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let none =
        has(&words, &["no", "nothing", "none", "zero", "0", "without", "any", "the missing", "was missing"]);
    let promised =
        |lead: &str| words.windows(3).any(|three| three[..2].join(" ") == lead && WORK.contains(&three[2]));
    match sentence.place {
        Place::Box { ticked } if !ticked => true,
        _ if sentence.asks => false,
        _ => {
            has(&words, &OPEN)
                || (!none && has(&words, &COUNTED))
                || promised("i will")
                || (!none && failing(&words))
                || (words.last() == Some(&"next") && words.len() > 1)
                || sentence.clauses.iter().any(|clause| ongoing(&clause.words))
        }
    }
}

/// `2 failing tests`, `1 failed`, but neither `0 failed` nor `5 failed logins`.
fn failing(words: &[&str]) -> bool {
    const CHECKS: [&str; 8] = ["test", "tests", "check", "checks", "case", "cases", "spec", "specs"];
    let fixed = has(words, &["fixed", "was failing", "were failing"]);
    let at = |place: usize, word: &str| {
        let counted = place > 0 && is_number(words[place - 1]) && words[place - 1] != "0";
        let of_checks = words.get(place + 1).is_none_or(|next| CHECKS.contains(next) || is_number(next));
        matches!(word, "failed" | "failing" | "failures") && counted && of_checks
    };
    !fixed && words.iter().enumerate().any(|(place, word)| at(place, word))
}

/// `I am writing`, `now testing`.
fn ongoing(words: &[String]) -> bool {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let doing = |word: &str| {
        word.len() > 5
            && word.ends_with("ing")
            && !matches!(
                word,
                "nothing"
                    | "something"
                    | "everything"
                    | "anything"
                    | "waiting"
                    | "awaiting"
                    | "passing"
                    | "missing"
            )
    };
    words.windows(3).any(|three| matches!(three[..2], ["i", "am"] | ["we", "are"]) && doing(three[2]))
        || words.windows(2).any(|two| matches!(two[0], "now" | "currently" | "still") && doing(two[1]))
}

/// Marks in the writer's own lines for what is open.
pub(super) fn marks_open(body: &str) -> bool {
    const MARKS: [char; 14] =
        ['🚧', '⏳', '🔄', '⌛', '☐', '🔲', '⬜', '🟡', '🔜', '❌', '✗', '✘', '👎', '⚠'];
    let half = |line: &str| {
        ["- [~]", "- [-]", "- []", "* [~]", "* [-]"].iter().any(|mark| line.trim_start().starts_with(mark))
    };
    text::lines(body).iter().any(|line| line.own() && (line.text.contains(MARKS) || half(line.text)))
}

const REPORTS: [&str; 44] = [
    "progress",
    "update",
    "status",
    "so far",
    "eta",
    "step",
    "checkpoint",
    "working",
    "running",
    "continuing",
    "still",
    "next",
    "now",
    "currently",
    "at the moment",
    "i will",
    "we will",
    "i am",
    "i have",
    "let me",
    "going to",
    "i found",
    "i added",
    "i changed",
    "i moved",
    "i wrote",
    "i fixed",
    "i looked",
    "i started",
    "started",
    "begun",
    "tomorrow",
    "soon",
    "passes",
    "passed",
    "pushed",
    "committed",
    "rebased",
    "added",
    "implemented",
    "written",
    "wired",
    "took",
    "not yet",
];

/// What says that work does not go on.
const STUCK: [&str; 34] = [
    "could not complete",
    "can not complete",
    "could not finish",
    "unable to complete",
    "i am blocked",
    "can not continue",
    "unable to continue",
    "can not go on",
    "can not proceed",
    "give up",
    "giving up",
    "i am stuck",
    "had to give up",
    "can not access",
    "give it back",
    "giving it back",
    "give the task back",
    "handing the task back",
    "handing it back",
    "have to give",
    "returning the task",
    "returning it",
    "withdrawing from",
    "assign it to somebody else",
    "assign it to someone else",
    "will not continue",
    "can not vouch",
    "can not confirm",
    "can not say",
    "not really",
    "can not build",
    "can not test",
    "hand * back",
    "give * back",
];

/// Whether it reports on the work: what is done now, next, or so far.
pub(super) fn is_progress(read: &[Sentence]) -> bool {
    let told = |one: &Sentence| {
        let ticked = matches!(one.place, Place::Box { .. });
        ticked
            || (!one.asks
                && !mood::is_polite(one)
                && (one.has(&REPORTS) || one.clauses.iter().any(|clause| ongoing(&clause.words))))
    };
    read.iter().any(told)
}

/// Whether its writer cannot go on.
pub(super) fn is_stuck(read: &[Sentence]) -> bool {
    // `BLOCKED: no token for the registry`
    let headed = |one: &Sentence| {
        let first = one.clauses.first().map(|clause| clause.words.as_slice());
        matches!(first, Some([word]) if word == "blocked")
    };
    read.iter().any(|one| one.has(&STUCK) || headed(one))
}
