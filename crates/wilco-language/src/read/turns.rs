//! What turns a claim: something beside it that fails, is left, is taken back, is of another time, is doubted or is
//! somebody else's. One look for all claims of all protocols: completed, PASS, stopped, ready, a verdict, a decision.
//!
//! A cue that is found in vain costs a question to the writer; one that is missing may cost a false completion. So the
//! cues are broad, and what is known to be harmless beside a claim is told apart by tables of its own: failures that
//! are denied, mended, or what the task is about.

use super::mood;
use super::sentence::{Clause, Place, Sentence};

/// Why a claim beside which this is said does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Failure,
    /// An exception, or something that is left.
    Remainder,
    /// Something is denied that is not known to be better so.
    Denial,
    /// Done, and undone again.
    Undone,
    /// What was said is taken back.
    TakenBack,
    Later,
    Doubt,
    /// Somebody else's, or of another place.
    Foreign,
}

impl Turn {
    pub(super) const ALL: [Turn; 8] = [
        Turn::Failure,
        Turn::Remainder,
        Turn::Denial,
        Turn::Undone,
        Turn::TakenBack,
        Turn::Later,
        Turn::Doubt,
        Turn::Foreign,
    ];
}

/// The cues, parted by commas. `fail*` is every word that begins so.
const CUES: [(Turn, &str); 8] = [
    // `2 tests failed`; neither `0 failed`, `the error is gone` nor `a failed login`.
    (
        Turn::Failure,
        "fail*, error, errors, errored, broke, broken, breaks, red, timeout*, time out, times out, timed out, \
        crash*, panic*, 500, 502, 503, 504, regression*, bug, bugs, flaky, unsuccessful*, unfortunately, sadly, \
        wrong, incorrect*, corrupt*, conflict, conflicts, hangs, leaks, blocked",
    ),
    // `no remaining work` is none.
    (
        Turn::Remainder,
        "remain*, missing, is left, are left, left to, left out, left open, left for, pending, todo, todos, \
        limitation*, skip*, outstanding, caveat*, known issue, known issues, known problem, known problems",
    ),
    (
        Turn::Remainder,
        "but, though, although, yet, however, nevertheless, except*, barring, ignoring, excluding, sans, minus, \
        still, to follow, to come, will follow, comes next, come next, follow later, follows later, untested, \
        unverified, unmerged, unpushed, comment out, commented, without test, without tests, without a test, \
        without any tests, without the, no test, no tests, not tested, not handled, not supported, not covered, \
        not included, not work, not working, not pass, not passing, not compile, not build, not match, has to, \
        have to, needs to, need to, needs a, partly, partially, subset, for now, for the moment, at the moment, \
        temporar*, workaround*, stub*, only ran, only run, only tested, only looked, only checked, only tried, \
        only read, only did, only the, only for, only on, only in, only part, only works, just waiting, just \
        the, just need, just needs, waiting for, waiting on, done on my, complete on my, finished on my, done \
        from my, my part, up to the, disabl*, quarantin*, xfail, deactivat*, had to comment, open question, open \
        questions, in my sandbox, on my machine, reworking, rework, bypass*, disregarding, leaving out, leaves \
        out, not done, blocker*, blocking, mocked the, mocked out, for the time being, half, as optional, leave to you, leave that to, \
        leave it to, leave the, excluded, another look, worth a look, kind of, sort of, sense that, reservation*, \
        one by one, passed before, passed earlier, passed last, passed yesterday, will be added, will be done, dropped \
        the, ran out of, out of time, no time, fehlt, fehlen, falta, faltan, manque, schlägt fehl, noch nicht, \
        todavía, pendiente, coming, in the works, deferred, over to you",
    ),
    (
        Turn::Undone,
        "revert*, rolled back, rolled it back, rolled that back, rolled everything back, rollback, backed out, \
        rolling back, rolling it back, rolling that back, backed it out, undid, undo, undone, withdraw*, withdrew, lost everything, reopen*",
    ),
    (
        Turn::TakenBack,
        "correction, oh wait, hang on, hold on, mistake*, please ignore, ignore my, ignore the, ignore that, scratch that, \
        scratch the, strike that, disregard, never mind, nevermind, retract*, take that back, take it back, took \
        it back, too soon, too early, premature*, forget that, forget it, forget my, wrong window, kidding, my \
        bad, oops, turns out, was wrong, not true, on second thought, done for",
    ),
    (
        Turn::Later,
        "tomorrow, tonight, shortly, later, next week, getting, let me, going to, about to, i will, we will, you \
        will, he will, they will, will be done, will have, will add, will write, will fix, will finish, will \
        need, am writing, as soon as",
    ),
    (
        Turn::Doubt,
        "not sure, unsure, i think, i guess, i hope, i believe, i assume, hopefully, probably, should work, \
        should be, should all, everything should, in theory, not verified, not checked, not tried, not been \
        tested, not been verified, not been run, never ran, never run, not run, not able to, not been able, \
        could not, might not, may not, by reading, from reading, nothing has been verified, nothing has been \
        tested, none of this has been, none of it has been, double-check, assuming, 0 tests ran, 0 tests run, 0 \
        tests were, ran 0, run : 0, executed : 0, tests : 0, exit code : 1, exit code : 2",
    ),
    (
        Turn::Foreign,
        "my human, my user, my user's, my boss, he wants, she wants, they want, old branch, other branch, another \
        branch, previous branch, wrong branch",
    ),
];

/// Words with a cue in them that turn nothing.
const HARMLESS: &str = "let me make sure, even when * fails, even if * fails, even when * * fails, even if * * fails, even if * is \
    down, when * fails, if * fails, when * * fails, if * * fails, falls back when, fail open, fails open, fail \
    closed, fails closed, fail fast, fail over, an error message, error handling, error message, error messages, \
    error code, error codes, error page, error response, error responses, error path, error paths, error case, \
    error cases, returns an error, return an error, with an error, gets an error, 429 error, wrong password, \
    wrong passwords, wrong login, wrong logins, wrong credentials, bug fix, bug report, nothing but, not only, \
    no longer, but also, but everything is in, but it passes, but they pass, but it works, but that is fixed, \
    but it is fixed, but is fixed, but fixed, but all of it is, but now it, still pass, still passes, still \
    passing, still green, still work, still works, waiting for review, waiting for your review, waiting for a \
    review, waiting for your, no need to, i will wait, i will be around, i will be here, i will be happy, i will \
    stand by, let me know, pending review, remaining attempts, not touch gh-*, nothing to do with, without bound, not influence, not grow, after * failures, after * failed, more than * failed, more than * failures";

/// Whoever says that one of these is so of a failure says that it is no more.
const MENDED: &str = "fixed, fixes, resolved, solved, gone, repaired, mended, no longer, pass now, passes now, now pass, now \
    passes, green now, now green, added back, \
    are counted, is counted";
const NONE: [&str; 8] = ["no", "not", "0", "zero", "nothing", "none", "without", "never"];
/// What may fail because the work is about it.
const SUBJECTS: [&str; 28] = [
    "limiter",
    "limit",
    "count",
    "window",
    "login",
    "logins",
    "attempt",
    "attempts",
    "request",
    "requests",
    "try",
    "tries",
    "password",
    "passwords",
    "sign-in",
    "sign-ins",
    "payment",
    "payments",
    "job",
    "jobs",
    "upload",
    "uploads",
    "per",
    "within",
    "inside",
    "from",
    "a",
    "counter",
];
/// What stands before a failure that is one of a row: `the sixth failure`.
const ORDINALS: [&str; 10] =
    ["sixth", "6th", "fifth", "5th", "nth", "seventh", "tenth", "max", "count", "counts"];

/// What turns the claims beside which this sentence stands.
pub(super) fn turn(sentence: &Sentence) -> Option<Turn> {
    turn_of(sentence, &Turn::ALL)
}

/// The same for some kinds of turns.
pub(super) fn turn_of(sentence: &Sentence, kinds: &[Turn]) -> Option<Turn> {
    let words = telling(sentence);
    // A title `Failures` says nothing of what stands below it.
    let titled = sentence.place == Place::Title;
    let wanted = |turn: &Turn| kinds.contains(turn) && !(titled && *turn == Turn::Failure);
    let cue = CUES.iter().enumerate().find(|(row, (turn, cues))| {
        let countable = *row <= 1;
        wanted(turn) && cues.split(", ").any(|cue| says(&words, cue, countable, *turn == Turn::Failure))
    });
    let found = cue.map(|(_, (turn, _))| *turn);
    found
        .or_else(|| (wanted(&Turn::Failure) && is_share(&words)).then_some(Turn::Failure))
        .or_else(|| (wanted(&Turn::Remainder) && is_of_tests(&words)).then_some(Turn::Remainder))
        .or_else(|| (wanted(&Turn::Denial) && denies(&words)).then_some(Turn::Denial))
        .or_else(|| (wanted(&Turn::TakenBack) && takes_back(sentence)).then_some(Turn::TakenBack))
        .or_else(|| (wanted(&Turn::Later) && is_for_later(sentence, &words)).then_some(Turn::Later))
}

/// Whether the cue stands there, and is neither denied nor what the work is about.
fn says(words: &[&str], cue: &str, countable: bool, failure: bool) -> bool {
    let length = cue.split(' ').filter(|part| *part != ":").count();
    (0..words.len()).any(|at| {
        stands_at(words, at, cue)
            && !(countable && !is_act(words[at]) && is_none(words, at, length))
            && !(failure && (is_subject(words, at) || is_mended(words, at)))
    })
}

/// What something does is not denied by a `without` before it: `Without Redis it crashes`.
fn is_act(word: &str) -> bool {
    matches!(word, "fails" | "crashes" | "breaks" | "broke" | "hangs" | "leaks")
}

/// `fixed the failing test`, `the error is gone`: in its clause, or in the sentence where nothing else is denied.
fn is_mended(words: &[&str], at: usize) -> bool {
    let start = words[..at].iter().rposition(|word| *word == ",").map_or(0, |at| at + 1);
    let end = words[at..].iter().position(|word| *word == ",").map_or(words.len(), |end| at + end);
    let mended = |words: &[&str]| is_said(words, MENDED) && !mood::has(words, &["not", "still", "yet"]);
    // `…, which I fixed`, `…, they pass now`
    let next = words.get(end + 1..).unwrap_or_default();
    let led = matches!(
        next.first(),
        Some(&("which" | "that" | "it" | "they" | "these" | "both" | "all" | "now" | "and" | "but"))
    );
    mended(&words[start..end]) || (led && mended(next))
}

/// Whether one of these phrases stands there.
fn is_said(words: &[&str], phrases: &str) -> bool {
    phrases.split(", ").any(|phrase| (0..words.len()).any(|at| stands_at(words, at, phrase)))
}

fn stands_at(words: &[&str], at: usize, phrase: &str) -> bool {
    let mut said = words[at..].iter();
    phrase.split(' ').all(|part| {
        said.next().is_some_and(|word| match part.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => *word == part,
        })
    })
}

/// `no errors`, `nothing is left`, `failed: 0`, `remaining work: none`.
fn is_none(words: &[&str], at: usize, length: usize) -> bool {
    const REACH: usize = 4;
    const BEHIND: usize = 2;
    let counted = at > 0 && words[at - 1].parse::<u32>().is_ok_and(|number| number > 0);
    let mut before = words[..at].iter().rev().take(REACH).take_while(|word| !matches!(**word, "but" | ","));
    let value = words[at + length..].iter().position(|word| *word == ":").filter(|colon| *colon < BEHIND);
    let value = value.and_then(|colon| words.get(at + length + colon + 1));
    let none = |word: &&str| matches!(*word, "0" | "none" | "zero" | "no" | "nothing");
    value.is_some_and(none) || (!counted && before.any(|word| NONE.contains(word)))
}

/// `a failed login`, `5 failures per minute`, `the sixth failure`.
fn is_subject(words: &[&str], at: usize) -> bool {
    let subject = |word: &&str| word.split('/').next().is_some_and(|word| SUBJECTS.contains(&word));
    // `5 failures within a minute`, but not `it fails within a container`.
    let counted = matches!(words[at], "failures" | "failure" | "failed" | "failing");
    let small = |word: &&&str| matches!(**word, "a" | "from" | "within" | "inside" | "per");
    let next = words.get(at + 1).filter(|word| words[at].starts_with("failure") || !small(word));
    let behind = counted && next.is_some_and(subject);
    behind || words[..at].iter().rev().take(2).any(|word| ORDINALS.contains(word))
}

/// `12/14`, `2 of 14`, `90 %`: less than all.
fn is_share(words: &[&str]) -> bool {
    const MEASURES: [&str; 6] = ["coverage", "faster", "slower", "cpu", "memory", "times"];
    let number = |word: &str| word.parse::<f32>().ok();
    let part = |word: &str| {
        let (few, all) = word.split_once('/')?;
        Some(number(few)? < number(all)?)
    };
    let of = |at: usize| {
        let behind = words[at + 1..].iter().find(|word| !matches!(**word, "of" | "out" | "the"))?;
        let few = number(words[at])
            .filter(|_| words.get(at + 1).is_some_and(|word| matches!(*word, "of" | "out")))?;
        Some(few < number(behind)?)
    };
    let percent = |at: usize| {
        let number = match words[at].strip_suffix('%') {
            Some("") | None if words.get(at + 1).is_some_and(|word| matches!(*word, "percent" | "%")) => {
                number(words[at])?
            }
            Some(word) => number(word)?,
            None => return None,
        };
        Some(number < 100.0)
    };
    // `12 passed, 14 total`
    let total = |four: &[&str]| match four {
        [few, "passed", all, "total"] | [few, "passed", "of", all] => Some(number(few)? < number(all)?),
        _ => None,
    };
    let bare: Vec<&str> = words.iter().copied().filter(|word| *word != ",").collect();
    if bare.windows(4).any(|four| total(four).unwrap_or(false)) {
        return true;
    }
    !mood::has(words, &MEASURES)
        && (0..words.len())
            .any(|at| part(words[at]).or_else(|| of(at)).or_else(|| percent(at)).unwrap_or(false))
}

/// What is better so: `no errors`, `nothing is left`, `I did not touch GH-2`.
const BETTER: &str = "error errors failure failures failed failing fails fail regression regressions problem problems issue \
    issues warning warnings todo todos blocker blockers question questions conflict conflicts follow-up follow-ups left \
    open missing further more other longer known need needed skip skips skipped flag doubt worries objection objections \
      affect affected affects    breaking related only else broken wrong red outstanding \
    remaining remains complain  flaky new exceptions lint leaks crashes  lost lose required necessary   \
           break breaks";

/// A negation of anything else: `I did not get round to it`, `docs not`, `no rights to push`.
fn denies(words: &[&str]) -> bool {
    const DENIES: [&str; 12] = [
        "not", "no", "never", "nothing", "none", "nobody", "without", "neither", "hardly", "unable", "lacks",
        "lacking",
    ];
    const REACH: usize = 4;
    let better = |word: &&str| BETTER.split_whitespace().any(|known| known == *word);
    // `Failures: none`, but not `Tests: none`.
    let value = |at: usize| {
        at > 1
            && words[at - 1] == ":"
            && words[at] != "not"
            && words[..at - 1].iter().rev().take(REACH).any(&better)
    };
    let mended = is_said(words, MENDED) && !mood::has(words, &["still", "yet"]);
    let bad = |at: usize| {
        let behind = words[at + 1..].iter().take(REACH).take_while(|word| **word != ",");
        DENIES.contains(&words[at]) && !value(at) && !behind.into_iter().any(&better)
    };
    let empty = matches!(words, ["none" | "nothing"]);
    !mended && !empty && (0..words.len()).any(bad)
}

/// What is said of tests and criteria must be known to be good: `3 tests quarantined`, `one criterion is open`.
fn is_of_tests(words: &[&str]) -> bool {
    const LINKS: [&str; 10] = ["are", "is", "were", "was", "have", "has", "been", "be", "all", "now"];
    const GOOD: &str = "pass passes passed passing green run ran executed total in for of with that which and or cover \
        covers covered show shows prove proves demonstrate demonstrates verify verifies check checks exist written added \
        included succeed succeeded ok okay completed complete done met fulfilled satisfied good fine implemented \
        successful clean to on at from as here there too also both either new updated extended , : · still fail failed \
        failing fails failure failures were used had both i we you it by if when while so because per suite suites file \
        files case cases plan mentioned not no finished listed ticked checked the a an ticks my our this between against went turned came stayed";
    let subject = |word: &str| matches!(word, "tests" | "criteria" | "criterion" | "checks");
    (0..words.len()).filter(|at| subject(words[*at])).any(|at| {
        let next = words[at + 1..].iter().find(|word| !LINKS.contains(word));
        let known = |word: &&str| {
            GOOD.split_whitespace().any(|good| good == *word) || word.contains(|c: char| !c.is_alphabetic())
        };
        next.is_some_and(|word| !known(word))
    })
}

/// `Edit: …`, `Wait, …`: a word of its own that takes back what stands above it.
fn takes_back(sentence: &Sentence) -> bool {
    let alone = |clause: &Clause| matches!(clause.words.as_slice(), [word] if matches!(word.as_str(), "edit" | "wait" | "actually" | "except" | "no"));
    let denies = sentence.words().ends_with(&["it", "is", "not"]);
    denies || (sentence.clauses.len() > 1 && sentence.clauses.first().is_some_and(alone))
}

/// `at 5pm`, `let me commit first`.
fn is_for_later(sentence: &Sentence, words: &[&str]) -> bool {
    let clock = |word: &str| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        word.starts_with(|c: char| c.is_ascii_digit())
            && (matches!(unit, "am" | "pm") || (unit.is_empty() && word.contains(':')))
    };
    let at = words
        .windows(2)
        .any(|two| two[0] == "at" && (clock(two[1]) || matches!(two[1], "noon" | "midnight")));
    let first = |clause: &Clause| {
        clause.words.last().is_some_and(|word| word == "first") && clause.has(&["i", "me", "my", "we", "our"])
    };
    at || sentence.clauses.iter().any(first)
}

/// The words without those that are harmless, for which a mark stands. A comma parts clauses, a colon a key from what it
/// holds.
fn telling(sentence: &Sentence) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for clause in &sentence.clauses {
        let goes_on = clause.words.first().is_some_and(|word| matches!(word.as_str(), "or" | "nor"));
        match clause.keyed {
            true => words.push(":"),
            false if words.is_empty() || goes_on => {}
            false => words.push(","),
        }
        words.extend(clause.words.iter().map(String::as_str));
    }
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let harmless = HARMLESS.split(", ").filter(|phrase| stands_at(&words, at, phrase));
        let length = harmless.map(|phrase| phrase.split(' ').count()).max();
        kept.push(if length.is_some() { "·" } else { words[at] });
        at += length.unwrap_or(1);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    #[test]
    fn talk_11_what_turns_a_claim_is_known_by_its_kind() {
        use Turn::*;
        let table = [
            ("tests failing", Some(Failure)),
            ("finished with errors", Some(Failure)),
            ("12/14 tests pass", Some(Failure)),
            ("2 of 14 tests hang", Some(Failure)),
            ("done to 90 percent", Some(Failure)),
            ("Failed: 2", Some(Failure)),
            ("Unfortunately it is slow", Some(Failure)),
            ("the sixth attempt returns 500", Some(Failure)),
            ("complete, tests to follow", Some(Remainder)),
            ("done, barring the docs", Some(Remainder)),
            ("the tests are commented out", Some(Remainder)),
            ("the following limitations", Some(Remainder)),
            ("impl-101 has to finish the Redis part", Some(Remainder)),
            ("then I reverted the commit", Some(Undone)),
            ("Correction: it is slow", Some(TakenBack)),
            ("Edit: more work", Some(TakenBack)),
            ("I completed it, then rolled it back", Some(Undone)),
            ("2 failed, 0 skipped", Some(Failure)),
            ("0 skipped, 2 failed", Some(Failure)),
            ("no errors, tests failing", Some(Failure)),
            ("Passed: 40, Failed: 2, Skipped: 0", Some(Failure)),
            ("Passed: 40, Failed: 0, Skipped: 0", None),
            ("Remaining work: none", None),
            ("go ahead tomorrow", Some(Later)),
            ("go ahead at 5pm", Some(Later)),
            ("let me commit first", Some(Later)),
            ("I think it works", Some(Doubt)),
            ("waits for my user's ok", Some(Foreign)),
            ("I did not get round to the tests", Some(Denial)),
            ("docs not", Some(Denial)),
            ("one criterion is open", Some(Remainder)),
            ("3 tests are marked slow", Some(Remainder)),
            ("I did not touch GH-211", None),
            ("pass in the old branch", Some(Foreign)),
            ("All 14 tests pass", None),
            ("14/14 tests pass, 0 failed", None),
            ("No remaining work", None),
            ("I fixed the failing test", None),
            ("the error on startup is gone", None),
            ("works as expected even when Redis fails", None),
            ("the sixth failed attempt gets 429", None),
            ("5 failures per minute", None),
            ("Failed: 0", None),
            ("no errors and no known limitations", None),
            ("coverage is 94%", None),
            ("PR #88 is open and waiting for review", None),
        ];
        for (text, expected) in table {
            let found = sentences(text).iter().find_map(turn);
            assert_eq!(found, expected, "{text}");
        }
    }
}
