//! What a main agent answers to a fix request without the form: it has it, it is fixed, or it cannot be fixed.

use serde_json::{Map, Value};

use super::claim::{About, Claim, Extent, Vocabulary, claims};
use super::courtesy::is_courtesy;
use super::embedded;
use super::entries::blank;
use super::mood::{Mood, is_conditional, is_polite};
use super::progress::is_open;
use super::sentence::{Sentence, is_disguised, sentences};
use super::status_object;
use super::text;
use super::turns::{Turn, turn_of};
use super::words::{TaggedWord, Word, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixReply {
    Acknowledged,
    /// With what was said of it.
    Fixed(String),
    CannotFix(String),
    Courtesy,
    Unread,
}

const FIXED: Vocabulary = Vocabulary {
    predicates: &["done", "fixed", "resolved", "addressed", "corrected", "repaired", "made", "applied"],
    nouns: &[
        "fixes",
        "failures",
        "issues",
        "bugs",
        "problems",
        "errors",
        "everything",
        "failing",
        "tests",
        "findings",
        "request",
        "reported",
        "unit",
        "integration",
    ],
    countable: &["failure", "test", "issue"],
};
/// What leaves a fix in doubt: something that fails now, in part, or by another way than a fix.
const UNSURE: [&str; 26] = [
    "fails",
    "errors out",
    "partially",
    "partly",
    "hopefully",
    "skip",
    "skipped",
    "i skip",
    "disabled",
    "first of two",
    "for the first",
    "one of",
    "without any change",
    "on main",
    "switched off",
    "turned off",
    "none yet",
    "commented out",
    "xfail",
    "mocked",
    "deleted",
    "deleting",
    "nothing to fix",
    "i leave",
    "waiting on",
    "i hand",
];
/// Whoever says so of the tests that failed says that they are fixed.
const PASSES: Vocabulary = Vocabulary { predicates: &["green", "pass", "passing"], ..FIXED };
const CANNOT: [&str; 12] = [
    "cannot-fix",
    "can not fix",
    "can not be fixed",
    "unable to fix",
    "not able to fix",
    "could not fix",
    "not fixable",
    "unfixable",
    "will not fix",
    "no way to fix",
    "impossible to fix",
    "can not resolve",
];
/// What cannot be fixed now may be fixed later, and what holds for one of several does not for all.
const FOR_NOW: [&str; 9] =
    ["right now", "yet", "at the moment", "for now", "today", "until", "still", "is fixed", "are fixed"];
const TAKES: [&str; 29] = [
    "got",
    "on it",
    "working on",
    "will fix",
    "let me fix",
    "going to fix",
    "fixing",
    "looking into",
    "look into",
    "taking",
    "acknowledged",
    "received",
    "starting with",
    "will take",
    "will look",
    "i see the",
    "start with",
    "will do",
    "i have the",
    "begin with",
    "understood",
    "will get to",
    "will work",
    "investigating",
    "still working",
    "noted",
    "fix-ack",
    "starting on",
    "begun to fix",
];

/// What a text says of the fixes that were asked for.
pub fn fix(body: &str, about: &About<'_>) -> FixReply {
    if is_disguised(body) {
        return FixReply::Unread;
    }
    if let Some(said) = in_object(body, about) {
        return said;
    }
    let own = |id: &Option<String>| id.as_ref().is_none_or(|id| about.is_own(id));
    let spoken = words(body);
    // `[DONE] FIXREQ-42-1`: the request is done when it is named.
    let done = |one: &TaggedWord| one.word == Word::Done && one.id.is_some();
    let worded = spoken.iter().any(|one| (one.word == Word::Fixed || done(one)) && own(&one.id));
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    let asks = read.iter().any(|one| one.asks);
    if is_courtesy(body) {
        return FixReply::Courtesy;
    }
    if is_unfilled(body) {
        return FixReply::Unread;
    }
    if sentences(body).iter().any(|one| one.has(&CANNOT) && !one.asks) {
        let asks = sentences(body).iter().any(|one| one.asks);
        // For now, or in part, or with a question: whoever says so has not given up.
        let postponed = |one: &Sentence| one.has(&FOR_NOW) || turn_of(one, &[Turn::Later]).is_some();
        return if asks || read.iter().any(postponed) { FixReply::Unread } else { cannot(body) };
    }
    let weighed = Weighed::of(&read, about);
    let takes = |one: &Sentence| one.has(&TAKES) && !is_conditional(one);
    let names_own = |one: &Sentence| one.words().iter().any(|word| about.is_own(word));
    let fixed = worded || weighed.fixed || names_places(&read);
    let open = weighed.open || weighed.denied;
    match () {
        () if weighed.other || (weighed.unclear && !open) => FixReply::Unread,
        () if fixed && !open && !asks && !weighed.unclear => FixReply::Fixed(own_text(body)),
        () if asks => FixReply::Unread,
        // `The first is fixed, the second is not`: nothing that was asked for, and more than that it came.
        () if (weighed.part || weighed.denied) && !read.iter().any(|one| takes(one) && names_own(one)) => {
            FixReply::Unread
        }
        () if read.iter().any(takes) => FixReply::Acknowledged,
        () => FixReply::Unread,
    }
}

/// `I fixed src/a.rs:31 and src/b.rs:50`: every failure has its place, so several places are said to be fixed.
fn names_places(read: &[Sentence]) -> bool {
    let place = |word: &&&str| {
        let (file, line) = word.rsplit_once(':').unwrap_or_default();
        file.contains(['.', '/']) && !line.is_empty() && line.chars().all(|c| c.is_ascii_digit())
    };
    read.iter().any(|one| {
        let words = one.words();
        let begins = matches!(
            words.as_slice(),
            ["fixed", ..] | ["i" | "we", "fixed", ..] | ["i" | "we", "have", "fixed", ..]
        );
        let others =
            |word: &&&str| !place(word) && !matches!(**word, "fixed" | "i" | "we" | "have" | "and" | "both");
        begins && words.iter().filter(place).count() > 1 && !words.iter().any(|word| others(&word))
    })
}

/// What an object says: by the request's id or the issue, or with what was done.
fn in_object(body: &str, about: &About<'_>) -> Option<FixReply> {
    let says = |status: &str, plain: bool, object: &Map<String, Value>| match status {
        "fixed" | "resolved" | "completed" | "done" if plain => FixReply::Fixed(body.trim().to_owned()),
        "cannot-fix" | "unfixable" => match object.get("reason").and_then(Value::as_str) {
            Some(reason) if !reason.trim().is_empty() => FixReply::CannotFix(reason.trim().to_owned()),
            _ => FixReply::Unread,
        },
        "fixing" | "fix-ack" | "received" | "acknowledged" | "in-progress" => FixReply::Acknowledged,
        _ => FixReply::Unread,
    };
    if let Some(stated) = status_object::stated(body, about) {
        return Some(says(&stated.status, stated.plain, &stated.object));
    }
    let object = embedded::object(body)?;
    let status = object.get("status").and_then(Value::as_str).map(text::fold)?;
    let fixes = object.get("fixes").and_then(Value::as_array).is_some_and(|fixes| !fixes.is_empty());
    let known =
        object.keys().all(|key| matches!(key.as_str(), "status" | "fixes" | "files" | "commit" | "tests"));
    let plain = fixes && known && status_object::is_unturned(&object);
    let cannot =
        status == "cannot-fix" && object.keys().all(|key| matches!(key.as_str(), "status" | "reason"));
    Some(if plain || cannot { says(&status, plain, &object) } else { FixReply::Unread })
}

/// The form as it was shown, with its blanks.
fn is_unfilled(body: &str) -> bool {
    let items = text::lines(body).into_iter().filter_map(|line| text::list_item(line.text));
    items.into_iter().any(|(_, item)| item.contains(char::is_alphabetic) && blank(item))
}

/// A reason is more than the words that it cannot be fixed.
fn cannot(body: &str) -> FixReply {
    const FEWEST: usize = 6;
    let said = own_text(body);
    if said.split_whitespace().count() >= FEWEST { FixReply::CannotFix(said) } else { FixReply::Unread }
}

#[derive(Debug, Default)]
struct Weighed {
    fixed: bool,
    denied: bool,
    open: bool,
    unclear: bool,
    other: bool,
    /// Some of it is fixed, and something is open.
    part: bool,
}

impl Weighed {
    fn of(read: &[Sentence], about: &About<'_>) -> Weighed {
        let mut weighed = Weighed::default();
        let open = read.iter().any(|one| !one.aside && is_open(one));
        for sentence in read {
            for claim in claims(sentence, about, &FIXED) {
                match (claim.extent, claim.mood) {
                    (Extent::Other, _) => weighed.other = true,
                    (Extent::Whole, Mood::Plain) => weighed.fixed = true,
                    (Extent::Whole, Mood::Negated) => weighed.denied = true,
                    (Extent::Whole, Mood::Doubtful) if open => weighed.part = true,
                    (Extent::Whole, Mood::Doubtful | Mood::Later | Mood::Reported) => weighed.unclear = true,
                    (Extent::Part, Mood::Plain | Mood::Doubtful) => weighed.part |= open,
                    (Extent::Part, _) => {}
                }
            }
            weighed.fixed |= claims(sentence, about, &PASSES).iter().any(Claim::is_plain_whole);
            weighed.open |= !sentence.aside && is_open(sentence);
            weighed.unclear |= turn_of(sentence, &[Turn::Undone, Turn::TakenBack]).is_some();
            weighed.unclear |= sentence.has(&UNSURE);
        }
        weighed
    }
}

fn own_text(body: &str) -> String {
    let own = text::lines(body).into_iter().filter(|line| line.own() && !line.blank());
    own.map(|line| line.text.trim()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_13_answers_to_a_fix_request_in_words() {
        let about = About { ids: &["FIXREQ-42-1"], title: "" };
        let word = |body: &str| match fix(body, &about) {
            FixReply::Acknowledged => "ack",
            FixReply::Fixed(_) => "fixed",
            FixReply::CannotFix(_) => "cannot",
            FixReply::Courtesy => "courtesy",
            FixReply::Unread => "unread",
        };
        let table = [
            ("Fixed in commit 4f2a1c9", "fixed"),
            ("Fixed", "fixed"),
            ("Both failures are fixed.", "fixed"),
            ("All failures have been resolved, please re-run.", "fixed"),
            ("I've fixed the two failing tests", "fixed"),
            ("[FIXED] FIXREQ-42-1", "fixed"),
            ("I can't fix this: the library is closed", "cannot"),
            ("Unable to fix, the sandbox lost write access", "cannot"),
            ("I can't fix this", "unread"),
            ("On it", "ack"),
            ("Got FIXREQ-42-1, working on it", "ack"),
            ("I'll fix both", "ack"),
            ("Not fixed yet, still working on the second", "ack"),
            ("Should be fixed now", "unread"),
            ("Is it fixed?", "unread"),
            ("The first one is fixed", "unread"),
            ("Fixed, unless the cache is stale", "unread"),
            ("FIXREQ-41-3 is fixed", "unread"),
            ("> Fixed", "unread"),
            (
                "• Fixed the two failing unit tests from FIXREQ-42-1.\n\n  - `a`: now 8\n  - `b`: early return",
                "fixed",
            ),
            ("- Fixed both failures of FIXREQ-42-1", "fixed"),
            ("I fixed the three failing tests in FIXREQ-42-1.", "fixed"),
            ("• Fixed one of the two failing tests from FIXREQ-42-1.", "unread"),
            ("• Fixed the first failing test from FIXREQ-42-1.", "unread"),
            ("• Fixed the two failing unit tests from FIXREQ-41-1.", "unread"),
            (r#"{"fix_request": "FIXREQ-42-1", "status": "fixed", "tests": {"failed": 0}}"#, "fixed"),
            (r#"{"fix_request": "FIXREQ-42-1", "status": "fixed", "tests": {"failed": 1}}"#, "unread"),
            (r#"{"fix_request": "FIXREQ-41-1", "status": "fixed"}"#, "unread"),
            ("Good catch 👏", "courtesy"),
        ];
        for (body, expected) in table {
            assert_eq!(word(body), expected, "{body}");
        }
    }
}
