//! Whether an agent that was asked to stop, to pause or to go on says that it did.

use super::claim::{About, Extent, Vocabulary, claims};
use super::courtesy::is_courtesy;
use super::foreign::{Foreign, claimed};
use super::mood::{Mood, is_hedged, is_polite};
use super::progress::is_open;
use super::sentence::{Clause, Sentence, is_disguised, sentences};
use super::status_object;
use super::turns::{Turn, turn_of};
use super::words::{Word, words};

/// What it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopOrder {
    Stop,
    Pause,
    Resume,
}

/// What it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compliance {
    Confirmed { rule: &'static str },
    Courtesy,
    Unread,
}

const NOUNS: &[&str] =
    &["work", "task", "job", "issue", "ticket", "everything", "activity", "working", "processing"];

impl StopOrder {
    fn word(self) -> Word {
        match self {
            StopOrder::Stop => Word::Stopped,
            StopOrder::Pause => Word::Paused,
            StopOrder::Resume => Word::Resumed,
        }
    }

    fn status(self) -> &'static str {
        match self {
            StopOrder::Stop => "stopped",
            StopOrder::Pause => "paused",
            StopOrder::Resume => "resumed",
        }
    }

    fn foreign(self) -> Foreign {
        match self {
            StopOrder::Stop => Foreign::Stopped,
            StopOrder::Pause => Foreign::Paused,
            StopOrder::Resume => Foreign::Resumed,
        }
    }

    fn vocabulary(self) -> Vocabulary {
        let predicates: &'static [&'static str] = match self {
            StopOrder::Stop => &["stopped", "halted", "ceased", "stopping", "halting"],
            StopOrder::Pause => &["paused", "suspended", "on hold", "pausing"],
            StopOrder::Resume => &[
                "resumed",
                "resuming",
                "back on",
                "back at",
                "picked up",
                "picked * up",
                "picking up",
                "continuing",
            ],
        };
        Vocabulary { predicates, nouns: NOUNS, countable: NOUNS }
    }
}

/// Whether a text confirms what was asked for.
pub fn compliance(body: &str, asked: StopOrder, about: &About<'_>) -> Compliance {
    let own = |id: &Option<String>| id.as_ref().is_none_or(|id| about.is_own(id));
    let spoken = words(body);
    let worded = spoken.iter().any(|one| one.word == asked.word() && own(&one.id));
    // Another word of the form says something else.
    let other = spoken.iter().any(|one| one.word != asked.word() && one.word != Word::Checkpoint);
    if is_disguised(body) || other || (!worded && spoken.iter().any(|one| !own(&one.id))) {
        return Compliance::Unread;
    }
    if let Some(stated) = status_object::stated(body, about) {
        let confirmed = stated.status == asked.status() && stated.plain;
        return if confirmed { Compliance::Confirmed { rule: "status-object" } } else { Compliance::Unread };
    }
    let read = sentences(body);
    let found: Vec<_> =
        read.iter().filter(|one| !is_polite(one)).map(|one| weigh(one, asked, about)).collect();
    match () {
        () if found.contains(&Weight::Against) => Compliance::Unread,
        () if worded => Compliance::Confirmed { rule: "confirmation-word" },
        () if found.contains(&Weight::For) => Compliance::Confirmed { rule: "confirmation-sentence" },
        () if claimed(body, about) == Some(asked.foreign()) => {
            Compliance::Confirmed { rule: "confirmation-foreign" }
        }
        () if is_courtesy(body) => Compliance::Courtesy,
        () => Compliance::Unread,
    }
}

/// The one word of the form with this task's id, whatever was asked for. A report of work is another reader's.
pub fn compliance_word(body: &str, about: &About<'_>) -> Option<StopOrder> {
    let spoken = words(body);
    let of = |asked: &StopOrder| {
        let own = |id: &Option<String>| id.as_ref().is_some_and(|id| about.is_own(id));
        spoken.iter().any(|one| one.word == asked.word() && own(&one.id))
    };
    let mut said = [StopOrder::Stop, StopOrder::Pause, StopOrder::Resume].into_iter().filter(of);
    let only = said.next().filter(|_| said.next().is_none())?;
    matches!(compliance(body, only, about), Compliance::Confirmed { .. }).then_some(only)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    For,
    Nothing,
    Against,
}

/// The sentence up to what it claims: how far the work came (`limiter done, config half way`) takes nothing from that,
/// but for a doubt, a condition or an exception.
fn claiming(sentence: &Sentence, asked: StopOrder, about: &About<'_>) -> Sentence {
    let Sentence { asks, place, aside, cut, .. } = *sentence;
    let part = |clauses: &[Clause]| Sentence { clauses: clauses.to_vec(), asks, place, aside, cut };
    let whole = |at: &usize| {
        let found = claims(&part(&sentence.clauses[*at..=*at]), about, &asked.vocabulary());
        found.iter().any(|claim| claim.extent == Extent::Whole)
    };
    let Some(at) = (0..sentence.clauses.len()).find(whole) else { return sentence.clone() };
    let (head, rest) = sentence.clauses.split_at(at + 1);
    let told = rest.first().is_none_or(|next| !next.keyed) && !is_hedged(&part(rest));
    if told { part(head) } else { sentence.clone() }
}

fn weigh(sentence: &Sentence, asked: StopOrder, about: &About<'_>) -> Weight {
    const TURNS: [Turn; 4] = [Turn::TakenBack, Turn::Later, Turn::Doubt, Turn::Foreign];
    const RETRACTS: [&str; 8] = [
        "ignore the",
        "correction",
        "rather not",
        "are you sure",
        "i would",
        "we would",
        "now would",
        "nothing happens",
    ];
    const RUNS_ON: [&str; 14] = [
        "at the next",
        "then resumed",
        "runs again",
        "went on",
        "goes on",
        "finish the",
        "for a moment",
        "keeps running",
        "started again",
        "back at it",
        "go on with",
        "going on",
        "up again today",
        "taken up again",
    ];
    let goes_on = asked != StopOrder::Resume && sentence.has(&RUNS_ON);
    // `Before I did so` tells of what was.
    const AS_IT_WAS: [&str; 4] = ["before i did", "before i stopped", "before i paused", "before i resumed"];
    let first = sentence.has(&["before i"]) && !sentence.has(&AS_IT_WAS);
    let found = claims(&claiming(sentence, asked, about), about, &asked.vocabulary());
    let whole = |claim: &&super::claim::Claim| claim.extent == Extent::Whole;
    let against = found.iter().filter(whole).any(|claim| claim.mood != Mood::Plain);
    let unable =
        asked != StopOrder::Resume && sentence.has(&["can not", "could not", "unable"]) && is_open(sentence);
    let runs_on = sentence.has(&[
        "still working",
        "still coding",
        "still running",
        "i will stop",
        "i will pause",
        "i will resume",
    ]);
    match () {
        () if against || unable || runs_on || goes_on || first || sentence.has(&RETRACTS) => Weight::Against,
        () if !found.is_empty() && turn_of(&claiming(sentence, asked, about), &TURNS).is_some() => {
            Weight::Against
        }
        () if found.iter().any(|claim| claim.extent == Extent::Whole) => Weight::For,
        () => Weight::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_11_a_stop_a_pause_a_resumption_are_confirmed_in_words() {
        use StopOrder::*;
        let about = About { ids: &["GH-210"], title: "Add rate limiting to the login endpoint" };
        let yes = [
            (Stop, "[STOPPED] GH-210"),
            (Stop, "Stopped."),
            (Stop, "I have stopped working on GH-210."),
            (Stop, "All work has been stopped."),
            (Stop, "Understood, I've stopped."),
            (Stop, "Work on GH-210 is halted, nothing was pushed."),
            (Pause, "Paused."),
            (Pause, "GH-210 is on hold now."),
            (Pause, "I've paused the task, state saved."),
            (Pause, "I've paused my work on GH-210. Before I did so I let the write be completed."),
            (Pause, "Paused. I saved everything before I paused."),
            (Stop, "Stopped. The branch was pushed before I stopped."),
            (Resume, "Resumed."),
            (Resume, "I have resumed work on GH-210."),
            (Resume, "Resuming now."),
            (Resume, r#"{"type": "resume-confirmation", "task_id": "GH-210", "status": "resumed"}"#),
            (Pause, r#"{"task_id": "GH-210", "state": "PAUSED"}"#),
            (Stop, "Done:\n```json\n{\"task\": \"GH-210\", \"status\": \"stopped\"}\n```"),
        ];
        for (asked, body) in yes {
            let read = compliance(body, asked, &about);
            assert!(matches!(read, Compliance::Confirmed { .. }), "{body}: {read:?}");
        }
        let no = [
            (Stop, "I'll stop in five minutes"),
            (Stop, "I have not stopped yet"),
            (Stop, "Should I have stopped?"),
            (Stop, "I stopped the dev server"),
            (Stop, "[DONE] GH-210"),
            (Stop, "GH-211 is stopped"),
            (Stop, "stopped once the tests are through"),
            (Pause, "I can pause after checkpoint 3"),
            (Pause, "I'd rather not be paused"),
            (Pause, "GH-210 is paused before I do anything else? Let me finish first."),
            (Pause, "Before I pause I finish the file. Paused."),
            (Pause, "impl-2 paused GH-211"),
            (Resume, "I can't resume yet"),
            (Resume, "I'd resume, but nobody has told me which window to use."),
            (Resume, "[RESUMED] GH-210\nCorrection: not resumed."),
            (Resume, "[PAUSED] GH-210"),
            (Resume, r#"{"task_id": "GH-210", "status": "paused"}"#),
            (Resume, r#"{"task_id": "GH-211", "status": "resumed"}"#),
            (Resume, "Thanks!"),
        ];
        for (asked, body) in no {
            let read = compliance(body, asked, &about);
            assert!(!matches!(read, Compliance::Confirmed { .. }), "{body}: {read:?}");
        }
    }
}
