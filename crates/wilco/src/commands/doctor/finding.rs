//! One thing that was looked at: how it is, and what to do about it.

use serde_json::{Value, json};

use crate::output::Screen;
use crate::output::escape::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    level: Level,
    /// What it is about: the server, an agent, an exchange.
    about: String,
    text: String,
    /// The command to run.
    next: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Fine,
    /// Worth knowing; nothing is broken.
    Note,
    Wrong,
}

impl Finding {
    pub(super) fn fine(about: &str, text: impl Into<String>) -> Finding {
        Finding { level: Level::Fine, about: about.to_owned(), text: text.into(), next: None }
    }

    pub(super) fn note(about: &str, text: impl Into<String>) -> Finding {
        Finding { level: Level::Note, ..Finding::fine(about, text) }
    }

    pub(super) fn wrong(about: &str, text: impl Into<String>) -> Finding {
        Finding { level: Level::Wrong, ..Finding::fine(about, text) }
    }

    pub(super) fn next(mut self, command: impl Into<String>) -> Finding {
        self.next = Some(command.into());
        self
    }

    pub(super) fn is_wrong(&self) -> bool {
        self.level == Level::Wrong
    }

    pub(super) fn json(&self) -> Value {
        json!({"level": word(self.level), "about": self.about, "text": self.text, "next": self.next})
    }
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Fine => "ok",
        Level::Note => "note",
        Level::Wrong => "wrong",
    }
}

/// A line for each finding, and below it what to try.
pub(super) fn words(found: &[Finding], screen: &Screen) -> String {
    let mut lines = Vec::new();
    for finding in found {
        let word = format!("{:<5}", word(finding.level));
        let word = match finding.level {
            Level::Fine => screen.paint.green(&word),
            Level::Note => screen.paint.yellow(&word),
            Level::Wrong => screen.paint.red(&word),
        };
        lines.push(format!("{word}  {}: {}", one_line(&finding.about), one_line(&finding.text)));
        lines.extend(finding.next.iter().map(|next| format!("       try: {}", one_line(next))));
    }
    lines.join("\n")
}
