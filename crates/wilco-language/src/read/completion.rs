//! Whether an agent at work says that its task is done, and if not, what else it reports.
//!
//! Completed needs one plain claim of the whole task and nothing beside it that is open, doubted, excepted or made a
//! condition. Two weaker signs (every criterion met, the whole implemented, a pull request is up, nothing is left) count
//! as one claim. A false completion is the expensive error: in doubt it is doubtful, and the writer is asked.

use super::claim::{About, Claim, Extent, Vocabulary, claims, is_plainly_said};
use super::courtesy::is_courtesy;
use super::foreign::{Foreign, claimed};
use super::mood::{self, Mood, is_hedged, is_polite};
use super::progress::{is_open, is_progress, is_stuck, marks_open};
use super::sentence::{Place, SHOWN, Sentence, is_disguised, sentences};
use super::signs::{
    is_condition, is_of_other_work, is_part, is_past, is_unproven, names_pull_request, nothing_left,
    offers_more, opens_pull_request, takes_from,
};
use super::status_object;
use super::text;
use super::turns::turn;
use super::words::{TaggedWord, Word, checkpoint, lists_forms, words};

/// What a text of an agent at work comes down to, and by which rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkReport {
    Completed {
        rule: &'static str,
    },
    Checkpoint {
        number: u32,
    },
    Progress,
    /// It may be done: a condition, an exception, a doubt.
    Doubtful,
    Courtesy,
    Unread,
}

/// The rule of a completion by the form.
pub const BY_WORD: &str = "done-word";

const DONE: Vocabulary = Vocabulary {
    predicates: &[
        "done",
        "finished",
        "complete",
        "completed",
        "concluded",
        "wrapped up",
        "have finish",
        "has finish",
    ],
    nouns: &[
        "task",
        "work",
        "job",
        "issue",
        "ticket",
        "assignment",
        "implementation",
        "feature",
        "story",
        "change",
        "changes",
        "implementing",
    ],
    countable: &[
        "criteria",
        "criterion",
        "acceptance",
        "requirements",
        "items",
        "steps",
        "points",
        "tasks",
        "subtasks",
        "deliverables",
        "todos",
    ],
};
const IMPLEMENTED: Vocabulary = Vocabulary {
    predicates: &[
        "implemented",
        "shipped",
        "delivered",
        "merged",
        "landed",
        "met",
        "satisfied",
        "fulfilled",
        "covered",
    ],
    ..DONE
};
/// The same as done when the work is named by its id.
const DELIVERED: Vocabulary = Vocabulary {
    predicates: &[
        "shipped",
        "delivered",
        "met",
        "satisfied",
        "fulfilled",
        "can be closed",
        "may be closed",
        "ready to be closed",
    ],
    ..DONE
};
const REVIEW: Vocabulary = Vocabulary {
    predicates: &[
        "ready for review",
        "ready for your review",
        "ready for final review",
        "ready for code review",
        "ready to review",
        "ready to be reviewed",
        "ready to merge",
        "ready for merge",
        "up for review",
        "open for review",
    ],
    nouns: &[
        "task",
        "work",
        "issue",
        "ticket",
        "implementation",
        "feature",
        "pr",
        "pull",
        "request",
        "mr",
        "branch",
        "change",
        "changes",
    ],
    countable: &[],
};

/// What an agent at work says of its task.
pub fn report(body: &str, about: &About<'_>) -> WorkReport {
    if is_disguised(body) || lists_forms(body) {
        return WorkReport::Unread;
    }
    let own = |id: &Option<String>| id.as_ref().is_none_or(|id| about.is_own(id));
    let spoken = words(body);
    let worded = spoken.iter().any(|one| one.word == Word::Done && own(&one.id));
    let others = spoken.iter().any(|one| one.word == Word::Done && !own(&one.id));
    let point = spoken.iter().find(|one| one.word == Word::Checkpoint && own(&one.id));
    if let Some((number, _)) = point.and_then(|one| checkpoint(&one.rest)) {
        return if worded { WorkReport::Doubtful } else { WorkReport::Checkpoint { number } };
    }
    if let Some(stated) = status_object::stated(body, about) {
        let done = matches!(stated.status.as_str(), "completed" | "complete" | "done" | "finished");
        return match (done, stated.plain) {
            (true, true) => WorkReport::Completed { rule: "status-object" },
            (true, false) => WorkReport::Doubtful,
            (false, _) if matches!(stated.status.as_str(), "in-progress" | "working" | "started") => {
                WorkReport::Progress
            }
            (false, _) => WorkReport::Unread,
        };
    }
    if status_object::is_progress(body, about) {
        return WorkReport::Progress;
    }
    // `[DONE] GH-210 phase 1` tells of a part.
    let parts = |one: &TaggedWord| {
        one.word == Word::Done
            && own(&one.id)
            && (is_part(&one.rest) || (one.joined && !is_plain_text(&one.rest, about)))
    };
    if spoken.iter().any(parts) {
        return WorkReport::Doubtful;
    }
    let read = sentences(body);
    let weighed = Weighed::of(&read, about, worded, others, marks_open(body));
    match () {
        () if weighed.doubtful => WorkReport::Doubtful,
        () if weighed.claimed && (weighed.open || weighed.denied || weighed.turned) => WorkReport::Doubtful,
        () if weighed.claimed => {
            WorkReport::Completed { rule: if worded { BY_WORD } else { "done-sentence" } }
        }
        () if claimed(body, about) == Some(Foreign::Done) && spoken.is_empty() && !weighed.open => {
            WorkReport::Completed { rule: "done-foreign" }
        }
        () if (weighed.hinted && !weighed.open) || (!others && shows_form(body, about)) => {
            WorkReport::Doubtful
        }
        () if is_courtesy(body) => WorkReport::Courtesy,
        () if others || weighed.reported || is_stuck(&read) => WorkReport::Unread,
        // What is said of another task is progress of this one only beside a sign of its own.
        () if weighed.of_other && !(weighed.open || is_progress(&read)) => WorkReport::Unread,
        () if read.iter().any(mood::instructs) => WorkReport::Unread,
        () if read.iter().any(|one| one.asks && !is_polite(one)) => WorkReport::Unread,
        () if weighed.denied || weighed.open || is_progress(&read) => WorkReport::Progress,
        () if weighed.part => WorkReport::Doubtful,
        () => WorkReport::Unread,
    }
}

fn is_plain_text(text: &str, about: &About<'_>) -> bool {
    sentences(text).iter().all(|one| is_plainly_said(one, about, &DONE))
}

/// What speaks for a completion, and what against it.
#[derive(Debug, Default)]
struct Weighed {
    claimed: bool,
    /// Said to be not done, or done later.
    denied: bool,
    open: bool,
    /// Something beside the claim turns it.
    turned: bool,
    doubtful: bool,
    /// It may be meant as a completion, in other words.
    hinted: bool,
    /// Something is done, but not the whole.
    part: bool,
    /// Somebody else is said to have said that it is done.
    reported: bool,
    /// Another task is done.
    of_other: bool,
}

impl Weighed {
    fn of(read: &[Sentence], about: &About<'_>, worded: bool, others: bool, marked: bool) -> Weighed {
        let mut weighed = Weighed { claimed: worded, open: marked, ..Weighed::default() };
        let pull = read.iter().any(names_pull_request);
        let mentions_other = read.iter().any(|one| one.words().iter().any(|word| about.is_other(word)));
        let mut signs = usize::from(read.iter().any(opens_pull_request));
        signs += usize::from(read.iter().any(|one| !one.asks && nothing_left(one)));
        for (at, sentence) in read.iter().enumerate().filter(|(_, one)| !is_polite(one)) {
            let done = claims(sentence, about, &DONE);
            let review = claims(sentence, about, &REVIEW);
            let own = names_own(sentence, about);
            let delivered = claims(sentence, about, &DELIVERED);
            let strong = done.iter().chain(review.iter().filter(|_| pull));
            let strong = strong.chain(delivered.iter().filter(|_| own));
            for claim in strong.filter(|_| sentence.place != Place::Row || own) {
                weighed.take(claim, sentence, own, mentions_other && !own);
                // Behind the word of the form everything may be said that does not turn it.
                weighed.doubtful |=
                    !worded && claim.is_plain_whole() && !is_plainly_said(sentence, about, &DONE);
            }
            let weak = claims(sentence, about, &IMPLEMENTED);
            let whole = weak.iter().any(|claim| claim.extent == Extent::Whole && claim.mood == Mood::Plain);
            signs += usize::from(whole);
            let believed = sentence.has(&["i believe", "i think", "i guess", "i hope", "i assume"]);
            weighed.doubtful |= believed && weak.iter().any(|claim| claim.extent == Extent::Whole);
            weighed.part |= weak.iter().any(|claim| claim.mood == Mood::Plain);
            weighed.hinted |= own && weak.iter().any(|claim| claim.mood == Mood::Plain && (whole || pull));
            weighed.hinted |= own && !sentence.asks && nothing_left(sentence);
            weighed.doubtful |= is_unproven(sentence);
            let past = is_past(sentence, read.get(at + 1)) || is_of_other_work(sentence);
            if !sentence.aside && ((is_open(sentence) && !past) || (worded && is_condition(sentence))) {
                weighed.open = true;
            }
            let turned = turn(sentence).is_some() || (sentence.asks && !offers_more(sentence));
            weighed.turned |= !past && if sentence.aside { takes_from(sentence) } else { turned };
        }
        weighed.claimed |= signs >= 2 && !others;
        let quotes = |one: &Sentence| mood::is_reported(one) && one.has(&[SHOWN]);
        weighed.reported |= !weighed.denied && read.iter().any(quotes);
        if others && !worded {
            weighed.claimed = false;
        }
        weighed
    }

    fn take(&mut self, claim: &Claim, sentence: &Sentence, own: bool, of_other: bool) {
        // `It is done` below a sentence on another task.
        let pronoun = sentence.words().iter().any(|word| matches!(*word, "it" | "that" | "this"));
        let other = claim.extent == Extent::Other || (of_other && pronoun);
        match (claim.extent, claim.mood) {
            _ if other => self.of_other = true,
            (Extent::Whole, Mood::Plain) => self.claimed = true,
            (Extent::Whole, Mood::Negated | Mood::Later) => self.denied = true,
            (Extent::Whole, Mood::Doubtful) => self.doubtful = true,
            (_, Mood::Reported) => self.reported = true,
            (Extent::Part | Extent::Other, Mood::Doubtful)
                if sentence.asks || (own && is_hedged(sentence)) =>
            {
                self.doubtful = true;
            }
            (Extent::Part | Extent::Other, mood) => {
                self.part = true;
                // `The bot closed GH-1 as complete`: of the task itself, and nobody can say what.
                self.hinted |= own && mood == Mood::Plain && sentence.place == Place::Prose;
            }
        }
    }
}

fn names_own(sentence: &Sentence, about: &About<'_>) -> bool {
    sentence.words().iter().any(|word| about.is_own(word))
}

/// The form as it is shown, with its blank or with the id, where it is not said: `[DONE] {task_id}`.
fn shows_form(body: &str, about: &About<'_>) -> bool {
    text::lines(body).iter().any(|line| {
        let bare = line.text.trim().trim_matches(['*', '`']);
        let form = bare.get(..6).is_some_and(|tag| tag.eq_ignore_ascii_case("[done]"));
        let own = || bare.split_whitespace().any(|word| about.is_own(word));
        line.own() && form && (bare.contains(['{', '<']) || own())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> WorkReport {
        report(body, &About { ids: &["GH-210"], title: "Add rate limiting to the login endpoint" })
    }

    #[test]
    fn talk_11_a_done_task_is_completed() {
        let done = [
            "GH-210 is complete, PR #88 is open",
            "Done!",
            "I'm done.",
            "I have finished the task.",
            "Finished GH-210.",
            "All work on GH-210 is complete.",
            "✅ Task complete",
            "The rate limiting is done and tested.",
            "All acceptance criteria are met and PR #12 is up.",
            "PR #88 is ready for review.",
            "Completed. Nothing is left to do.",
            "[COMPLETE] GH-210",
            "Everything is implemented and PR 88 is open for review.",
            "It's finished, see https://github.com/acme/auth/pull/88.",
            "Status: done\nTask: GH-210",
            "## GH-210 – complete\n\n| # | Criterion | Status |\n|---|---|---|\n| 1 | >5 failed logins get 429 | ✅ met |",
            "# GH-210: finished\n\nPR #12.",
            "### ✅ GH-210 - done\n\n- limiter added\n- test added",
            "I finished GH-210. At first the limiter did not work behind the proxy. That's fixed (90d1ab4).",
            "GH-210 is done. Initially two tests were failing. Both are fixed.",
            "Done. Earlier the build was broken on ARM. I have fixed that.",
            "{\"task_id\": \"GH-210\", \"status\": \"completed\", \"commit\": \"e7710ba\"}",
        ];
        for body in done {
            assert!(matches!(read(body), WorkReport::Completed { .. }), "{body}: {:?}", read(body));
        }
    }

    #[test]
    fn talk_11_what_only_sounds_like_it_is_never_completed() {
        let not = [
            "GH-210 is complete except the docs",
            "should be done",
            "GH-210 is done once #88 is merged",
            "Is GH-210 done?",
            "almost done",
            "GH-211 is done",
            "> GH-210 is done",
            "impl-2 says GH-210 is done",
            "GH-210 will be done tomorrow",
            "not done yet",
            "The limiter is done",
            "Done:\n- limiter\n\nTodo:\n- test",
            "Done with the limiter",
            "I could mark it as done",
            "Well done!",
            "I have completed 2 of 3 criteria.",
            "[DONE] GH-210 once the CI is green",
            "Mark GH-210 as complete.",
            "The task is complete. The test is not written yet.",
            "- [x] limiter\n- [ ] test\n\nDone so far.",
            "Once done I will write [DONE] GH-210.",
            "Nobody has done it",
            "It isn't complete.",
            "If all goes well GH-210 is finished.",
            "My part is done.",
            "Definition of done: the test passes",
            "I'm done for today.",
            "## GH-210 – complete\n\n- [x] limiter\n- [ ] test",
            "## GH-210 – complete the limiter",
            "## GH-210 – done\n- limiter\n\n## GH-210 – next\n- test",
            "## GH-210 – done\n- limiter\n\n## GH-210 – remaining\n- test",
            "## GH-210 – complete?",
            "## GH-211 – complete",
            "## Limiter – complete",
            "I finished GH-210. At first the limiter did not work. That's fixed in theory.",
            "I finished GH-210. At first the limiter did not work. That's not fixed.",
            "I finished GH-210. At first the limiter did not work, and it still does not. That's fixed soon.",
            "I finished GH-210. The limiter does not work. That's fixed.",
            "If CI goes green on c91f7d3, you can regard GH-210 as complete.",
            "{\"task_id\": \"GH-210\", \"status\": \"completed\", \"todo\": [\"test\"]}",
        ];
        for body in not {
            assert!(!matches!(read(body), WorkReport::Completed { .. }), "{body}");
        }
    }

    #[test]
    fn talk_12_progress_is_progress_and_doubt_is_doubt() {
        let table = [
            ("Quick progress update: the limiter is in, tests next.", WorkReport::Progress),
            ("- [x] limiter\n- [ ] test", WorkReport::Progress),
            ("Not yet.", WorkReport::Progress),
            ("It will be done tomorrow.", WorkReport::Progress),
            ("complete except the docs", WorkReport::Doubtful),
            ("should be done", WorkReport::Doubtful),
            ("[CHECKPOINT] GH-210 2 - limiter done", WorkReport::Checkpoint { number: 2 }),
            ("If CI goes green on c91f7d3, you can regard GH-210 as complete.", WorkReport::Doubtful),
            ("When the deploy is through, treat GH-210 as done.", WorkReport::Doubtful),
            ("Provided that nobody objects you can count GH-210 as finished.", WorkReport::Doubtful),
            ("impl-2 says he has finished it:\n\n> GH-210 done\n\nShall I stop mine?", WorkReport::Unread),
            ("The bot reported GH-210 as complete.", WorkReport::Unread),
            ("According to impl-2 the task is done. I added nothing.", WorkReport::Unread),
            (
                "I implemented it but couldn't run the tests. In theory everything should work.",
                WorkReport::Doubtful,
            ),
            ("I added the limiter. None of this has been tested.", WorkReport::Doubtful),
            ("I wrote all of it blind, it should work.", WorkReport::Doubtful),
            ("Thanks!", WorkReport::Courtesy),
            ("Wilco: mark GH-210 as received.", WorkReport::Unread),
        ];
        for (body, expected) in table {
            assert_eq!(read(body), expected, "{body}");
        }
    }
}
