//! Whether an agent's own words show that it understood its task.
//!
//! A deterministic scorer. It decides what is clearly right or says nothing, and leaves everything
//! else to whoever gave the task: a wrong acceptance starts wrong work, a doubt costs a glance.

mod conflict;
mod order;
mod quantity;
mod vocabulary;
mod words;

use std::collections::HashSet;
use std::rc::Rc;

use self::conflict::conflicts;
use self::quantity::Quantity;
use self::words::{MOST_ASKED, MOST_SAID, Weight, Word, Words, words};

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskText<'a> {
    pub task_id: &'a str,
    pub title: &'a str,
    /// Everything said about the task beyond its title and criteria, answers to questions included.
    pub description: &'a str,
    pub criteria: &'a [String],
}

/// How an understanding was scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// In thousandths, 0 to 1000.
    pub score: u16,
    pub ruling: Ruling,
    /// Indexes of the criteria found in the understanding.
    pub covered: Vec<u16>,
    /// Indexes of those not found. A criterion without words is in neither.
    pub missing: Vec<u16>,
}

/// What the scorer decides by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// Clearly right.
    Correct,
    /// Says nothing about the task.
    Empty,
    /// For the initiator to judge.
    Unsure,
}

/// How much of a criterion, in thousandths, must be said for it to be covered.
const CRITERION: u32 = 750;
/// How much of title and description must be said when there are no criteria.
const WHOLE: u32 = 700;
/// How much of the title must be said when the criteria are covered.
const TITLE: u32 = 500;
/// How much of each phrase must be said, so that no item of a list is passed over: of three words
/// all, of four one may be missing.
const PHRASE: u32 = 700;
/// How much of what is said may be foreign to a task with criteria, and to one without.
const FOREIGN: u32 = 350;
const FOREIGN_WHOLE: u32 = 200;
/// Below these points a task is so short that one strange word may change it.
const SHORT: u32 = 10;

/// Scores an understanding against its task.
pub fn score(task: &TaskText<'_>, understanding: &str) -> Scored {
    let read = |text: &str| words(text, task.task_id, MOST_ASKED);
    let title = read(task.title);
    let criteria: Vec<Words> = task.criteria.iter().map(|text| read(text)).collect();
    let start = title.clone().and(read(task.description));
    let whole = criteria.iter().fold(start.clone(), |whole, next| whole.and(next.clone()));
    let said = Said::new(words(understanding, task.task_id, MOST_SAID), &whole, task.task_id);

    let (covered, missing) = sort_criteria(&criteria, &said);
    let measured = if covered.is_empty() && missing.is_empty() {
        said.share(&start)
    } else {
        let worded = criteria.iter().filter(|words| words.stems().next().is_some());
        let shares: Vec<u32> = worded.map(|words| said.share(words)).collect();
        shares.iter().sum::<u32>() / u32::try_from(shares.len()).unwrap_or(u32::MAX).max(1)
    };
    let ruling = if said.is_empty(&whole) {
        Ruling::Empty
    } else if conflicts(&title, &whole, &said.words) {
        Ruling::Unsure
    } else if said.is_right(&title, &start, &criteria, &missing) {
        Ruling::Correct
    } else {
        Ruling::Unsure
    };
    let score = match ruling {
        Ruling::Correct => measured,
        Ruling::Empty => 0,
        // Nobody should read a high score beside a doubt.
        Ruling::Unsure => measured.min(WHOLE),
    };
    let (covered, missing) = match ruling {
        Ruling::Empty => (Vec::new(), [covered, missing].concat()),
        Ruling::Correct | Ruling::Unsure => (covered, missing),
    };
    Scored { score: u16::try_from(score).unwrap_or(1000).min(1000), ruling, covered, missing }
}

fn sort_criteria(criteria: &[Words], said: &Said) -> (Vec<u16>, Vec<u16>) {
    let worded = criteria.iter().enumerate().filter(|(_, words)| words.stems().next().is_some());
    let indexed = worded.filter_map(|(at, words)| Some((u16::try_from(at).ok()?, words)));
    let (covered, missing): (Vec<_>, Vec<_>) = indexed.partition(|(_, words)| said.covers(words));
    let numbers = |list: Vec<(u16, &Words)>| {
        let mut numbers: Vec<u16> = list.into_iter().map(|(at, _)| at).collect();
        numbers.sort_unstable();
        numbers
    };
    (numbers(covered), numbers(missing))
}

/// Whether the word at this place of a text is said.
type Says = fn(&Said, &Words, usize) -> bool;

/// The understanding, prepared for comparison with one task.
struct Said {
    words: Words,
    /// The stems it affirms, or denies as the task does; misspelt ones as the task spells them.
    affirmed: HashSet<Rc<str>>,
    quantities: Vec<Quantity>,
    /// The parts of the task's id; naming the task says them.
    id: HashSet<Rc<str>>,
    /// Share of what is said that the task does not speak of, in thousandths.
    foreign: u32,
}

impl Said {
    fn new(said: Words, task: &Words, task_id: &str) -> Said {
        let denied: HashSet<&str> = task.list.iter().filter(|w| w.negated).map(|w| w.stem.as_ref()).collect();
        let holds = |word: &&Word| word.tells() && (!word.negated || denied.contains(&*word.stem));
        let mut affirmed: HashSet<Rc<str>> =
            said.list.iter().filter(holds).map(|word| word.stem.clone()).collect();
        let meant = |stem: &&str| affirmed.iter().any(|said| misspelt(said, stem));
        let meant: Vec<Rc<str>> = task.stems().filter(meant).map(Rc::from).collect();
        affirmed.extend(meant);
        let id = words(task_id, "", MOST_SAID).list.into_iter().map(|word| word.stem).collect();
        Said {
            affirmed,
            quantities: quantity::quantities(&said),
            id,
            foreign: foreign_share(task, &said),
            words: said,
        }
    }

    /// Nothing of its own: noise, the task's name alone, or words that would fit any task.
    fn is_empty(&self, task: &Words) -> bool {
        let own = self.words.list.iter().any(|word| word.weight > Weight::General);
        !own && self.share_by(task, Said::says_itself) < WHOLE && !self.words.asks
    }

    fn is_right(&self, title: &Words, start: &Words, criteria: &[Words], missing: &[u16]) -> bool {
        let worded: Vec<&Words> = criteria.iter().filter(|c| c.stems().next().is_some()).collect();
        if self.foreign > FOREIGN || !missing.is_empty() {
            return false;
        }
        // A word left out while a strange one came in: that may be the one for the other.
        let replaced = |words: &Words, says| self.foreign > 0 && self.lacks_by(words, Weight::Plain, says);
        if worded.is_empty() {
            let told = start.stems().next().is_some() && self.share(start) >= WHOLE;
            let whole = self.says_each_phrase(start) && !self.lacks(start, Weight::Exact);
            let strange = if points(start) < SHORT { 0 } else { FOREIGN_WHOLE };
            told && whole && !replaced(title, Said::says) && self.foreign <= strange
        } else {
            let titled = title.stems().next().is_none() || self.share(title) >= TITLE;
            titled
                && self.says_each_item(start)
                && !worded.into_iter().any(|criterion| replaced(criterion, Said::says_itself))
        }
    }

    fn covers(&self, words: &Words) -> bool {
        self.share(words) >= CRITERION && !self.lacks(words, Weight::Exact) && self.says_each_phrase(words)
    }

    fn says_each_phrase(&self, words: &Words) -> bool {
        words.phrases().iter().all(|phrase| {
            let heavy = phrase.iter().filter(|at| words.list[**at].weight > Weight::General);
            let points = |at: &usize| words.list[*at].weight.points();
            // What a phrase begins with is mostly its verb or its subject.
            let begun = heavy.clone().next().is_none_or(|at| self.says(words, *at));
            let all: u32 = heavy.clone().map(points).sum();
            let said: u32 = heavy.filter(|at| self.says(words, **at)).map(points).sum();
            begun && said * 1000 >= all * PHRASE
        })
    }

    /// Whoever names one entry of a list of words names them all: "on Linux, macOS and Windows".
    fn says_each_item(&self, words: &Words) -> bool {
        let phrases = words.phrases();
        let joined = |item: usize, before: usize| {
            words.list[item].after_comma || words.list[item].clause == words.list[before].clause
        };
        let mut items = phrases.windows(2).filter(|two| two[1].len() == 1 && joined(two[1][0], two[0][0]));
        items.all(|two| {
            let (item, before) = (two[1][0], two[0].last().copied());
            let heavy = words.list[item].weight > Weight::General;
            !heavy || self.says(words, item) || !before.is_some_and(|before| self.says(words, before))
        })
    }

    /// Whether a word of at least this weight is missing.
    fn lacks(&self, words: &Words, weight: Weight) -> bool {
        self.lacks_by(words, weight, Said::says)
    }

    fn lacks_by(&self, words: &Words, weight: Weight, says: Says) -> bool {
        let mut heavy = words.list.iter().enumerate().filter(|(_, w)| w.weight >= weight);
        heavy.any(|(at, _)| !says(self, words, at))
    }

    /// How much of a text is said, by weight, each word counted once.
    fn share(&self, words: &Words) -> u32 {
        self.share_by(words, Said::says)
    }

    fn share_by(&self, words: &Words, says: Says) -> u32 {
        let mut seen = HashSet::new();
        let (mut all, mut said) = (0, 0);
        for (at, word) in words.list.iter().enumerate() {
            if !word.tells() || !seen.insert(word.stem.as_ref()) {
                continue;
            }
            all += word.weight.points();
            if says(self, words, at) {
                said += word.weight.points();
            }
        }
        (said * 1000).checked_div(all).unwrap_or(0)
    }

    fn says(&self, words: &Words, at: usize) -> bool {
        self.id.contains(&words.list[at].stem) || self.says_itself(words, at)
    }

    /// Whether it says so in its own words, not by naming the task.
    fn says_itself(&self, words: &Words, at: usize) -> bool {
        let word = &words.list[at];
        if self.affirmed.contains(&word.stem) {
            return true;
        }
        let number = if word.is_number() { quantity::quantity_at(words, at) } else { None };
        number.is_some_and(|number| quantity::is_said(&number, &self.quantities))
    }
}

fn points(words: &Words) -> u32 {
    let mut seen = HashSet::new();
    let once = words.list.iter().filter(|word| seen.insert(word.stem.as_ref()));
    once.map(|word| word.weight.points()).sum()
}

/// Words of this many bytes may have a slip in them; what is longer is no word, and dear to compare.
const SLIPS: std::ops::RangeInclusive<usize> = 8..=64;

/// One slip in a long word is a slip.
fn misspelt(said: &str, stem: &str) -> bool {
    let long = SLIPS.contains(&said.len()) && SLIPS.contains(&stem.len());
    let long = long && said.len().abs_diff(stem.len()) <= 1;
    long && said.chars().next() == stem.chars().next() && strsim::osa_distance(said, stem) <= 1
}

fn foreign_share(task: &Words, said: &Words) -> u32 {
    let topics: HashSet<&str> = task.stems().collect();
    let known = |word: &Word| {
        topics.contains(word.stem.as_ref())
            || word.is_number()
            || topics.iter().any(|stem| misspelt(&word.stem, stem))
            || topics.iter().any(|topic| vocabulary::belongs_to(&word.stem, topic))
    };
    let (mut all, mut foreign) = (0, 0);
    for word in said.list.iter().filter(|word| word.tells()) {
        all += word.weight.points();
        if word.weight > Weight::General && !known(word) {
            foreign += word.weight.points();
        }
    }
    (foreign * 1000).checked_div(all).unwrap_or(0)
}
