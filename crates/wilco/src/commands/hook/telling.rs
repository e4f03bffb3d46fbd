//! The text that a hook hands over: what others wrote stands in fences, Wilco's own words around them.

use serde_json::json;
use wilco_clients::{DEFAULT_URL, Moment};
use wilco_language::message::MessageType;
use wilco_language::render::fence::{self, Fenced, fenced, is_word, told_apart};
use wilco_wire::{Message, TodoEntry};

use super::news::kind;
use super::place::SessionPlace;

/// How every text begins.
pub(super) const BEGIN: &str = "Wilco:";
/// What the strictest client takes whole, in bytes.
const MOST: usize = 10_000;
/// Room for numbers and for words that are longer than those of nothing at all.
const FRAME: usize = 300;
/// Less of a message than this is not worth telling.
const LEAST: usize = 600;

#[derive(Debug)]
pub(super) struct Telling {
    agent: String,
    options: String,
    parts: Vec<String>,
    size: usize,
    left_out: usize,
    /// How many of the parts wait for an answer.
    owed: usize,
    says_name: bool,
    /// It answers a stop.
    holds_up: bool,
    /// Its client writes `<` in another way, and a command with a heredoc would not run.
    escapes: bool,
    /// What was told: ids of messages, and keys of what is owed.
    pub(super) keys: Vec<String>,
    /// Messages that were handed over.
    pub(super) messages: Vec<String>,
}

impl Telling {
    pub(super) fn new(place: &SessionPlace, moment: Moment) -> Telling {
        let options = format!("--as {}{}", place.agent, address(&place.url));
        let mut telling = Telling {
            agent: place.agent.clone(),
            options,
            parts: Vec::new(),
            size: 0,
            left_out: 0,
            owed: 0,
            says_name: true,
            holds_up: moment == Moment::Stop,
            escapes: place.client.escapes(moment),
            keys: Vec::new(),
            messages: Vec::new(),
        };
        // The first and the last line are there whatever else fits; their numbers grow by some digits.
        telling.size = telling.text().len() + FRAME;
        telling.says_name = false;
        telling
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.says_name
    }

    pub(super) fn name(&mut self) {
        self.says_name = true;
    }

    /// A message, with the answer that it waits for, if it does.
    pub(super) fn message(&mut self, message: &Message, asks: Option<&(TodoEntry, String)>) {
        let text = message.content["message"].as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| message.content.to_string());
        let (text, taught) = told_apart(&text, message.teaching.as_deref());
        let mut text = text.to_owned();
        if !message.subject.trim().is_empty() {
            text = format!("Subject: {}\n{text}", message.subject);
        }
        let whose = Fenced::Message { id: &message.id, from: &message.from };
        let whole = match is_word(&message.id) {
            true => format!("Read it whole: wilco read {} {}", message.id, self.options),
            false => format!("Read it whole: wilco read {}", self.options),
        };
        let taught = taught.filter(|_| !asks.is_some_and(|(entry, _)| says_it_all(entry, message)));
        let mut after: Vec<String> = taught.map(fence::taught).into_iter().collect();
        after.extend(asks.map(|(entry, _)| answer(entry, &self.agent)));
        if self.add(whose, &text, &whole, &after.join("\n")) {
            self.keys.push(message.id.clone());
            self.messages.push(message.id.clone());
            self.keys.extend(asks.map(|(_, key)| key.clone()));
            self.owed += usize::from(asks.is_some());
        }
    }

    pub(super) fn owed(&mut self, entry: &TodoEntry, key: &str) {
        let whose = Fenced::Asked { exchange: &entry.exchange, from: &entry.from };
        let whole = format!("Read it whole: wilco todo {}", self.options);
        if self.add(whose, &entry.asked, &whole, &answer(entry, &self.agent)) {
            self.keys.push(key.to_owned());
            self.owed += 1;
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
        let own = if self.escapes { without_heredocs(after) } else { after.to_owned() };
        let (random, after) = (random(), own.as_str());
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

    /// Wilco's own words stand on the first and on the last line: clients put theirs there too.
    pub(super) fn text(&self) -> String {
        let (agent, options) = (&self.agent, &self.options);
        let things = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let waits = things(self.owed, "thing waits for you", "things wait for you");
        let mut first = match (self.parts.len(), self.owed) {
            (0, _) => format!("{BEGIN} you are connected to other agents."),
            (parts, 0) => {
                let news = things(parts, "message of another agent is", "messages of other agents are");
                format!("{BEGIN} {agent}, {news} here. Nobody waits for an answer.")
            }
            (_, _) if self.holds_up => {
                format!("{BEGIN} {agent}, before you stop: {waits}. Below each it is said how to answer it.")
            }
            (_, _) => format!("{BEGIN} {agent}, {waits}. Below each it is said how to answer it."),
        };
        if self.says_name {
            first += &format!(
                " Your name there is {agent}: say it with --as {agent} in commands, and with from or agent in tools."
            );
        }
        let more = match self.left_out {
            0 => String::new(),
            count => format!("{count} more did not fit and will be told later. "),
        };
        let last =
            format!("{more}{BEGIN} that is all for now. Everything that waits for you: wilco todo {options}");
        let parts = self.parts.iter().cloned();
        std::iter::once(first).chain(parts).chain([last]).collect::<Vec<_>>().join("\n\n")
    }
}

/// The option that names the server, where it must be named.
pub(super) fn address(url: &str) -> String {
    match url.trim_end_matches('/') {
        DEFAULT_URL => String::new(),
        url => format!(" --url {url}"),
    }
}

/// Whether the answer says all that the message teaches, which may have been written for an agent without tools.
fn says_it_all(entry: &TodoEntry, message: &Message) -> bool {
    match entry.kind.as_str() {
        "acknowledge" => {
            matches!(kind(message), Some(MessageType::TaskAssignment | MessageType::AckRequest))
        }
        "report" => kind(message) == Some(MessageType::BeginNow),
        _ => false,
    }
}

/// How to answer what waits: the tool where an agent has it, and the command.
fn answer(entry: &TodoEntry, agent: &str) -> String {
    const HEARD: &str = "What you only write here is heard by your user and by nobody else.";
    let task = entry.task_id.as_deref().filter(|task| is_word(task));
    let call = |tool: &str, mut given: serde_json::Value| match task {
        Some(task) => {
            (given["task_id"], given["from"]) = (json!(task), json!(agent));
            format!("the tool {tool} of the MCP server wilco with {given}")
        }
        None => format!("the tool {tool} of the MCP server wilco"),
    };
    let until = entry.due.as_ref().map(|due| format!(" Answer until {due}.")).unwrap_or_default();
    let how = match (entry.kind.as_str(), entry.agents_tool()) {
        ("acknowledge", _) => format!(
            "Acknowledge it before you begin: it is yours when your ACK is accepted.{until}\n\
             Call {}. The understanding restates the task with every acceptance criterion in your own words, and keeps \
             its numbers and names. What you must know first, ask with the tool ask_clarification; what you cannot do, \
             decline with status rejected and a reason. {HEARD} Without the tool, run:",
            call("acknowledge_task", json!({"status": "received", "understanding": "WHAT YOU WILL DO"})),
        ),
        // Whoever is told to finish it now says that it is done.
        ("report", _) => format!(
            "It is yours: work on it now. What is reached on the way, report with {}. When all of it is done, and not \
             before, call {}. {HEARD} Without the tool, run:",
            call("checkpoint", json!({"checkpoint": 1, "summary": "WHAT IS REACHED"})),
            call("complete_task", json!({})),
        ),
        (_, Some(tool)) => {
            format!(
                "Answer it with the tool {tool} of the MCP server wilco.{until} {HEARD} Without the tool, run:"
            )
        }
        (_, None) => format!("Answer it with this command.{until} {HEARD}"),
    };
    format!("{how}\n{}", entry.answer)
}

/// The same commands with their text between quotes.
fn without_heredocs(text: &str) -> String {
    const BEGIN: &str = " - <<'END'\n";
    const END: &str = "\nEND";
    let mut rest = text;
    let mut done = String::new();
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        let Some((words, after)) = behind.split_once(END) else { break };
        done += &format!("{before} '{words}'");
        rest = after;
    }
    done + rest
}

/// New bits for every fence.
pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    // Without chance there is no fence, and the hook ends without a word.
    getrandom::fill(&mut bytes).expect("random bits");
    u64::from_ne_bytes(bytes)
}
