//! The text that a hook hands over: what others wrote stands in fences, Wilco's own words around them.

use wilco_language::render::fence::{self, Fenced, fenced, is_word, told_apart};
use wilco_wire::{Message, TodoEntry};

/// How every text begins.
pub(super) const BEGIN: &str = "Wilco:";
/// What the strictest client takes whole, in bytes.
const MOST: usize = 10_000;
/// For the first and the last line.
const FRAME: usize = 700;
/// Less of a message than this is not worth telling.
const LEAST: usize = 600;

#[derive(Debug)]
pub(super) struct Telling {
    agent: String,
    options: String,
    parts: Vec<String>,
    size: usize,
    left_out: usize,
    says_name: bool,
    /// What was told: ids of messages, and keys of what is owed.
    pub(super) keys: Vec<String>,
    /// Messages that were handed over.
    pub(super) messages: Vec<String>,
}

impl Telling {
    pub(super) fn new(agent: &str, url: &str) -> Telling {
        let address = match url.trim_end_matches('/') {
            wilco_clients::DEFAULT_URL => String::new(),
            url => format!(" --url {url}"),
        };
        Telling {
            agent: agent.to_owned(),
            options: format!("--as {agent}{address}"),
            parts: Vec::new(),
            size: FRAME,
            left_out: 0,
            says_name: false,
            keys: Vec::new(),
            messages: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.says_name
    }

    pub(super) fn name(&mut self) {
        self.says_name = true;
    }

    pub(super) fn message(&mut self, message: &Message) {
        let text = message.content["message"].as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| message.content.to_string());
        let (text, taught) = told_apart(&text, message.teaching.as_deref());
        let taught = taught.map(fence::taught).unwrap_or_default();
        let text = format!("Subject: {}\n{text}", message.subject);
        let whose = Fenced::Message { id: &message.id, from: &message.from };
        let whole = match is_word(&message.id) {
            true => format!("Read it whole: wilco read {} {}", message.id, self.options),
            false => format!("Read it whole: wilco read {}", self.options),
        };
        if self.add(whose, &text, &whole, &taught) {
            self.keys.push(message.id.clone());
            self.messages.push(message.id.clone());
        }
    }

    pub(super) fn owed(&mut self, entry: &TodoEntry, key: String) {
        let whose = Fenced::Asked { exchange: &entry.exchange, from: &entry.from };
        let whole = format!("Read it whole: wilco todo {}", self.options);
        let answer = format!("Answer it with:\n{}", entry.answer);
        if self.add(whose, &entry.asked, &whole, &answer) {
            self.keys.push(key);
        }
    }

    /// Adds a fence and what stands behind it, cut where it must be. What does not fit at all comes another time,
    /// and everything after it too: the oldest comes first.
    fn add(&mut self, whose: Fenced<'_>, text: &str, whole: &str, after: &str) -> bool {
        let room = MOST.saturating_sub(self.size);
        if self.left_out > 0 || room < LEAST + after.len() + whole.len() {
            self.left_out += 1;
            return false;
        }
        let random = random();
        let behind = |part: String, lines: &[&str]| {
            let lines = lines.iter().filter(|line| !line.is_empty());
            lines.fold(part, |part, line| format!("{part}\n{line}"))
        };
        let mut part = behind(fenced(random, whose, text), &[after]);
        let mut kept = text.len();
        // Quoting and escaping lengthen a text, so it is measured after them.
        while part.len() + 2 > room {
            kept = text.floor_char_boundary(kept - kept.min((part.len() + 2 - room).max(16)));
            let cut = format!("Only its beginning is shown. {whole}");
            part = behind(fenced(random, whose, &text[..kept]), &[&cut, after]);
            if kept == 0 {
                break;
            }
        }
        self.size += part.len() + 2;
        self.parts.push(part);
        true
    }

    pub(super) fn text(&self) -> String {
        let mut first = format!("{BEGIN} {} for you, {}.", self.parts.len(), self.agent);
        if self.says_name {
            first = format!("{first} This session's name in Wilco is {0}; say it with --as {0}.", self.agent);
        }
        let more = match self.left_out {
            0 => String::new(),
            count => format!("{count} more will be told later. "),
        };
        let last = format!("{more}Everything that waits for you: wilco todo {}", self.options);
        let parts = self.parts.iter().cloned();
        std::iter::once(first).chain(parts).chain([last]).collect::<Vec<_>>().join("\n\n")
    }
}

/// New bits for every fence.
pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    // Without chance there is no fence, and the hook ends without a word.
    getrandom::fill(&mut bytes).expect("random bits");
    u64::from_ne_bytes(bytes)
}
