//! The sentences that somebody says in their own voice, as words in clauses.
//!
//! What is quoted, fenced, printed by a tool or put in quotation marks is somebody else's or only shown. Contractions
//! are written out, so that `isn't` is `is not` to every reader. What the words mean is left to the readers; what
//! takes the force out of a sentence is in `mood`.

use super::announced::is_shown;
use super::text::{self, Line};

/// One sentence of the writer's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) clauses: Vec<Clause>,
    /// It ends in a question mark.
    pub(super) asks: bool,
    pub(super) place: Place,
    /// It stands below a title such as "Next steps", which is not about the work that was asked for.
    pub(super) aside: bool,
    /// There is more of it than anybody reads.
    pub(super) cut: bool,
}

/// Words between two pauses, folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    /// A colon stands before it: what it says belongs to the clause above.
    pub(super) keyed: bool,
}

/// Where a sentence stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    #[default]
    Prose,
    /// A heading, or a bold line or a key above a list.
    Title,
    Item,
    /// An item of a checklist.
    Box {
        ticked: bool,
    },
    /// A row of a table.
    Row,
}

/// A word that is only shown: a code span or a quotation inside a sentence.
pub(super) const SHOWN: &str = "□";

impl Sentence {
    pub(super) fn words(&self) -> Vec<&str> {
        self.clauses.iter().flat_map(|clause| &clause.words).map(String::as_str).collect()
    }

    /// Whether one of these phrases stands in it. A phrase may go over a comma.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        let words = self.words();
        phrases.iter().any(|phrase| find(&words, phrase).is_some())
    }
}

impl Clause {
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        phrases.iter().any(|phrase| find(&words, phrase).is_some())
    }
}

/// Where a phrase begins. `*` in it is any word.
pub(super) fn find(words: &[&str], phrase: &str) -> Option<usize> {
    let first = phrase.split(' ').next()?;
    let whole = |at: usize| {
        let mut said = words[at..].iter();
        phrase.split(' ').all(|part| said.next().is_some_and(|word| part == *word || part == "*"))
    };
    (0..words.len()).find(|at| (words[*at] == first || first == "*") && whole(*at))
}

/// Nobody says more than this in their own voice. What is longer ends in a question, so that nothing is claimed by it.
const LONGEST_TEXT: usize = 64 * 1024;
const LONGEST_SENTENCE: usize = 300;

/// The sentences of a body, in order.
pub(super) fn sentences(body: &str) -> Vec<Sentence> {
    let mut read = Vec::new();
    let mut length = 0;
    for paragraph in paragraphs(body) {
        length += paragraph.text.len();
        if length > LONGEST_TEXT {
            read.push(Sentence { asks: true, cut: true, ..Sentence::default() });
            break;
        }
        read.extend(paragraph.split());
    }
    read
}

/// Marks that turn the direction of what follows them: what looks like one word may be another.
pub(super) fn is_disguised(body: &str) -> bool {
    body.contains(|c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    place: Place,
    aside: bool,
    /// A `Key: value` line.
    keyed: bool,
}

/// What the writer says, joined over line ends. A sentence goes on in the next line, but not in the next item, title or
/// `Key: value` line.
fn paragraphs(body: &str) -> Vec<Paragraph> {
    let lines = text::lines(body);
    let mut paragraphs = vec![Paragraph::default()];
    let (mut aside, mut printed, mut fresh) = (false, false, true);
    for (at, line) in lines.iter().enumerate() {
        printed = tool_output(line, printed);
        if !line.own() || line.blank() || printed || text::ruled(line.text) || is_shown(&lines, at) {
            fresh = true;
            continue;
        }
        let place = place(line, &lines[at + 1..]);
        if place == Place::Title {
            aside = is_aside(line.text);
        } else if place == Place::Prose && fresh {
            aside = false;
        }
        let joined = place == Place::Prose && !fresh && !is_keyed(line.text);
        match paragraphs.last_mut().filter(|last| joined && last.place != Place::Title && !last.keyed) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(line.text);
            }
            None => {
                let item = text::checkbox(line.text)
                    .or_else(|| text::list_item(line.text).map(|(_, item)| (false, item)));
                let said = item.map_or(line.text, |(_, item)| item);
                paragraphs.push(Paragraph { text: said.to_owned(), place, aside, keyed: is_keyed(said) });
            }
        }
        fresh = false;
    }
    paragraphs
}

/// Lines that a tool printed, as agents paste them: a call `⏺ Bash(…)`, and `⎿` with what is indented below it.
fn tool_output(line: &Line<'_>, printed: bool) -> bool {
    let bare = line.text.trim_start();
    let call = bare.strip_prefix(['⏺', '●']).map(str::trim_start).is_some_and(|call| {
        let name = call.find('(').map(|end| &call[..end]);
        name.is_some_and(|name| !name.is_empty() && name.chars().all(char::is_alphanumeric))
    });
    call || bare.starts_with('⎿') || (printed && !line.blank() && line.indent() >= 4)
}

fn place(line: &Line<'_>, rest: &[Line<'_>]) -> Place {
    if let Some((ticked, _)) = text::checkbox(line.text) {
        return Place::Box { ticked };
    }
    let below = rest.iter().find(|line| !line.blank());
    let lists = below.is_some_and(|below| {
        text::list_item(below.text).is_some() || below.text.trim_start().starts_with('|')
    });
    let underlined =
        rest.first().is_some_and(|next| text::ruled(next.text) && next.text.starts_with(['-', '=']));
    let bare = line.text.trim();
    match () {
        () if text::heading(line.text).is_some() || underlined => Place::Title,
        () if bare.starts_with('|') => Place::Row,
        () if text::list_item(line.text).is_some() => Place::Item,
        () if lists
            && (text::bold(bare).is_some() || bare.ends_with(':'))
            && bare.split(' ').count() <= 8 =>
        {
            Place::Title
        }
        () => Place::Prose,
    }
}

/// `Key: value`, a sentence of its own.
fn is_keyed(line: &str) -> bool {
    const LONGEST: usize = 32;
    let key = line.split(':').next().filter(|key| key.len() < line.len() && key.len() <= LONGEST);
    let behind = |key: &str| line[key.len() + 1..].starts_with(|c: char| c.is_whitespace() || c == '*');
    key.is_some_and(|key| key.split_whitespace().count() <= 3 && (key.len() + 1 == line.len() || behind(key)))
}

/// Titles of what is not, or not yet, part of the work.
const ASIDES: [&str; 21] = [
    "next step",
    "follow up",
    "followup",
    "optional",
    "out of scope",
    "outside scope",
    "future",
    "suggestion",
    "recommendation",
    "possible improvement",
    "how to",
    "test plan",
    "nice to have",
    "ideas",
    "notes not",
    "beyond scope",
    "to try",
    "possible follow",
    "potential follow",
    "not part of this task",
    "unrelated",
];

fn is_aside(title: &str) -> bool {
    let folded = text::fold(&text::plain(title).replace(['(', ')', '#', ',', ':'], " ")).replace('-', " ");
    let folded = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    ASIDES.iter().any(|aside| folded.starts_with(aside))
}

impl Paragraph {
    fn split(self) -> Vec<Sentence> {
        let begun = || Sentence { place: self.place, aside: self.aside, ..Sentence::default() };
        let mut sentences = vec![begun()];
        let mut clause = Clause::default();
        for part in parts(&unshown(&self.text)) {
            let Some(last) = sentences.last_mut() else { break };
            match part {
                Part::Word(word) => {
                    if CONJUNCTIONS.contains(&word.as_str()) && !clause.words.is_empty() {
                        last.clauses.push(std::mem::take(&mut clause));
                    }
                    clause.words.push(word);
                }
                Part::Pause { keyed } => {
                    last.clauses.push(std::mem::take(&mut clause));
                    clause.keyed = keyed;
                }
                Part::End { asks } => {
                    last.clauses.push(std::mem::take(&mut clause));
                    last.asks = asks;
                    sentences.push(begun());
                }
            }
        }
        if let Some(last) = sentences.last_mut() {
            last.clauses.push(clause);
        }
        for sentence in &mut sentences {
            sentence.clauses.retain(|clause| !clause.words.is_empty());
            if sentence.words().len() > LONGEST_SENTENCE {
                sentence.clauses.clear();
                (sentence.asks, sentence.cut) = (true, true);
            }
        }
        sentences.retain(|sentence| !sentence.clauses.is_empty() || sentence.asks);
        sentences
    }
}

/// Words at which a new clause begins; they stay in it.
const CONJUNCTIONS: [&str; 12] = [
    "but", "and", "so", "because", "then", "instead", "although", "though", "however", "while", "which", "or",
];

/// A paragraph with a mark in the place of every quotation and every code span of several words, unless that is all
/// there is: `"ok"` is said.
fn unshown(paragraph: &str) -> String {
    const PAIRS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('«', '»'), ('`', '`')];
    let bare =
        paragraph.trim().trim_matches(|c: char| matches!(c, '*' | '_' | '.' | '!') || text::ornament(c));
    let mut out = String::with_capacity(paragraph.len());
    let mut rest = if is_one_quotation(bare, &PAIRS) { return bare.to_owned() } else { paragraph };
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| PAIRS.iter().any(|(open, _)| open == c)) {
        let close = PAIRS.iter().find(|(known, _)| *known == open).map_or(open, |(_, close)| *close);
        let inner = &rest[at + open.len_utf8()..];
        out.push_str(&rest[..at]);
        let Some(end) = inner.find(close) else {
            rest = inner;
            break;
        };
        let held = &inner[..end];
        // A name in a code span is a word of the sentence.
        match open == '`' && !held.contains(char::is_whitespace) {
            true => out.push_str(held),
            false => out.push_str(&format!(" {SHOWN} ")),
        }
        rest = &inner[end + close.len_utf8()..];
    }
    out.push_str(rest);
    out
}

fn is_one_quotation(text: &str, pairs: &[(char, char)]) -> bool {
    pairs.iter().any(|(open, close)| {
        let inner = text.strip_prefix(*open).and_then(|text| text.strip_suffix(*close));
        inner.is_some_and(|inner| !inner.contains([*open, *close]))
    })
}

enum Part {
    Word(String),
    /// A comma, a dash, a colon.
    Pause {
        keyed: bool,
    },
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
        let named = token.replace("()", SHOWN);
        let mut rest = if token.contains("()") { &*named } else { token };
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
    matches!(c, ',' | ';' | '!' | '?' | '…' | '—' | '–' | '(' | ')' | '"' | '“' | '”' | '«' | '»' | '|' | '→')
}

fn stop(stops: &str, behind: &str, parts: &mut Vec<Part>) {
    let asks = stops.contains('?');
    if asks || stops.contains(['!', '…']) {
        parts.push(Part::End { asks });
    } else if !stops.is_empty() || !behind.is_empty() {
        parts.push(Part::Pause { keyed: false });
    }
}

/// Short forms whose dot ends no sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g", "i.e", "etc", "vs", "approx", "ca", "no", "incl"];

/// The words of a piece without spaces and stops.
fn words(piece: &str, parts: &mut Vec<Part>) {
    if piece.contains(SHOWN) {
        return parts.push(Part::Word(SHOWN.to_owned()));
    }
    let edge = |c: char| !c.is_alphanumeric() && c != '%';
    let core = piece.trim_matches(edge);
    if core.is_empty() {
        let dash = !piece.is_empty() && piece.chars().all(|c| matches!(c, '-' | ':' | '/' | '*'));
        parts.extend(dash.then_some(Part::Pause { keyed: piece.contains(':') }));
        // A sign between words parts them as a comma does.
        let sign = piece.chars().any(text::ornament) && matches!(parts.last(), Some(Part::Word(_)));
        parts.extend(sign.then_some(Part::Pause { keyed: false }));
        if piece.contains('.') {
            parts.push(Part::End { asks: false });
        }
        return;
    }
    let folded = core.to_lowercase().replace('’', "'");
    let behind = &piece[piece.rfind(core).map_or(piece.len(), |at| at + core.len())..];
    let abbreviated = ABBREVIATIONS.contains(&folded.as_str()) && folded != "no";
    parts.extend(compound(&folded).into_iter().flat_map(written_out).map(Part::Word));
    if behind.contains('.') && !abbreviated {
        parts.push(Part::End { asks: false });
    } else if behind.contains(':') {
        parts.push(Part::Pause { keyed: true });
    }
}

/// Words that mean something of themselves even when they are joined: `not-ready`, `ok/ready`.
const JOINED: [&str; 14] = [
    "cancel", "abort", "ok", "okay", "ready", "not", "no", "never", "cannot", "wait", "yet", "pass", "fail",
    "done",
];

fn compound(core: &str) -> Vec<&str> {
    let joint = |c: char| !c.is_alphanumeric() && c != '\'';
    let pieces: Vec<_> = core.split(joint).filter(|piece| !piece.is_empty()).collect();
    if core.contains(joint) && pieces.iter().all(|piece| JOINED.contains(piece)) {
        pieces
    } else {
        vec![core]
    }
}

/// How people write it when they are in a hurry, and what they mean.
const HURRIED: [(&str, &str); 15] = [
    ("let's", "let us"),
    ("cannot", "can not"),
    ("can't", "can not"),
    ("cant", "can not"),
    ("won't", "will not"),
    ("wont", "will not"),
    ("dont", "do not"),
    ("isnt", "is not"),
    ("arent", "are not"),
    ("wasnt", "was not"),
    ("didnt", "did not"),
    ("doesnt", "does not"),
    ("havent", "have not"),
    ("couldnt", "could not"),
    ("im", "i am"),
];

/// `it's` is `it is`, `I've` is `I have`.
fn written_out(word: &str) -> Vec<String> {
    const ENDS: [(&str, &str); 6] =
        [("n't", "not"), ("'ve", "have"), ("'ll", "will"), ("'re", "are"), ("'m", "am"), ("'d", "would")];
    const IS: [&str; 12] =
        ["it", "that", "this", "here", "there", "what", "everything", "all", "he", "she", "who", "nothing"];
    if let Some((_, whole)) = HURRIED.iter().find(|(short, _)| *short == word) {
        return whole.split(' ').map(str::to_owned).collect();
    }
    for (end, whole) in ENDS {
        if let Some(stem) = word.strip_suffix(end).filter(|stem| !stem.is_empty()) {
            return vec![stem.to_owned(), whole.to_owned()];
        }
    }
    match word.strip_suffix("'s") {
        Some(stem) if IS.contains(&stem) => vec![stem.to_owned(), "is".to_owned()],
        _ => vec![word.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str) -> Vec<String> {
        let one = |sentence: &Sentence| {
            let clauses: Vec<_> = sentence.clauses.iter().map(|clause| clause.words.join(" ")).collect();
            format!("{}{}", clauses.join(" / "), if sentence.asks { " ?" } else { "" })
        };
        sentences(body).iter().map(one).collect()
    }

    #[test]
    fn talk_11_a_text_is_split_into_what_its_writer_says() {
        let table: [(&str, &[&str]); 14] = [
            ("It isn't done, I've two tests left.", &["it is not done / i have two tests left"]),
            ("Is it done? Not yet!", &["is it done ?", "not yet"]),
            ("> GH-1 is done\n\nYes.", &["yes"]),
            ("```\n[DONE] GH-1\n```\nok", &["ok"]),
            ("The bot posted \"all done\" here", &["the bot posted □ here"]),
            ("\"ok\"", &["ok"]),
            ("`GH-1` is done", &["gh-1 is done"]),
            ("run `npm test -- a` first", &["run □ first"]),
            ("done:   limiter\ntodo:   test", &["done / limiter", "todo / test"]),
            ("- [x] a\n- [ ] b\nand c", &["a", "b / and c"]),
            ("⏺ Bash(go test)\n  ⎿  FAIL x\n     1 failed\n\n⏺ Let me fix it", &["let me fix it"]),
            ("see e.g. main.rs. Then go", &["see e.g main.rs", "then go"]),
            ("I am not\nready", &["i am not ready"]),
            ("not-ready / can't", &["not ready / can not"]),
        ];
        for (body, expected) in table {
            assert_eq!(shown(body), expected, "{body}");
        }
    }

    #[test]
    fn talk_11_titles_boxes_and_asides_are_known() {
        let body = "## Next steps (optional)\n- add a metric\n\n**Done:**\n- [x] a\n- [ ] b\n\nAll good.";
        let read = sentences(body);
        let places: Vec<_> = read.iter().map(|one| (one.place, one.aside)).collect();
        let boxed = |ticked| (Place::Box { ticked }, false);
        assert_eq!(
            places,
            [
                (Place::Title, true),
                (Place::Item, true),
                (Place::Title, false),
                boxed(true),
                boxed(false),
                (Place::Prose, false)
            ]
        );
    }
}
