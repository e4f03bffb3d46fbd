//! Whether an understanding puts the task's words together as the task does.
//!
//! The same words may say something else: who does what to whom, what comes first, how much is
//! meant. So what is said must be links of the task's chain, and the task's demands must be links of
//! what is said.

use std::rc::Rc;

use super::chain::{Bead, Chain, Link};
use super::hashed::{HashMap, HashSet};

impl Chain {
    /// What is told beside the criteria may be left out, but only by whole sentences that nothing said comes from, and
    /// not where it forbids or limits.
    pub(super) fn is_done_justice(
        &self,
        said: &Chain,
        elsewhere: &HashSet<Rc<str>>,
        touched: &HashSet<usize>,
    ) -> bool {
        let heard = said.keys();
        self.beads.chunk_by(|one, next| one.sentence == next.sentence).all(|sentence| {
            let mut own = sentence.iter().filter(|bead| !elsewhere.contains(&bead.key));
            let binds = own.any(|bead| heard.contains(&bead.key)) || sentence.iter().any(Bead::limits);
            let touched = touched.contains(&sentence[0].sentence);
            !(binds || touched)
                || said.leads(sentence, false, |said, task| turned_alike(task, said)).is_some()
        })
    }

    /// Follows all that is said along this task, if that can be done, and says which sentences it touches.
    pub(super) fn bears_out(&self, said: &Chain) -> Option<Touched> {
        self.leads(&said.beads, true, turned_alike)
    }

    /// Whether this part of a task can be followed along what is said.
    pub(super) fn is_said_by(&self, said: &Chain) -> bool {
        said.leads(&self.beads, false, |said, task| turned_alike(task, said)).is_some()
    }

    /// Follows the beads through this chain, phrase by phrase and never back inside a part, and keeps the places
    /// where the last one may stand. `strung` phrases may follow each other without a break.
    fn leads(&self, beads: &[Bead], strung: bool, alike: Alike) -> Option<Touched> {
        let mut walk = Walk::default();
        let all = beads.chunk_by(|_, next| !next.first).all(|phrase| {
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
        });
        all.then_some(walk.touched)
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
#[derive(Default)]
struct Walk {
    places: Vec<usize>,
    /// The place reached in each part.
    reached: HashMap<usize, usize>,
    touched: Touched,
}

/// Sentences, by part and number, that something said can only come from.
pub(super) type Touched = HashSet<(usize, usize)>;

impl Walk {
    /// A phrase that stands in several parts tells nothing of the order in either.
    fn note(&mut self, beads: &[Bead]) {
        let Some(least) = self.places.iter().min() else { return };
        let Bead { part, sentence, .. } = &beads[*least];
        if self.places.iter().all(|at| beads[*at].part == *part) {
            self.reached.insert(*part, *least);
            if self.places.iter().all(|at| beads[*at].sentence == *sentence) {
                self.touched.insert((*part, *sentence));
            }
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

impl Bead {
    fn fits(&self, other: &Bead, alike: Alike) -> bool {
        let ends = || other.ending.is_empty() || alike(&self.ending, &other.ending);
        self.key == other.key && ends() && alike(&self.turned, &other.turned)
    }

    /// Forbids, or makes the task narrower.
    fn limits(&self) -> bool {
        let limits = |turn: &&str| matches!(*turn, "not" | "only" | "unless" | "instead");
        self.turned.iter().chain(&self.ending).any(limits)
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
