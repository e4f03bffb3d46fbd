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
const WRONG: [&str; 10] = [
    "wrong",
    "incorrect",
    "not correct",
    "not right",
    "misunderstood",
    "misunderstands",
    "not what",
    "not accurate",
    "misread",
    "not quite right",
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
/// Every other word that may stand in a text that says "correct". Any that is not here could change the task, speak of
/// something else or put the verdict off, so nothing is accepted beside it.
const BESIDE: &str = "a ahead absolutely all also am and are as asked be begin begins boss can carry complete completely \
    confirm confirmed continue corrections cover covers covered criteria criterion entirely every everything exactly fine \
    for from fully go good great he i in indeed is issue it its just lgtm looks match matches may me meant mentioned missing \
    mine my need needed nice no nothing now of ok okay on please point points precisely proceed questions \
    requirements requested see sense sent she ship so sounds spot start started starts summary sure task thank thanks that \
    the their there they this to too totally two three four five understanding understands understood very want wanted we \
    well what with work wrong yes you your both changes correctly done captured captures restates restated stated let him her them got gets agent has add";

/// The verdict that a text gives; none when it is not clear.
pub fn judgement(body: &str) -> Option<Judgement> {
    // Whoever tries the form and fails is asked again.
    if is_disguised(body) || mentions(body, "[verdict") {
        return None;
    }
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    let judging = |one: &&Sentence| one.has(&CORRECT) || one.has(&WRONG) || is_partial(one);
    // `He wrote 403, that is wrong` tells what is wrong, and reports nobody's verdict.
    let reported = |one: &Sentence| mood::is_reported(one) && !one.has(&WRONG);
    let unclear = |one: &Sentence| one.asks || reported(one) || mood::is_conditional(one) || doubts(one);
    // Of the writer, and of no understanding.
    const OWN: [&str; 7] = [
        "i forgot",
        "i am missing",
        "i missed",
        "wrong person",
        "wrong window",
        "my client",
        "wrong with my",
    ];
    if read.iter().any(|one| one.has(&OWN)) {
        return None;
    }
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
    let objects = sentence.has(&WRONG) || is_partial(sentence);
    let doubtful = if objects { mood::is_hedged(sentence) } else { mood::is_doubtful(sentence) };
    doubtful && !half && !(must && objects)
}

/// Nothing in it but a "correct" and words that may stand beside it.
fn is_plain(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let denied = mood::has(&words, &["not", "no", "never", "nothing", "wrong", "missing"])
        && !mood::has(
            &words,
            &[
                "nothing is missing",
                "nothing missing",
                "nothing is wrong",
                "nothing wrong",
                "no changes",
                "no corrections",
                "no questions",
                "no need",
            ],
        );
    let single = |word: &&str| CORRECT.iter().any(|phrase| phrase.split(' ').any(|part| part == *word));
    let named = |word: &&str| word.contains('-') && word.contains(|c: char| c.is_ascii_digit());
    let known =
        |word: &&str| single(word) || named(word) || BESIDE.split_whitespace().any(|one| one == *word);
    !denied && !asks_to_correct(sentence) && !asks_for_more(sentence) && words.iter().all(known)
}

/// `Right, I need the criteria restated`, `two of three points are right`, `yes, let me see`.
fn asks_for_more(sentence: &Sentence) -> bool {
    const MORE: [&str; 16] = [
        "add",
        "need",
        "needs",
        "want",
        "wants",
        "let me",
        "confirm that",
        "to confirm",
        "* of three",
        "* of the three",
        "two are",
        "for a start",
        "i am on",
        "your questions",
        "go see",
        "i need",
    ];
    const HARMLESS: [&str; 4] = ["nothing to add", "no need", "what i want", "what we want"];
    sentence.has(&MORE) && !sentence.has(&HARMLESS)
}

/// `correct it`, `please correct this`: an order, and no verdict.
fn asks_to_correct(sentence: &Sentence) -> bool {
    const BEHIND: [&str; 9] = ["and", "as", "thanks", "so", "now", "understanding", "summary", "in", "go"];
    sentence.clauses.iter().any(|clause| {
        let at = clause.words.iter().position(|word| word == "correct");
        at.is_some_and(|at| {
            let behind = clause.words.get(at + 1).is_some_and(|next| !BEHIND.contains(&next.as_str()));
            let begins =
                clause.words[..at].iter().all(|word| matches!(word.as_str(), "please" | "just" | "and"));
            behind || (begins && at > 0)
        })
    })
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
            ("Please correct this.", None),
            ("correct it", None),
            ("Right, I need to check with the team.", None),
            ("Yes, one moment.", None),
            ("Yes, I saw it.", None),
            ("impl-101 thinks it is correct.", None),
        ];
        for (body, expected) in table {
            assert_eq!(judgement(body).map(|read| read.verdict), expected, "{body}");
        }
    }
}
