//! What an initiator says of an understanding in plain words: "correct", "that's wrong, it is …", "the test is missing".
//!
//! A correct understanding lets the work begin, so it needs plain words and nothing beside them that could change the
//! task. The form `[VERDICT]` is read by `verdict`.

use wilco_protocol::delegation::Verdict;

use super::block::mentions;
use super::mood::{self, is_polite};
use super::sentence::{Sentence, is_disguised, sentences};
use super::text;

/// A verdict in words, with what it says is right or missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    /// All of it, as it was said.
    pub said: String,
}

const CORRECT: [&str; 22] = [
    "correct",
    "right",
    "accurate",
    "approved",
    "approve",
    "spot on",
    "exactly",
    "lgtm",
    "looks good",
    "agreed",
    "perfect",
    "yes",
    "yep",
    "yup",
    "understood it",
    "matches",
    "that is it",
    "good to go",
    "all good",
    "sounds good",
    "sounds right",
    "is fine",
];
const WRONG: [&str; 9] = [
    "wrong",
    "incorrect",
    "not correct",
    "not right",
    "misunderstood",
    "misunderstands",
    "not what",
    "not accurate",
    "misread",
];
const PARTIAL: [&str; 12] = [
    "partial",
    "partially",
    "partly",
    "missing",
    "misses",
    "forgot",
    "forgets",
    "incomplete",
    "left out",
    "leaves out",
    "not mentioned",
    "half right",
];
/// What may stand beside a "correct" without changing the task.
const BESIDE: [&str; 20] = [
    "go ahead",
    "proceed",
    "start",
    "begin",
    "continue",
    "nothing is missing",
    "carry on",
    "thank",
    "thanks",
    "nice",
    "good",
    "great",
    "all criteria",
    "every criterion",
    "please",
    "well done",
    "summary",
    "ship it",
    "understanding",
    "please go",
];
const CONTRASTS: [&str; 6] = ["but", "however", "although", "though", "except", "only"];

/// The verdict that a text gives; none when it is not clear.
pub fn judgement(body: &str) -> Option<Judgement> {
    // Whoever tries the form and fails is asked again.
    if is_disguised(body) || mentions(body, "[verdict") {
        return None;
    }
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    let judging = |one: &&Sentence| one.has(&CORRECT) || one.has(&WRONG) || is_partial(one);
    let unclear =
        |one: &Sentence| one.asks || mood::is_reported(one) || mood::is_conditional(one) || doubts(one);
    if read.iter().any(|one| one.asks) || read.iter().filter(judging).any(unclear) {
        return None;
    }
    let verdict = match () {
        () if read.iter().any(is_partial) => Verdict::Partial,
        () if read.iter().any(|one| one.has(&WRONG)) => Verdict::WrongSummary,
        () if read.iter().any(|one| one.has(&CORRECT)) && read.iter().all(is_plain) => Verdict::Correct,
        () => return None,
    };
    let own = text::lines(body).into_iter().filter(|line| line.own() && !line.blank());
    let said = own.map(|line| line.text.trim()).collect::<Vec<_>>().join("\n");
    const FEWEST: usize = 4;
    let whole = verdict == Verdict::Correct || said.split_whitespace().count() >= FEWEST;
    whole.then_some(Judgement { verdict, said })
}

fn is_partial(sentence: &Sentence) -> bool {
    sentence.has(&PARTIAL) && !sentence.has(&["nothing", "no", "not missing", "none"])
}

/// `partially` takes nothing from a verdict, other doubts do.
fn doubts(sentence: &Sentence) -> bool {
    let half = sentence.has(&["partially", "partly", "half right", "in part"]);
    let must = sentence.has(&["should", "may", "could", "would"]);
    mood::is_doubtful(sentence) && !half && !(must && (sentence.has(&WRONG) || is_partial(sentence)))
}

/// Nothing in it but a "correct" and what may stand beside it.
fn is_plain(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let denied = mood::has(&words, &["not", "no", "never", "nothing"])
        && !mood::has(
            &words,
            &["nothing is missing", "nothing missing", "no changes", "no corrections", "no questions"],
        );
    !denied && !mood::has(&words, &CONTRASTS) && (sentence.has(&CORRECT) || sentence.has(&BESIDE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_14_a_verdict_in_words_is_read_with_care() {
        use Verdict::*;
        let table = [
            ("correct", Some(Correct)),
            ("Yes, that is right.", Some(Correct)),
            ("yes", Some(Correct)),
            ("LGTM 👍", Some(Correct)),
            ("Correct. Go ahead!", Some(Correct)),
            ("The understanding is accurate.", Some(Correct)),
            ("That's wrong. The limit is 5 per minute.", Some(WrongSummary)),
            ("No, that is not correct: it is per IP.", Some(WrongSummary)),
            ("Incorrect, only failed logins count.", Some(WrongSummary)),
            ("Partially correct, the test is missing.", Some(Partial)),
            ("The configurable limit is missing.", Some(Partial)),
            ("wrong", None),
            ("Is that correct?", None),
            ("Not sure this is correct.", None),
            ("Correct if they mean failed logins.", None),
            ("Correct, but use Redis", None),
            ("Correct. The limit is 10 per minute.", None),
            ("I think it's right", None),
            ("tester-9 said it was correct", None),
            ("> correct", None),
            ("Looks probably fine", None),
            ("no", None),
            ("I'll look at it later", None),
        ];
        for (body, expected) in table {
            assert_eq!(judgement(body).map(|read| read.verdict), expected, "{body}");
        }
    }
}
