//! A text as the words the scorer compares: stems with their weight, their clause and whether they
//! stand under a negation.
//!
//! Knows nothing of tasks; what two texts have in common is the scorer's question.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use unicode_segmentation::UnicodeSegmentation;

use super::chain::turn;
use super::hashed::{HashMap, HashSet};
use super::quantity;
use super::vocabulary as vocab;

/// No task is read beyond this many words.
pub(super) const MOST_ASKED: usize = 2000;
/// An understanding is a line or a few; nobody is sure of a longer one.
pub(super) const MOST_SAID: usize = 600;

/// How much a word tells about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Grammar and polite noise.
    Nothing,
    /// Fits many tasks: `implement`, `user`.
    General,
    Plain,
    /// Identifiers and numbers; they are either right or wrong.
    Exact,
}

impl Weight {
    pub(super) fn points(self) -> u32 {
        match self {
            Weight::Nothing => 0,
            Weight::General => 1,
            Weight::Plain => 2,
            Weight::Exact => 3,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Lower case, as written.
    pub(super) lower: Rc<str>,
    /// What it is compared by.
    pub(super) stem: Rc<str>,
    pub(super) weight: Weight,
    /// Words between two punctuation marks share a clause.
    pub(super) clause: usize,
    pub(super) sentence: usize,
    pub(super) negated: bool,
    /// A comma stands before it.
    pub(super) after_comma: bool,
    pub(super) is: Traits,
}

/// What the vocabulary says of a word as written, wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) negator: bool,
    pub(super) polite: bool,
    pub(super) opener: bool,
    pub(super) announces: bool,
    pub(super) foreign_article: bool,
    /// How it turns the meaning of what follows.
    pub(super) turn: Option<&'static str>,
    /// What agrees politely, and turns a meaning too where a phrase has begun.
    pub(super) filler: Option<&'static str>,
}

impl Word {
    pub(super) fn tells(&self) -> bool {
        self.weight > Weight::Nothing
    }

    pub(super) fn is_number(&self) -> bool {
        self.lower.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// A text as words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) list: Vec<Word>,
    pub(super) asks: bool,
    pub(super) cut: bool,
    /// How many sentences were begun.
    sentence: usize,
}

/// What ends a sentence.
const ENDS: [char; 5] = ['.', '!', '?', ';', '。'];

/// Reads a text up to `most` words, passing over the names of the task itself.
pub(super) fn words(text: &str, task_id: &str, most: usize) -> Words {
    let text = if text.contains('’') { text.replace('’', "'").into() } else { Cow::Borrowed(text) };
    let task_id = task_id.trim().to_ascii_lowercase();
    let mut words = Words { asks: text.contains(['?', '？']), ..Words::default() };
    let mut clause = 0;
    for line in text.lines() {
        if words.list.len() > most {
            break;
        }
        let line = without_id(line, &task_id);
        let line = without_number(&line);
        let mut end = 0;
        for (at, word) in line.unicode_word_indices() {
            if words.list.len() > most {
                break;
            }
            let between = &line[end..at];
            // Between most words stands nothing else.
            if between != " " {
                clause += usize::from(breaks(between));
                words.sentence += usize::from(between.contains(ENDS));
                words.push_symbols(between, clause);
            }
            let (first, comma) = (words.list.len(), between.starts_with(','));
            end = at + word.len();
            words.push(word, &line[..at], clause);
            if let Some(word) = words.list.get_mut(first) {
                word.after_comma = comma;
            }
            if line[end..].starts_with('%') {
                words.push_part("percent", Weight::Plain, clause);
            }
        }
        words.push_symbols(&line[end..], clause);
        clause += 1;
        words.sentence += 1;
    }
    words.cut = words.list.len() > most;
    words.list.truncate(most);
    words.join_units();
    words.mark_negated();
    words
}

/// The id says which task is meant, not what it is about.
fn without_id<'a>(line: &'a str, id: &str) -> Cow<'a, str> {
    if id.is_empty() || !id.is_ascii() {
        return line.into();
    }
    let lower = line.to_ascii_lowercase();
    let (mut out, mut from) = (String::new(), 0);
    for (at, found) in lower.match_indices(id) {
        let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        let end = at + found.len();
        if apart(line[..at].chars().next_back()) && apart(line[end..].chars().next()) {
            out.push_str(&line[from..at]);
            from = end;
        }
    }
    if from == 0 {
        return line.into();
    }
    out.push_str(&line[from..]);
    out.into()
}

/// The number of a list item counts nothing.
fn without_number(line: &str) -> &str {
    crate::read::text::list_item(line).map_or(line, |(_, item)| item)
}

/// Signs that turn what is said as small words do.
pub(super) const SIGNS: &str = "<>=≤≥≠+±×÷→←$€£¥^";

fn breaks(between: &str) -> bool {
    between.contains(['.', ',', ';', ':', '!', '?', '(', ')', '–', '—', '、', '。', '，', '؛', '،'])
        || between.contains(" - ")
}

impl Words {
    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|word| word.tells()).map(|word| word.stem.as_ref())
    }

    /// Runs of words that tell something, parted by punctuation and by `and`, `or`, `but`.
    pub(super) fn phrases(&self) -> Vec<Vec<usize>> {
        let mut phrases: Vec<Vec<usize>> = vec![Vec::new()];
        let mut clause = 0;
        for (at, word) in self.list.iter().enumerate() {
            if word.clause != clause || matches!(word.lower.as_ref(), "and" | "or" | "but") {
                phrases.push(Vec::new());
            }
            clause = word.clause;
            if word.tells() {
                phrases.last_mut().expect("begun above").push(at);
            }
        }
        phrases.retain(|phrase| !phrase.is_empty());
        phrases
    }

    pub(super) fn has(&self, stem: &str) -> bool {
        self.list.iter().any(|word| &*word.stem == stem)
    }

    /// Passes over what only agrees: "request received", "I will complete …"; not where the task speaks of it.
    pub(super) fn hush(&mut self, task: &Words) {
        let polite = |word: &Word| word.is.polite && !task.has(&word.stem);
        let telling = self.list.iter().filter(|word| word.tells() && !polite(word));
        let telling: HashSet<usize> = telling.map(|word| word.clause).collect();
        for at in 0..self.list.len() {
            let after_will = at > 0 && PROMISES.contains(&self.list[at - 1].lower.as_ref());
            let word = &mut self.list[at];
            let opens = after_will && word.is.opener;
            if polite(word) && (opens || !telling.contains(&word.clause)) {
                word.weight = Weight::Nothing;
            }
        }
    }

    pub(super) fn and(mut self, other: Words) -> Words {
        let shift = self.list.last().map_or(0, |word| word.clause + 1);
        self.sentence += 1;
        self.list.extend(other.list.into_iter().map(|mut word| {
            word.clause += shift;
            word.sentence += self.sentence;
            word
        }));
        self.asks |= other.asks;
        self.cut |= other.cut || self.list.len() > MOST_ASKED;
        self.list.truncate(MOST_ASKED);
        self.sentence += other.sentence;
        self
    }

    /// Signs that change what is said: "< 30" is not "> 30", nor is "-5" the same as "5".
    fn push_symbols(&mut self, between: &str, clause: usize) {
        let minus = between.ends_with('-') && (between.len() == 1 || between.ends_with(" -"));
        let minus = (minus && !between.starts_with('-')).then_some('-');
        for sign in between.chars().filter(|sign| SIGNS.contains(*sign)).chain(minus) {
            self.push_part(sign.encode_utf8(&mut [0; 4]), Weight::Nothing, clause);
        }
    }

    fn push(&mut self, word: &str, before: &str, clause: usize) {
        let marked = ["`", "/", ".", "--", "::"].iter().any(|mark| before.ends_with(mark));
        // Most words are written as words are; of these, only "inf" and "nan" are read as numbers.
        let mut bytes = word.bytes();
        let begun = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
        let worded = begun && bytes.all(|byte| byte.is_ascii_lowercase());
        let number = (!worded || word.starts_with(['i', 'I', 'n', 'N'])) && word.parse::<f64>().is_ok();
        if worded && !number {
            let weight = if marked { Weight::Exact } else { Weight::Plain };
            return self.push_part(word, weight, clause);
        }
        if number || word.contains(',') {
            return self.push_part(&word.replace(',', ""), Weight::Exact, clause);
        }
        let exact = marked || is_exact(word);
        for part in parts(word) {
            let weight = if exact { Weight::Exact } else { Weight::Plain };
            self.push_part(part, weight, clause);
        }
    }

    fn push_part(&mut self, part: &str, weight: Weight, clause: usize) {
        let Known { lower, stem, most, is } = known(part);
        let weight = weight.min(most);
        let sentence = self.sentence;
        self.list.push(Word {
            lower,
            stem,
            weight,
            clause,
            sentence,
            negated: false,
            after_comma: false,
            is,
        });
    }

    /// The unit behind a number belongs to the number: "1 day" says what "24 hours" says.
    fn join_units(&mut self) {
        for at in 1..self.list.len() {
            if self.list[at - 1].is_number() && quantity::is_unit(&self.list[at].lower) {
                self.list[at].weight = Weight::Nothing;
                self.list[at].stem = "".into();
            }
        }
    }

    /// A negator takes in what follows in its clause, or what precedes it when nothing follows.
    fn mark_negated(&mut self) {
        for at in 0..self.list.len() {
            let only = self.list.get(at + 1).is_some_and(|next| &*next.lower == "only");
            if !self.list[at].is.negator || only {
                continue;
            }
            let clause = self.list[at].clause;
            let reach = if &*self.list[at].lower == "non" { 2 } else { usize::MAX };
            let mut reached = false;
            for word in self.list[at + 1..].iter_mut().take(reach) {
                if word.clause != clause || &*word.lower == "but" {
                    break;
                }
                word.negated = true;
                reached |= word.tells();
            }
            if !reached {
                for word in self.list[..at].iter_mut().rev().take_while(|w| w.clause == clause) {
                    word.negated = true;
                }
            }
        }
    }
}

const PROMISES: [&str; 6] = ["will", "i'll", "we'll", "shall", "me", "to"];

/// What is known of a word wherever it stands.
#[derive(Debug, Clone)]
struct Known {
    lower: Rc<str>,
    stem: Rc<str>,
    /// The most it can tell.
    most: Weight,
    is: Traits,
}

/// Words that are remembered; then all are forgotten.
const REMEMBERED: usize = 4096;

thread_local! {
    /// Most of the scorer's time would go into finding out the same of the same words.
    static KNOWN: RefCell<HashMap<Box<str>, Known>> = RefCell::default();
}

fn known(word: &str) -> Known {
    KNOWN.with_borrow_mut(|all| {
        if let Some(known) = all.get(word) {
            return known.clone();
        }
        if all.len() >= REMEMBERED {
            all.clear();
        }
        let known = find_out(&word.to_lowercase());
        all.insert(word.into(), known.clone());
        known
    })
}

fn find_out(lower: &str) -> Known {
    let stem = vocab::stem(lower);
    let is = Traits {
        negator: vocab::is_negator(lower),
        polite: vocab::is_polite(lower),
        opener: vocab::is_opener(lower),
        announces: vocab::announces(lower),
        foreign_article: vocab::is_foreign_article(lower),
        turn: turn(lower),
        filler: vocab::filler(lower),
    };
    let noise = vocab::is_stop(lower) || vocab::is_filler(lower, &stem) || is.negator || is.foreign_article;
    let most = if noise {
        Weight::Nothing
    } else if vocab::is_general(lower, &stem) {
        Weight::General
    } else {
        Weight::Exact
    };
    Known { lower: lower.into(), stem: stem.into(), most, is }
}

/// Written as names are: digits with letters, underscores, capitals inside, or all capitals.
fn is_exact(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digit = word.chars().any(|c| c.is_ascii_digit());
    let inner = word.chars().skip(1).any(char::is_uppercase) && word.is_ascii();
    (digit && letters > 0) || word.contains('_') || (inner && letters >= 2)
}

/// `read_dir`, `user.rs` and `readDir` name what their parts name.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split(['_', '.', ':']) {
        let mut from = 0;
        let mut before = ' ';
        for (at, c) in piece.char_indices() {
            if c.is_uppercase()
                && before.is_lowercase()
                && at - from >= 3
                && piece.len() - at >= 3
                && !NAMES.contains(&piece)
            {
                parts.push(&piece[from..at]);
                from = at;
            }
            before = c;
        }
        parts.push(&piece[from..]);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Names with a capital inside that are still one word.
const NAMES: [&str; 8] =
    ["PostgreSQL", "JavaScript", "TypeScript", "GitHub", "GitLab", "MongoDB", "GraphQL", "DynamoDB"];
