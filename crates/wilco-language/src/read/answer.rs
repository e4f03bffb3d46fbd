//! Answers of agents before an operation: ready, more time, cancel, or none of these.
//!
//! Whole words only, the careful meaning first: cancel, then wait, then ready. What is quoted or fenced
//! is somebody else's. A text that says two things is read as the more careful one, and whoever wrote it
//! is told how it was read.

use wilco_protocol::operation::Answer;

use super::text::{lines, list_item};

/// What a text and the field `ready` say together.
pub fn answer(text: &str, ready: Option<bool>) -> Answer {
    match (said(text), ready) {
        (Answer::Information, Some(true)) => Answer::Ready,
        (read @ (Answer::Information | Answer::Ready | Answer::Wait), Some(false)) => read.max(Answer::Wait),
        (read, _) => read,
    }
}

/// What a text says.
fn said(text: &str) -> Answer {
    let read = paragraphs(text).into_iter().flat_map(|text| sentences(&text)).map(|sentence| sentence.says());
    read.max().unwrap_or(Answer::Information)
}

/// What the writer says in its own voice. A sentence may go on in the next line, but not in the next item
/// of a list.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in lines(text) {
        let ends = !line.own() || line.blank() || list_item(line.text).is_some();
        if ends {
            paragraphs.push(String::new());
        }
        if let (true, Some(last)) = (line.own(), paragraphs.last_mut()) {
            last.push_str(line.text);
            last.push(' ');
        }
    }
    paragraphs
}

/// The words of a sentence, in clauses, and whether it asks.
#[derive(Debug, Default)]
struct Sentence {
    clauses: Vec<Vec<String>>,
    asks: bool,
}

const CANCEL: [&str; 2] = ["cancel", "abort"];
const READY: [&str; 3] = ["ok", "okay", "ready"];
const NEGATIONS: [&str; 4] = ["not", "no", "never", "cannot"];
/// How people write `don't` when they are in a hurry.
const HURRIED: [&str; 8] = ["dont", "cant", "wont", "isnt", "arent", "wasnt", "didnt", "havent"];
/// Not now, but some other time.
const LATER: [&str; 6] = ["almost", "nearly", "soon", "until", "after", "when"];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "few", "couple"];
/// `in a minute` is a time too.
const TIMES: [&str; 12] =
    ["second", "sec", "minute", "min", "moment", "bit", "while", "hour", "day", "few", "couple", "half"];
/// Words at which a new clause begins.
const CONJUNCTIONS: [&str; 6] = ["but", "and", "so", "because", "then", "instead"];

impl Sentence {
    fn says(&self) -> Answer {
        let words = || self.clauses.iter().flatten();
        let cancels = self.clauses.iter().any(|clause| cancels(clause));
        let negated = words().any(|word| negates(word));
        let ready = words().any(|word| READY.contains(&word.as_str()));
        if cancels {
            Answer::Cancel
        } else if words().any(|word| word == "wait") || self.not_yet() || (ready && negated) {
            Answer::Wait
        } else if ready && !self.asks && !self.later() {
            Answer::Ready
        } else {
            Answer::Information
        }
    }

    /// `not ready`, `not yet`, `not ok`.
    fn not_yet(&self) -> bool {
        let follows = |next: &str| next == "yet" || READY.contains(&next);
        self.pairs().any(|(word, next)| word == "not" && follows(next))
    }

    /// Whether it speaks of another time: `soon`, `in 5 minutes`.
    fn later(&self) -> bool {
        let words: Vec<_> = self.clauses.iter().flatten().map(String::as_str).collect();
        let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || NUMBERS.contains(&word);
        let in_n = words.windows(2).any(|pair| pair[0] == "in" && number(pair[1]));
        let in_a = words.windows(3).any(|three| {
            three[0] == "in"
                && matches!(three[1], "a" | "an" | "about")
                && (TIMES.contains(&three[2]) || number(three[2]))
        });
        in_n || in_a || words.iter().any(|word| LATER.contains(word))
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let words: Vec<_> = self.clauses.iter().flatten().map(String::as_str).collect();
        let next = words.clone();
        words.into_iter().zip(next.into_iter().skip(1))
    }
}

/// A cancel word, unless something in its clause before it says no.
fn cancels(clause: &[String]) -> bool {
    let place = clause.iter().position(|word| CANCEL.contains(&word.as_str()));
    place.is_some_and(|place| !clause[..place].iter().any(|word| negates(word)))
}

fn negates(word: &str) -> bool {
    NEGATIONS.contains(&word) || HURRIED.contains(&word) || word.ends_with("n't")
}

/// The sentences of a paragraph.
fn sentences(line: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let (mut sentence, mut clause) = (Sentence::default(), Vec::new());
    for part in parts(line) {
        match part {
            Part::Word(word) if CONJUNCTIONS.contains(&word.as_str()) => {
                sentence.clauses.push(std::mem::take(&mut clause));
            }
            Part::Word(word) => clause.push(word),
            Part::Pause => sentence.clauses.push(std::mem::take(&mut clause)),
            Part::End { asks } => {
                sentence.clauses.push(std::mem::take(&mut clause));
                sentence.asks = asks;
                sentences.push(std::mem::take(&mut sentence));
            }
        }
    }
    sentence.clauses.push(clause);
    sentences.push(sentence);
    sentences
}

enum Part {
    Word(String),
    /// A comma, a dash.
    Pause,
    End {
        asks: bool,
    },
}

/// Words and what stands between them. Whatever is joined to other letters by anything but an apostrophe
/// (`ok.txt`, `ready-made`, `abort()`) is another word.
fn parts(line: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for token in line.split_whitespace() {
        // A function that somebody speaks of.
        let mut rest = if token.contains("()") { "" } else { token };
        while !rest.is_empty() {
            let end = rest.find(is_stop).unwrap_or(rest.len());
            words(&rest[..end], &mut parts);
            let stops = rest[end..].len() - rest[end..].trim_start_matches(is_stop).len();
            let behind = &rest[end + stops..];
            stop(&rest[end..end + stops], behind, &mut parts);
            rest = behind;
        }
    }
    parts
}

/// What separates words even without a space. A dot does not: it stands in names of files.
fn is_stop(c: char) -> bool {
    matches!(c, ',' | ';' | '!' | '?' | '…' | '—' | '–' | '(' | ')' | '"' | '“' | '”' | '«' | '»')
}

fn stop(stops: &str, behind: &str, parts: &mut Vec<Part>) {
    let asks = stops.contains('?');
    if asks || stops.contains(['!', '…']) {
        parts.push(Part::End { asks });
    } else if !stops.is_empty() || !behind.is_empty() {
        parts.push(Part::Pause);
    }
}

/// The words of a piece without spaces and stops.
fn words(piece: &str, parts: &mut Vec<Part>) {
    let edge = |c: char| !c.is_alphanumeric();
    let core = piece.trim_matches(edge);
    if core.is_empty() {
        let dash = !piece.is_empty() && piece.chars().all(|c| matches!(c, '-' | ':' | '|' | '/'));
        parts.extend(dash.then_some(Part::Pause));
        if piece.contains('.') {
            parts.push(Part::End { asks: false });
        }
        return;
    }
    let folded = core.to_lowercase().replace('’', "'");
    let behind = &piece[piece.rfind(core).map_or(piece.len(), |at| at + core.len())..];
    parts.extend(compound(&folded).into_iter().map(Part::Word));
    if behind.contains('.') {
        parts.push(Part::End { asks: false });
    } else if behind.contains(':') {
        parts.push(Part::Pause);
    }
}

/// One word, or several when something other than an apostrophe joins words that all mean something here.
fn compound(core: &str) -> Vec<String> {
    let joint = |c: char| !c.is_alphanumeric() && c != '\'';
    if !core.contains(joint) {
        return vec![core.to_owned()];
    }
    let known = |word: &str| {
        CANCEL.contains(&word)
            || READY.contains(&word)
            || NEGATIONS.contains(&word)
            || matches!(word, "wait" | "yet")
    };
    let pieces: Vec<_> = core.split(joint).filter(|piece| !piece.is_empty()).collect();
    if pieces.iter().all(|piece| known(piece)) {
        pieces.into_iter().map(str::to_owned).collect()
    } else {
        vec![core.to_owned()]
    }
}
