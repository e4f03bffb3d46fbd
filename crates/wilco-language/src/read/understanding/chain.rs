//! A text as a chain: the words that tell something, each with the small words before it that turn
//! its meaning (`not`, `only`, `before`, `from`) and how it hangs on the one before.
//!
//! Whether two chains say the same is the question of `follow`.

use std::rc::Rc;

use super::hashed::HashSet;
use super::quantity;
use super::vocabulary as vocab;
use super::words::{SIGNS, Words};

/// A text as linked words.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) beads: Vec<Bead>,
}

/// A word that tells something, and how it hangs on the one before.
#[derive(Debug, Clone)]
pub(super) struct Bead {
    /// What it is compared by: its stem, or its amount.
    pub(super) key: Rc<str>,
    /// The turning words before it, sorted.
    pub(super) turned: Vec<&'static str>,
    /// The preposition before it; none counts where a building verb began the clause.
    pub(super) link: Link,
    /// The turning words behind it, where its phrase ends.
    pub(super) ending: Vec<&'static str>,
    pub(super) first: bool,
    pub(super) last: bool,
    /// "is", "are" stand before it: this is done to what is named before.
    pub(super) passive: bool,
    /// As written, in lower case.
    pub(super) form: Rc<str>,
    pub(super) phrase: usize,
    pub(super) sentence: usize,
    /// A list and the phrase it hangs on share a number.
    pub(super) run: usize,
    /// Which of the texts that were joined it comes from.
    pub(super) part: usize,
}

/// What a chain is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Title,
    Demand,
    /// What was said of the task whose words these are.
    PreparedUnderstanding(&'a Words),
}

/// Reads a text as a chain.
pub(super) fn chain(words: &Words, source: Source<'_>) -> Chain {
    let mut beads: Vec<Bead> = Vec::new();
    let mut pending = Pending::default();
    let mut clause = 0;
    for (at, word) in words.list.iter().enumerate() {
        let joins = matches!(word.lower.as_ref(), "and" | "but" | "plus");
        if word.clause != clause || joins {
            pending.end_phrase(&mut beads);
            let same = word.clause == clause;
            pending.in_clause &= same;
            pending.begun &= same;
            clause = word.clause;
        }
        let counts = || match source {
            Source::Title | Source::Demand => !COURTESY.contains(&word.lower.as_ref()),
            Source::PreparedUnderstanding(task) => {
                pending.in_clause || task.list.iter().any(|own| own.lower == word.lower)
            }
        };
        if let Some(turn) = word.is.turn.or_else(|| word.is.filler.filter(|_| counts())) {
            pending.turned.push(if turn == "to" && pending.begun { "added to" } else { turn });
        } else if vocab::begins(&word.stem) && !pending.in_phrase {
            let announced = match source {
                Source::Title => true,
                Source::Demand => false,
                Source::PreparedUnderstanding(_) => !pending.in_clause,
            };
            pending.begun = true;
            pending.turned.push(if announced { "may build" } else { "build" });
        } else if word.tells() && !word.is.announces {
            beads.push(pending.bead(words, at));
        } else {
            pending.passive |= BE.contains(&word.lower.as_ref());
            pending.linked.extend(LINKS.iter().find(|link| **link == &*word.lower));
        }
    }
    pending.end_phrase(&mut beads);
    // Nothing that turns a meaning is lost: "…, without".
    if let Some(bead) = beads.last_mut() {
        bead.ending.append(&mut pending.turned);
    }
    let (mut phrase, mut run) = (0, 0);
    for bead in &mut beads {
        phrase += usize::from(bead.first);
        run += usize::from(bead.first && !bead.last);
        (bead.phrase, bead.run) = (phrase, run);
    }
    Chain { beads }
}

/// What was read since the last bead.
#[derive(Debug, Default)]
struct Pending {
    turned: Vec<&'static str>,
    linked: Vec<&'static str>,
    passive: bool,
    /// A bead of the same phrase, or of the same clause, came before.
    in_phrase: bool,
    in_clause: bool,
    /// A building verb began the clause: what is added "to" a thing is then "for" it or "on" it.
    begun: bool,
}

impl Pending {
    fn bead(&mut self, words: &Words, at: usize) -> Bead {
        let amount = quantity::quantity_at(words, at).map(|amount| amount.key());
        let link = if self.begun { Link::Any } else { link(self.linked.last()) };
        let mut linked = std::mem::take(&mut self.linked);
        // Beside an amount every preposition counts: "within 5" is not "for 5".
        if amount.is_some() {
            self.turned.append(&mut linked);
        }
        let mut turned = std::mem::take(&mut self.turned);
        turned.sort_unstable();
        turned.dedup();
        let bead = Bead {
            key: amount.unwrap_or_else(|| words.list[at].stem.clone()),
            turned,
            link,
            ending: Vec::new(),
            first: !self.in_phrase,
            last: false,
            passive: self.passive,
            form: words.list[at].lower.clone(),
            phrase: 0,
            sentence: words.list[at].sentence,
            run: 0,
            part: 0,
        };
        (self.passive, self.in_phrase, self.in_clause) = (false, true, true);
        bead
    }

    fn end_phrase(&mut self, beads: &mut [Bead]) {
        if let Some(bead) = beads.last_mut()
            && self.in_phrase
        {
            bead.last = true;
            bead.ending = std::mem::take(&mut self.turned);
            bead.ending.sort_unstable();
            bead.ending.dedup();
            self.passive = false;
        }
        self.linked.clear();
        self.in_phrase = false;
    }
}

const BE: [&str; 9] = ["is", "are", "be", "was", "were", "been", "being", "gets", "get"];
const LINKS: [&str; 9] = ["at", "for", "in", "of", "on", "with", "via", "using", "as"];

/// How a word hangs on the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    None,
    Place,
    Of,
    With,
    As,
    /// Something is added to, for or on it.
    Any,
}

fn link(lower: Option<&&str>) -> Link {
    match lower.copied() {
        Some("at" | "in" | "on") => Link::Place,
        Some("for" | "of") => Link::Of,
        Some("with" | "via" | "using") => Link::With,
        Some("as") => Link::As,
        _ => Link::None,
    }
}

/// The small words that turn the meaning of what follows; those that mean the same share one name. Any small word
/// does that is not known to be harmless; what agrees politely does behind the first word that tells something.
pub(super) fn turn(lower: &str) -> Option<&'static str> {
    if vocab::is_negator(lower) {
        return Some("not");
    }
    Some(match lower {
        "only" | "solely" | "exclusively" | "just" | "merely" => "only",
        "unless" => "unless",
        "until" | "till" => "until",
        "before" | "prior" => "before",
        "after" | "afterwards" | "since" => "after",
        "during" | "while" | "whilst" => "while",
        "when" | "if" | "once" | "whenever" | "upon" => "when",
        "or" | "either" => "or",
        "all" | "each" | "every" => "all",
        "some" | "few" | "several" | "many" => "some",
        "more" | "over" | "above" | "beyond" => "over",
        "less" | "fewer" | "under" | "below" => "under",
        "least" => "least",
        "to" | "into" | "onto" => "to",
        "instead" | "rather" => "instead",
        "first" => "first",
        "then" => "then",
        "may" | "can" | "could" => "may",
        "must" | "should" | "shall" => "must",
        _ => return vocab::small_word(lower).or_else(|| sign(lower)),
    })
}

/// A sign, or the minus before a number.
fn sign(lower: &str) -> Option<&'static str> {
    let found = SIGNS.char_indices().find(|(_, sign)| lower.chars().eq([*sign]));
    let found = found.and_then(|(at, sign)| SIGNS.get(at..at + sign.len_utf8()));
    found.or_else(|| (lower == "-").then_some("-"))
}

/// What a task says out of politeness, or about itself.
const COURTESY: [&str; 9] = ["please", "thanks", "thank", "hello", "hi", "task", "tasks", "work", "working"];

impl Chain {
    pub(super) fn is_empty(&self) -> bool {
        self.beads.is_empty()
    }

    pub(super) fn keys(&self) -> HashSet<Rc<str>> {
        self.beads.iter().map(|bead| bead.key.clone()).collect()
    }

    /// Texts one after the other, each a part of its own.
    pub(super) fn of_parts(parts: &[Chain]) -> Chain {
        let mut whole = Chain { beads: Vec::new() };
        for (part, chain) in parts.iter().enumerate() {
            let (phrase, run) = whole.beads.last().map_or((0, 0), |bead| (bead.phrase, bead.run + 1));
            whole.beads.extend(chain.beads.iter().cloned().map(|mut bead| {
                (bead.phrase, bead.run, bead.part) = (bead.phrase + phrase, bead.run + run, part);
                bead
            }));
        }
        whole
    }
}
