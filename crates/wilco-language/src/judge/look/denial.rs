//! A negation that the task has not. Each denial of an understanding must have one of the task to lean on, or deny nothing
//! that the task is about; and what the task forbids must not be done.

use std::collections::HashSet;

use super::text::{CHANGE, DELETE, LookWord, is_denial, look_stem};

/// A denial of the task, in whatever words.
struct TaskDenial {
    kind: DenialKind,
    /// What it denies.
    reached: Vec<String>,
    /// All that its clause speaks of.
    clause: Vec<String>,
    /// And its sentence.
    sentence: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DenialKind {
    /// "Not", "never", "without".
    Plain,
    /// "Remove", "refuse", "off": there is something, and it goes.
    Away,
    /// "Unknown": what is not known.
    Prefix,
    /// "Same", "stays", "unaffected": there is a change, and not here.
    Same,
    /// "Only": there is more, and it does not count.
    Only,
}

/// A denial of an understanding.
struct SaidDenial<'a> {
    at: usize,
    reached: Vec<&'a str>,
    before: Vec<&'a str>,
}

/// What is denied that the task does not deny, or done that it forbids.
pub(super) fn denied(asked: &[LookWord], said: &[LookWord]) -> Option<String> {
    let task = Task::of(asked);
    let counts_none = asked.iter().any(|word| ["0", "zero"].contains(&word.lower.as_str()));
    let bounded = has_bound(asked);
    let is_count = |at: usize| {
        let led = at > 0 && ["with", "at", "of"].contains(&said[at - 1].lower.as_str());
        counts_none && (said[at].lower == "zero" || (said[at].lower == "none" && led))
    };
    let denies = |at: &usize| is_denial(&said[*at].lower) && !is_count(*at);
    let denials =
        (0..said.len()).filter(denies).filter(|at| !(is_idiom(said, *at) || bounded && is_bound(said, *at)));
    if denials.clone().count() > MOST_DENIALS {
        return Some("too many to compare".to_owned());
    }
    let unfounded = denials.map(|at| said_denial(said, at)).find(|denial| !task.allows(said, denial));
    let word = |denial: SaidDenial<'_>| said[denial.at].lower.clone();
    unfounded.map(word).or_else(|| task.skipped(said)).or_else(|| task.broken(said))
}

/// More than this many denials are not compared with each other.
const MOST_DENIALS: usize = 200;

struct Task<'a> {
    stems: HashSet<&'a str>,
    denials: Vec<TaskDenial>,
    /// What it speaks of outside of its own denials.
    wanted: HashSet<&'a str>,
}

impl<'a> Task<'a> {
    fn of(words: &'a [LookWord]) -> Task<'a> {
        let denials: Vec<TaskDenial> =
            (0..words.len()).filter_map(|at| task_denial(words, at)).take(MOST_DENIALS).collect();
        let mut wanted = HashSet::new();
        let mut at = 0;
        for thought in
            words.chunk_by(|one, next| one.clause == next.clause && !is_turn(one) && !is_turn(next))
        {
            let away = |word: &LookWord| kind(word) == Some(DenialKind::Away);
            let gone = thought.iter().filter(|word| away(word)).count();
            let mut banned = false;
            for word in thought {
                banned |= is_denial(&word.lower) && !is_idiom(words, at);
                at += 1;
                let goes = gone > usize::from(away(word)) && kind(word).is_none();
                let same = kind(word) == Some(DenialKind::Same);
                if word.tells && !banned && !same && !goes {
                    wanted.insert(word.stem.as_str());
                }
            }
        }
        let stems = words.iter().map(|word| word.stem.as_str()).collect();
        Task { stems, denials, wanted }
    }

    fn has(&self, stem: &str) -> bool {
        self.stems.contains(stem)
    }

    fn allows(&self, said: &[LookWord], denial: &SaidDenial<'_>) -> bool {
        let away = denial.reached.iter().any(|stem| AWAY.contains(stem));
        let foreign = denial.reached.iter().all(|stem| !self.has(stem));
        let no_longer = said.get(denial.at + 1).is_some_and(|next| next.lower == "longer");
        self.denials.iter().any(|own| self.leans(said, denial, own, away))
            || self.denies_harm(denial)
            || self.says_what_is_gone(denial)
            || (foreign && (no_longer || is_until(said, denial.at) || self.is_condition(said, denial)))
    }

    /// Whether this denial of the task is what is meant.
    fn leans(&self, said: &[LookWord], denial: &SaidDenial<'_>, own: &TaskDenial, away: bool) -> bool {
        let SaidDenial { at, reached, before } = denial;
        let shared = |list: &[&str], with: &[String]| {
            list.iter().filter(|stem| with.iter().any(|other| other == *stem)).count()
        };
        let denied = shared(reached, &own.reached);
        let subjects = shared(reached, &own.clause) + shared(before, &own.clause);
        let contrary = |excused: &[String]| {
            let strange = |stem: &&&str| !excused.iter().any(|own| own == **stem);
            reached.iter().filter(strange).any(|stem| self.wanted.contains(*stem))
        };
        match own.kind {
            DenialKind::Plain => {
                let meant = denied > 0
                    || subjects >= 2
                    || (!own.clause.is_empty() && subjects == own.clause.len())
                    || (own.reached.is_empty() && subjects > 0)
                    // "Personal data never ends up there" for "no personal data".
                    || (shared(before, &own.reached) > 0 && reached.iter().all(|stem| !self.has(stem)));
                // "Not deleted" of what must not be touched.
                let spared =
                    subjects >= 2 && reached.iter().all(|stem| AWAY.contains(stem) || *stem == CHANGE);
                // "Users never share counters" for "counters are not shared between users".
                let turned = denied > 0 && shared(reached, &own.sentence) >= 2 && !contrary(&own.sentence);
                // "Without parameters" for "parameters are not logged".
                let of_a_thing = ["no", "without"].contains(&said[*at].lower.as_str());
                let thing = of_a_thing
                    && reached.first().is_some_and(|stem| own.clause.iter().any(|own| own == stem))
                    && !contrary(&own.clause);
                // "Nothing is logged" says more than that one thing is not.
                let all = ["nothing", "none", "nobody"].contains(&said[*at].lower.as_str());
                let too_much = all && reached.iter().any(|stem| self.wanted.contains(*stem));
                !too_much && (thing || (meant && (spared || turned || !contrary(&own.reached))))
            }
            // "A key that we don't know" for "unknown keys".
            DenialKind::Prefix => denied > 0 && !contrary(&own.sentence),
            DenialKind::Away => !away && subjects > 0 && !contrary(&own.reached),
            DenialKind::Same => {
                let other = said[at + 1..].iter().take(4).any(|word| OTHER.contains(&word.lower.as_str()));
                let changes = reached.contains(&CHANGE) || said[*at].lower == "nothing";
                (changes || other) && !contrary(&own.clause)
            }
            DenialKind::Only => {
                let near = said.iter().skip(at.saturating_sub(NEAR)).take(2 * NEAR);
                let sentence = near.filter(|word| word.sentence == said[*at].sentence && word.tells);
                let about = sentence.filter(|word| own.clause.contains(&word.stem)).count();
                !away && about > 0 && !reached.is_empty() && reached.iter().all(|stem| !self.has(stem))
            }
        }
    }

    /// "So that nothing is lost": nobody wants what is denied there.
    fn denies_harm(&self, denial: &SaidDenial<'_>) -> bool {
        denial.reached.first().is_some_and(|stem| HARM.contains(stem) && !self.has(stem))
    }

    /// "Until none is left", of a task in which something goes.
    fn says_what_is_gone(&self, denial: &SaidDenial<'_>) -> bool {
        let left = |stem: &&str| ["left", "remain", "stay"].contains(stem);
        let goes =
            |own: &TaskDenial| matches!(own.kind, DenialKind::Plain | DenialKind::Away | DenialKind::Prefix);
        !denial.reached.is_empty() && denial.reached.iter().all(left) && self.denials.iter().any(goes)
    }

    /// "If it cannot be reached": the other case of a task that has two.
    fn is_condition(&self, said: &[LookWord], denial: &SaidDenial<'_>) -> bool {
        const CONDITIONS: [&str; 9] =
            ["if", "when", "whenever", "where", "that", "which", "who", "unless", "until"];
        const OTHERWISE: [&str; 14] = [
            "otherwis", "els", "fall", "fallback", "fail", "failur", "down", "error", "unless", "unavail",
            "beyond", "without", "reject", "invalid",
        ];
        let clause = said[denial.at].clause;
        let led = said[..denial.at].iter().rev().take(NEAR).take_while(|word| word.clause == clause);
        led.into_iter().any(|word| CONDITIONS.contains(&word.lower.as_str()))
            && OTHERWISE.iter().any(|stem| self.has(stem))
    }

    /// "I skip the metrics": leaves out what is wanted, without a word that says no.
    fn skipped(&self, said: &[LookWord]) -> Option<String> {
        const SKIPS: [&str; 5] = ["skip", "ignor", "omit", "neglect", "disregard"];
        let skips = |at: &usize| SKIPS.contains(&said[*at].stem.as_str()) && !self.has(&said[*at].stem);
        let left_out = |at: &usize| {
            let reached = reached(said, *at);
            let before = before(said, *at);
            let object = reached.iter().take(2).chain(before.iter().filter(|_| reached.is_empty()));
            object.into_iter().any(|stem| self.wanted.contains(*stem))
        };
        (0..said.len()).filter(skips).find(left_out).map(|at| said[at].lower.clone())
    }

    /// What the task forbids and a clause without any denial does.
    fn broken(&self, said: &[LookWord]) -> Option<String> {
        const ENDS: [&str; 2] = [DELETE, "revok"];
        let clauses = said.chunk_by(|one, next| one.clause == next.clause);
        let plain = clauses.filter(|clause| !clause.iter().any(|word| is_denial(&word.lower)));
        plain
            .flat_map(|clause| {
                let stems: Vec<&str> =
                    clause.iter().filter(|word| word.tells).map(|word| word.stem.as_str()).collect();
                const LIMITS: [&str; 19] = [
                    "impossible",
                    "barred",
                    "locked",
                    "disallowed",
                    "unable",
                    "instead",
                    "rather",
                    "unless",
                    "beyond",
                    "limits",
                    "other",
                    "disappear",
                    "gone",
                    "taken",
                    "away",
                    "free",
                    "clear",
                    "rid",
                    "immutable",
                ];
                let denies =
                    clause.iter().any(|word| kind(word).is_some() || LIMITS.contains(&word.lower.as_str()));
                let ends = stems.iter().any(|stem| ENDS.contains(stem));
                self.denials.iter().filter(move |own| own.kind == DenialKind::Plain).filter_map(move |own| {
                    let hit =
                        |list: &[String]| list.iter().filter(|stem| stems.contains(&stem.as_str())).count();
                    let (done, spoken) = (hit(&own.reached), hit(&own.clause));
                    let all = own.reached.iter().all(|stem| !self.wanted.contains(stem.as_str()));
                    let alone = own.reached.len() == 1 && own.reached[0] != CHANGE && done == 1 && all;
                    let most = done >= 1 && spoken >= 2 && spoken * 5 >= own.clause.len() * 3;
                    let ended = ends && spoken >= 2 && own.reached.iter().any(|stem| stem == CHANGE);
                    ((!denies && (alone || most)) || ended).then(|| own.reached.join(" "))
                })
            })
            .next()
    }
}

fn task_denial(words: &[LookWord], at: usize) -> Option<TaskDenial> {
    let owned = |list: Vec<&str>| -> Vec<String> { list.into_iter().map(str::to_owned).collect() };
    let (before, after) = (before(words, at), reached(words, at));
    let clause = owned([before, after.clone()].concat());
    let sentence = owned(sentence(words, at));
    if is_denial(&words[at].lower) && !is_idiom(words, at) {
        return Some(TaskDenial { kind: DenialKind::Plain, reached: owned(after), clause, sentence });
    }
    let out = words.get(at + 1).is_some_and(|next| ["out", "behind"].contains(&next.lower.as_str()));
    let left_out = out && ["left", "leav"].contains(&words[at].stem.as_str());
    if let Some(kind) = left_out.then_some(DenialKind::Away).or_else(|| kind(&words[at])) {
        return Some(TaskDenial { kind, reached: clause.clone(), clause, sentence });
    }
    let bare = ["un", "in", "dis", "im"].iter().filter_map(|prefix| words[at].lower.strip_prefix(prefix));
    let bare: Vec<String> = bare.filter(|rest| rest.len() >= 4).map(look_stem).collect();
    let known = words[at].tells && !bare.is_empty();
    known.then(|| TaskDenial { kind: DenialKind::Prefix, reached: bare.clone(), clause: bare, sentence })
}

/// What denies without saying no.
fn kind(word: &LookWord) -> Option<DenialKind> {
    const SAME: [&str; 19] = [
        "same", "unchang", "ident", "stay", "remain", "keep", "kept", "unaffect", "untouch", "intact",
        "preserv", "still", "left", "leav", "compat", "retain", "continu", "exact", "as-is",
    ];
    const ONLY: [&str; 5] = ["onli", "just", "sole", "exclus", "alon"];
    let unchanged = ["unchanged", "unaffected", "untouched"].contains(&word.lower.as_str());
    let stem = word.stem.as_str();
    match () {
        () if unchanged || SAME.contains(&stem) => Some(DenialKind::Same),
        () if ONLY.contains(&stem) => Some(DenialKind::Only),
        () if AWAY.contains(&stem) => Some(DenialKind::Away),
        () => None,
    }
}

const AWAY: [&str; 31] = [
    DELETE,
    "stop",
    "block",
    "refus",
    "reject",
    "ban",
    "forbid",
    "forbidden",
    "prevent",
    "avoid",
    "disabl",
    "hide",
    "hidden",
    "exclud",
    "omit",
    "suppress",
    "off",
    "exempt",
    "except",
    "skip",
    "ignor",
    "abandon",
    "revok",
    "deni",
    "lack",
    "prohibit",
    "elimin",
    "strip",
    "discard",
    "outsid",
    "empti",
];

/// What "not the same" is called.
const OTHER: [&str; 7] = ["new", "another", "other", "different", "second", "separate", "extra"];

/// What nobody wants, so that denying it takes nothing back.
const HARM: [&str; 24] = [
    "lost",
    "lose",
    "loss",
    "break",
    "broken",
    "breakag",
    "stale",
    "fail",
    "failur",
    "crash",
    "leak",
    "regress",
    "drift",
    "corrupt",
    "interrupt",
    "disturb",
    "surpris",
    "downtim",
    "forgotten",
    "disrupt",
    "slip",
    "conflict",
    "clash",
    "flicker",
];

fn said_denial(said: &[LookWord], at: usize) -> SaidDenial<'_> {
    SaidDenial { at, reached: reached(said, at), before: before(said, at) }
}

/// Whether a word begins another thought within a clause.
fn is_turn(word: &LookWord) -> bool {
    const TURNS: [&str; 13] = [
        "and", "but", "while", "so", "then", "if", "when", "because", "unless", "although", "until",
        "before", "after",
    ];
    TURNS.contains(&word.lower.as_str())
}

/// What follows in the clause, up to another thought. "No address is refused" denies addresses: a verb ends what a
/// thing's "no" reaches.
fn reached(words: &[LookWord], at: usize) -> Vec<&str> {
    const MOST: usize = 6;
    const VERBS: [&str; 9] = ["is", "are", "gets", "get", "goes", "go", "must", "will", "should"];
    let of_a_thing = ["no", "without"].contains(&words[at].lower.as_str());
    let clause = words[at + 1..]
        .iter()
        .take(NEAR)
        .take_while(|word| word.clause == words[at].clause && !is_turn(word));
    let thing = clause.take_while(|word| !of_a_thing || !VERBS.contains(&word.lower.as_str()));
    thing.filter(|word| word.tells).take(MOST).map(|word| word.stem.as_str()).collect()
}

/// What the sentence speaks of, as far as it is near.
fn sentence(words: &[LookWord], at: usize) -> Vec<&str> {
    let near = words[at.saturating_sub(NEAR)..].iter().take(2 * NEAR);
    let same = near.filter(|word| word.sentence == words[at].sentence && word.tells);
    same.map(|word| word.stem.as_str()).collect()
}

/// What the task itself denies.
pub(super) fn denied_stems(asked: &[LookWord]) -> HashSet<String> {
    let denials = (0..asked.len()).filter_map(|at| task_denial(asked, at)).take(MOST_DENIALS);
    denials.filter(|own| own.kind == DenialKind::Plain).flat_map(|own| own.reached).collect()
}

/// "Unfinished" for "that nobody finished".
pub(super) fn is_denied(denied: &HashSet<String>, word: &str) -> bool {
    let bare = ["un", "in", "im", "ir", "dis", "non"].iter().filter_map(|prefix| word.strip_prefix(prefix));
    bare.map(look_stem).any(|stem| denied.contains(&stem))
}

/// "No page exceeds 50" says what "at most 50" says; its number is looked at by itself.
fn is_bound(said: &[LookWord], at: usize) -> bool {
    let ahead = said[at + 1..].iter().take(4).take_while(|word| word.clause == said[at].clause);
    ahead.into_iter().any(|word| word.stem == "exceed")
}

fn has_bound(asked: &[LookWord]) -> bool {
    const BOUNDS: [&str; 14] = [
        "most", "maximum", "max", "limit", "limited", "under", "below", "up", "within", "than", "cap",
        "capped", "exceed", "ceiling",
    ];
    asked.iter().any(|word| BOUNDS.contains(&word.lower.as_str()))
}

fn before(words: &[LookWord], at: usize) -> Vec<&str> {
    let clause =
        words[..at].iter().rev().take_while(|word| word.clause == words[at].clause && !is_turn(word));
    clause.take(NEAR).filter(|word| word.tells).map(|word| word.stem.as_str()).collect()
}

/// Words away from a denial that still belong to it.
const NEAR: usize = 40;

/// "Not done until": says when, not that it is not.
fn is_until(words: &[LookWord], at: usize) -> bool {
    let clause = words[at..].iter().take(NEAR).take_while(|word| word.clause == words[at].clause);
    clause.into_iter().any(|word| ["until", "unless", "before"].contains(&word.lower.as_str()))
}

/// "No more than", "not only", "nothing else", "no questions": denies nothing of a task.
fn is_idiom(words: &[LookWord], at: usize) -> bool {
    const THAN: [&str; 9] =
        ["more", "less", "fewer", "later", "earlier", "longer", "larger", "bigger", "higher"];
    const NOTHING: [&str; 12] = [
        "only",
        "just",
        "else",
        "questions",
        "question",
        "blockers",
        "concerns",
        "objections",
        "doubts",
        "matter",
        "doubt",
        "problem",
    ];
    let next = |ahead: usize| words.get(at + ahead).map_or("", |word| word.lower.as_str());
    (THAN.contains(&next(1)) && next(2) == "than") || NOTHING.contains(&next(1))
}
