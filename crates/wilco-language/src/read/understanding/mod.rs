//! Whether an agent's own words show that it understood its task.
//!
//! A deterministic scorer. It decides what is clearly right or says nothing, and leaves everything
//! else to whoever gave the task: a wrong acceptance starts wrong work, a doubt costs a glance.

mod chain;
mod contradiction;
mod follow;
mod hashed;
mod quantity;
mod vocabulary;
mod words;

use std::rc::Rc;

use self::chain::{Chain, Source, chain};
pub use self::contradiction::{Contradiction, ContradictionKind, contradictions, new_names};
pub(crate) use self::vocabulary::{is_stop, stem};

use self::contradiction::of_words;
use self::hashed::{HashSet, roomy};
use self::quantity::Quantity;
use self::words::{MOST_ASKED, MOST_SAID, Weight, Word, Words, words};

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskText<'a> {
    pub task_id: &'a str,
    pub title: &'a str,
    /// Whether an understanding must speak of the title: a subject need not be repeated.
    pub titled: bool,
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
    /// Indexes of those not found. A criterion of signs alone is in neither.
    pub missing: Vec<u16>,
}

/// What the scorer decides by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// Clearly right.
    Correct,
    /// Names every criterion and contradicts none; the rest is for somebody to judge.
    Named,
    /// Says nothing about the task.
    Empty,
    /// For the initiator to judge.
    Unsure,
}

/// How much of a criterion, in thousandths, must be said for it to be covered.
const CRITERION: u32 = 750;
/// How much of title and description must be said when there are no criteria.
const WHOLE: u32 = 700;
/// How much of the title must be said beside all that is demanded.
const TITLE: u32 = 500;
/// How much of each phrase must be said, so that no item of a list is passed over: of three words
/// all, of four one may be missing.
const PHRASE: u32 = 700;

/// Scores an understanding against its task.
pub fn score(task: &TaskText<'_>, understanding: &str) -> Scored {
    score_amended(task, &[], understanding)
}

/// The same for a task that was amended. What an amendment says in words alone must be said like a criterion, though it
/// is none.
pub fn score_amended(task: &TaskText<'_>, changes: &[String], understanding: &str) -> Scored {
    let read = |text: &str| words(text, task.task_id, MOST_ASKED);
    let title = read(task.title);
    let criteria: Vec<Words> = task.criteria.iter().map(|text| read(text)).collect();
    let description = read(task.description);
    let changes: Vec<Words> = changes.iter().map(|text| read(text)).collect();
    let start = || title.clone().and(description.clone());
    let whole = criteria.iter().fold(start(), |whole, next| whole.and(next.clone()));
    let said = PreparedUnderstanding::new(understanding, &whole, task.task_id);

    let (covered, missing) = sort_criteria(task.criteria, &criteria, &said);
    let measured = if covered.is_empty() && missing.is_empty() {
        said.share(&start())
    } else {
        let worded = criteria.iter().filter(|words| words.stems().next().is_some());
        let shares: Vec<u32> = worded.map(|words| said.share(words)).collect();
        shares.iter().sum::<u32>() / u32::try_from(shares.len()).unwrap_or(u32::MAX).max(1)
    };
    let ruling = if said.is_empty(&whole) {
        Ruling::Empty
    } else if whole.cut || said.words.cut || said.words.asks || !of_words(&whole, &said.words).is_empty() {
        Ruling::Unsure
    } else if missing.is_empty()
        && (!task.titled || title.stems().next().is_none() || said.share(&title) >= TITLE)
        && changes.iter().all(|change| said.tells_of(change, &whole))
        && said.is_right(&title, &description, &criteria, &whole)
    {
        Ruling::Correct
    } else if missing.is_empty()
        && !covered.is_empty()
        && contradictions(task, understanding).is_empty()
        && changes.iter().all(|change| said.tells_of(change, &whole))
    {
        Ruling::Named
    } else {
        Ruling::Unsure
    };
    let score = match ruling {
        Ruling::Correct => measured,
        Ruling::Empty => 0,
        // Nobody should read a high score beside a doubt.
        Ruling::Named | Ruling::Unsure => measured.min(WHOLE),
    };
    let (covered, missing) = match ruling {
        Ruling::Empty => (Vec::new(), [covered, missing].concat()),
        Ruling::Correct | Ruling::Named | Ruling::Unsure => (covered, missing),
    };
    Scored { score: u16::try_from(score).unwrap_or(1000).min(1000), ruling, covered, missing }
}

/// Indexes of the criteria that are said, and of those that are not. One of signs alone is in neither.
fn sort_criteria(texts: &[String], criteria: &[Words], said: &PreparedUnderstanding) -> (Vec<u16>, Vec<u16>) {
    let asks = |text: &String| text.contains(char::is_alphanumeric);
    let asked = texts.iter().zip(criteria).enumerate().filter(|(_, (text, _))| asks(text));
    let indexed = asked.filter_map(|(at, (_, words))| Some((u16::try_from(at).ok()?, words)));
    let (covered, missing): (Vec<_>, Vec<_>) = indexed.partition(|(_, words)| said.covers(words));
    let numbers = |list: Vec<(u16, &Words)>| list.into_iter().map(|(at, _)| at).collect();
    (numbers(covered), numbers(missing))
}

/// Whether the word at this place of a text is said.
type Says = fn(&PreparedUnderstanding, &Words, usize) -> bool;

/// The understanding, prepared for comparison with one task.
struct PreparedUnderstanding {
    words: Words,
    /// The stems it affirms, or denies as the task does; misspelt ones as the task spells them.
    affirmed: HashSet<Rc<str>>,
    quantities: Vec<Quantity>,
    /// The parts of the task's id; naming the task says them.
    id: HashSet<Rc<str>>,
    named: bool,
}

impl PreparedUnderstanding {
    fn new(understanding: &str, task: &Words, task_id: &str) -> PreparedUnderstanding {
        let mut said = words(understanding, task_id, MOST_SAID);
        said.hush(task);
        let denied: HashSet<&str> = task.list.iter().filter(|w| w.negated).map(|w| w.stem.as_ref()).collect();
        let holds = |word: &&Word| word.tells() && (!word.negated || denied.contains(&*word.stem));
        let affirmed = said.list.iter().filter(holds).map(|word| word.stem.clone()).collect();
        let id = words(task_id, "", MOST_SAID).list.into_iter().map(|word| word.stem).collect();
        let named = understanding.to_lowercase().contains(&task_id.to_lowercase());
        PreparedUnderstanding { affirmed, quantities: quantity::quantities(&said), id, named, words: said }
    }

    /// Nothing of its own: noise, the task's name alone, or words that would fit any task.
    fn is_empty(&self, task: &Words) -> bool {
        let own = self.words.list.iter().any(|word| word.weight > Weight::General);
        !own && self.share_by(task, PreparedUnderstanding::says_itself) < WHOLE && !self.words.asks
    }

    /// Whether it says what the task demands and nothing else, put together as the task puts it.
    fn is_right(&self, title: &Words, description: &Words, criteria: &[Words], whole: &Words) -> bool {
        let said = chain(&self.words, Source::PreparedUnderstanding(whole));
        let demand = |words: &Words| chain(words, Source::Demand);
        let parts = [chain(title, Source::Title), demand(description)];
        let parts: Vec<Chain> = parts.into_iter().chain(criteria.iter().map(demand)).collect();
        let all = Chain::of_parts(&parts);
        let Some(touched) = all.bears_out(&said) else { return false };
        let first = if parts[2..].iter().any(|part| !part.is_empty()) {
            2
        } else {
            usize::from(!parts[1].is_empty())
        };
        let (beside, demanded) = parts.split_at(first);
        let elsewhere = |but: usize| -> HashSet<Rc<str>> {
            let others = parts.iter().enumerate().filter(|(at, _)| *at != but);
            others.flat_map(|(_, chain)| chain.keys()).collect()
        };
        let just = |(at, part): (usize, &Chain)| {
            let touched = touched.iter().filter(|(part, _)| *part == at).map(|(_, sentence)| *sentence);
            part.is_done_justice(&said, &elsewhere(at), &touched.collect())
        };
        demanded.iter().any(|part| !part.is_empty())
            && demanded.iter().all(|part| part.is_said_by(&said))
            && beside.iter().enumerate().all(just)
    }

    /// Whether it speaks of a change, and says it whole.
    fn tells_of(&self, change: &Words, whole: &Words) -> bool {
        let said = chain(&self.words, Source::PreparedUnderstanding(whole));
        self.covers(change) && chain(change, Source::Demand).is_said_by(&said)
    }

    fn covers(&self, words: &Words) -> bool {
        if words.stems().next().is_none() {
            // Grammar alone, such as "b) all": said word for word, or not at all.
            let asked = words.list.iter().map(|word| &word.lower);
            let mut runs = self.words.list.windows(words.list.len().max(1));
            return runs.any(|run| run.iter().map(|word| &word.lower).eq(asked.clone()));
        }
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

    /// Whether a word of at least this weight is missing.
    fn lacks(&self, words: &Words, weight: Weight) -> bool {
        let mut heavy = words.list.iter().enumerate().filter(|(_, w)| w.weight >= weight);
        heavy.any(|(at, _)| !self.says(words, at))
    }

    /// How much of a text is said, by weight, each word counted once.
    fn share(&self, words: &Words) -> u32 {
        self.share_by(words, PreparedUnderstanding::says)
    }

    fn share_by(&self, words: &Words, says: Says) -> u32 {
        let mut seen = roomy(words.list.len());
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
        (self.named && self.id.contains(&words.list[at].stem)) || self.says_itself(words, at)
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
