//! Whether an understanding puts the task's words together as the task does.
//!
//! The same words may say something else: who does what to whom, what comes first, how much is
//! meant. So both texts are read as chains: words that tell something, each with the small words
//! before it that turn its meaning (`not`, `only`, `before`, `from`). What is said must be links of
//! the task's chain, and the task's demands must be links of what is said.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::quantity;
use super::vocabulary as vocab;
use super::words::{SIGNS, Weight, Words};

/// A text as linked words.
#[derive(Debug)]
pub(super) struct Chain {
    beads: Vec<Bead>,
}

/// A word that tells something, and how it hangs on the one before.
#[derive(Debug)]
struct Bead {
    /// What it is compared by: its stem, or its amount.
    key: Rc<str>,
    /// The turning words before it, sorted.
    turned: Vec<&'static str>,
    /// The preposition before it; none counts where a building verb began the clause.
    link: Link,
    /// The turning words behind it, where its phrase ends.
    ending: Vec<&'static str>,
    /// A name or an amount.
    exact: bool,
    first: bool,
    last: bool,
    /// "is", "are" stand before it: this is done to what is named before.
    passive: bool,
    /// As written, in lower case.
    form: Rc<str>,
    phrase: usize,
    sentence: usize,
    /// A list and the phrase it hangs on share a number.
    run: usize,
    /// Which of the texts that were joined it comes from.
    part: usize,
}

impl Bead {
    fn fits(&self, other: &Bead, alike: Alike) -> bool {
        let ends = other.ending.is_empty() || alike(&self.ending, &other.ending);
        self.key == other.key && ends && alike(&self.turned, &other.turned)
    }

    fn is_turned(&self) -> bool {
        let turns = |turn: &&str| !matches!(*turn, "may build" | "build" | "added to" | "all" | "must");
        self.turned.iter().chain(&self.ending).any(turns)
    }

    fn alone(&self) -> bool {
        self.first && self.last
    }

    /// "is notified" is not "notifies"; "a closed account" may be "an account that is closed".
    fn voice_fits(&self, other: &Bead) -> bool {
        let done = |plain: &Bead| plain.form.ends_with("ed");
        self.passive == other.passive
            || self.form == other.form
            || if self.passive { done(other) } else { done(self) }
    }
}

/// What a chain is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Title,
    Demand,
    /// What was said of the task whose words these are.
    Said(&'a Words),
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
        let filler = match source {
            Source::Title | Source::Demand => !COURTESY.contains(&word.lower.as_ref()),
            Source::Said(task) => pending.in_clause || task.list.iter().any(|own| own.lower == word.lower),
        };
        if let Some(turn) = turn(&word.lower, filler) {
            pending.turned.push(if turn == "to" && pending.begun { "added to" } else { turn });
        } else if vocab::begins(&word.root) && !pending.in_phrase {
            let announced = match source {
                Source::Title => true,
                Source::Demand => false,
                Source::Said(_) => !pending.in_clause,
            };
            pending.begun = true;
            pending.turned.push(if announced { "may build" } else { "build" });
        } else if word.tells() && !vocab::announces(&word.lower) {
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
            exact: amount.is_some() || words.list[at].weight == Weight::Exact,
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
enum Link {
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
fn turn(lower: &str, filler: bool) -> Option<&'static str> {
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
        _ => {
            return vocab::small_word(lower)
                .or_else(|| vocab::filler(lower).filter(|_| filler))
                .or_else(|| sign(lower));
        }
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
    pub(super) fn of_parts(parts: impl Iterator<Item = Chain>) -> Chain {
        let mut whole = Chain { beads: Vec::new() };
        for (part, chain) in parts.enumerate() {
            let (phrase, run) = whole.beads.last().map_or((0, 0), |bead| (bead.phrase, bead.run + 1));
            whole.beads.extend(chain.beads.into_iter().map(|mut bead| {
                (bead.phrase, bead.run, bead.part) = (bead.phrase + phrase, bead.run + run, part);
                bead
            }));
        }
        whole
    }

    /// What is told beside the criteria may be left out, but only by whole sentences, and not where it limits the
    /// task: names, amounts and turned words bind.
    pub(super) fn is_done_justice(&self, said: &Chain, elsewhere: &HashSet<Rc<str>>) -> bool {
        let heard = said.keys();
        self.beads.chunk_by(|one, next| one.sentence == next.sentence).all(|sentence| {
            let mut own = sentence.iter().filter(|bead| !elsewhere.contains(&bead.key));
            let binds = own.any(|bead| bead.exact || bead.is_turned() || heard.contains(&bead.key));
            let said_so_far = sentence.iter().filter(|bead| heard.contains(&bead.key)).count();
            let halved = said_so_far * 2 > sentence.len();
            !(binds || halved) || said.leads(sentence, false, |said, task| turned_alike(task, said))
        })
    }

    /// Whether all that is said can be followed along this task.
    pub(super) fn bears_out(&self, said: &Chain) -> bool {
        self.leads(&said.beads, true, turned_alike)
    }

    /// Whether this part of a task can be followed along what is said.
    pub(super) fn is_said_by(&self, said: &Chain) -> bool {
        said.leads(&self.beads, false, |said, task| turned_alike(task, said))
    }

    /// Follows the beads through this chain, phrase by phrase and never back inside a part, and keeps the places
    /// where the last one may stand. `strung` phrases may follow each other without a break.
    fn leads(&self, beads: &[Bead], strung: bool, alike: Alike) -> bool {
        let mut walk = Walk { places: Vec::new(), reached: HashMap::new() };
        beads.chunk_by(|_, next| !next.first).all(|phrase| {
            walk.places = self.begin(phrase, &walk, strung, alike);
            let mut before = &phrase[0];
            let all = phrase[1..].iter().all(|bead| {
                let step = |from: &usize, to: usize| {
                    self.step(*from, to, before, bead) || (strung && self.strings(*from, to))
                };
                let fits = |to: &usize| self.beads[*to].fits(bead, alike);
                let follows = |to: &usize| walk.places.iter().any(|from| step(from, *to));
                let next: Vec<usize> = (0..self.beads.len()).filter(fits).filter(follows).collect();
                let found = !next.is_empty();
                // What is done to a thing stands beside it; the next word goes on from the thing.
                if !bead.passive {
                    walk.places.clear();
                }
                walk.places.extend(next);
                before = bead;
                found
            });
            walk.note(&self.beads);
            all && !walk.places.is_empty()
        })
    }

    /// Where a phrase may begin: where one of this chain begins, or at a verb that moved to the front or to the end.
    fn begin(&self, phrase: &[Bead], walk: &Walk, strung: bool, alike: Alike) -> Vec<usize> {
        let bead = &phrase[0];
        let moved = |at: usize| {
            let verb = at.checked_sub(1).map(|at| &self.beads[at]).filter(|verb| verb.first);
            verb.is_some_and(|verb| phrase.iter().any(|bead| bead.passive && bead.key == verb.key))
        };
        let begins = |at: &usize| {
            let own = &self.beads[*at];
            own.fits(bead, alike) && (!strung || own.first || own.passive || moved(*at))
        };
        let ahead = |at: &usize| walk.reached.get(&self.beads[*at].part).is_none_or(|reached| at > reached);
        let places = (0..self.beads.len()).filter(begins).filter(ahead);
        places.filter(|at| walk.places.is_empty() || self.stays(&walk.places, *at)).collect()
    }

    /// Whether one word leads on to the other inside a phrase.
    fn step(&self, from: usize, to: usize, before: &Bead, bead: &Bead) -> bool {
        let (left, right) = (&self.beads[from], &self.beads[to]);
        let between = self.beads.get(from + 1).filter(|_| from + 2 == to);
        let linked = right.link == bead.link || right.link == Link::Any || bead.link == Link::Any;
        let beside = !right.first && from + 1 == to && linked && right.voice_fits(bead);
        let over_verb = !right.first && between.is_some_and(|verb| verb.passive && !verb.first);
        // "files are deleted" is "delete files".
        let active = before.first && right.first && left.passive && left.phrase == right.phrase;
        let passive = bead.passive && right.first && left.phrase == right.phrase;
        beside || over_verb || active || passive
    }

    fn strings(&self, from: usize, to: usize) -> bool {
        let (left, right) = (&self.beads[from], &self.beads[to]);
        right.first && left.last && left.phrase != right.phrase
    }

    /// An item of a list stays with its list.
    fn stays(&self, places: &[usize], at: usize) -> bool {
        let own = &self.beads[at];
        let listed = own.alone() && at > 0 && self.beads[at - 1].run == own.run;
        !listed || places.iter().any(|from| self.beads[*from].run == own.run)
    }
}

type Alike = fn(&[&str], &[&str]) -> bool;

/// How far a chain was followed.
struct Walk {
    places: Vec<usize>,
    /// The place reached in each part.
    reached: HashMap<usize, usize>,
}

impl Walk {
    /// A phrase that stands in several parts tells nothing of the order in either.
    fn note(&mut self, beads: &[Bead]) {
        let parts: HashSet<usize> = self.places.iter().map(|at| beads[*at].part).collect();
        if let (1, Some(at)) = (parts.len(), self.places.iter().min()) {
            self.reached.insert(beads[*at].part, *at);
        }
    }
}

/// Whether the turning words of a task are those said. What holds for all holds without saying "all", and what
/// is to be done must be done.
fn turned_alike(task: &[&str], said: &[&str]) -> bool {
    let counts = |turn: &&str, other: &[&str]| match *turn {
        "must" | "added to" | "may build" => false,
        "to" => !other.contains(&"added to"),
        "build" => !other.contains(&"may build"),
        _ => true,
    };
    let wanted = task.iter().filter(|turn| counts(turn, said) && (**turn != "all" || said.contains(turn)));
    wanted.eq(said.iter().filter(|turn| counts(turn, task)))
}
