//! An exchange as a scene: who said what to whom, and what happened, in order. From it come the
//! communication log and the sequence diagrams.
//!
//! Pure. Where the messages and events come from is the engine's business.

mod communication;
mod log;
mod mermaid;
mod summary;
mod svg;
mod terminal;

pub use communication::{Communication, LogEntry, Statistics, communication};
pub use log::log;
pub use mermaid::mermaid;
pub use summary::{summary, worded};
pub use svg::svg;
pub use terminal::terminal;

use serde::Serialize;
use wilco_protocol::{Name, Time};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scene {
    pub title: String,
    /// The state it is in now.
    pub state: String,
    pub begun: Time,
    /// In the order in which they appear.
    pub people: Vec<Name>,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    Said { at: Time, from: Name, to: Name, kind: String, text: String },
    Happened { at: Time, by: Name, what: String, detail: String },
}

impl Step {
    pub fn at(&self) -> Time {
        match self {
            Step::Said { at, .. } | Step::Happened { at, .. } => *at,
        }
    }
}

/// Words of a text that fit into a diagram.
const SHORT: usize = 60;

/// One line of a text, short, with nothing invisible in it.
fn short(text: &str, most: usize) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
    if line.chars().count() <= most {
        return line;
    }
    format!("{}…", line.chars().take(most - 1).collect::<String>())
}

/// How long after the beginning something was.
fn after(scene: &Scene, step: &Step) -> String {
    format!("+{}", step.at().since(scene.begun))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A delegation with a text that would break each of the formats.
    pub(super) fn scene() -> Scene {
        let at = |seconds: i64| Time::from_millis(1_767_150_000_000 + seconds * 1000);
        let (boss, worker) = (Name::new("boss"), Name::new("worker<1>"));
        let said = |seconds, from: &Name, to: &Name, kind: &str, text: &str| Step::Said {
            at: at(seconds),
            from: from.clone(),
            to: to.clone(),
            kind: kind.to_owned(),
            text: text.to_owned(),
        };
        Scene {
            title: "GH-42 Add a <b>logout</b> endpoint".to_owned(),
            state: "working".to_owned(),
            begun: at(0),
            people: vec![boss.clone(), worker.clone()],
            steps: vec![
                said(
                    0,
                    &boss,
                    &worker,
                    "task-assignment",
                    "Add it; \"quickly\"\u{fffe} & well\n# now\u{1b}[31m\u{ffff}",
                ),
                said(90, &worker, &boss, "task-acknowledgment", "Will | do `it`"),
                Step::Happened {
                    at: at(90),
                    by: worker.clone(),
                    what: "accepted".to_owned(),
                    detail: String::new(),
                },
                said(100, &worker, &worker, "conversation", "to myself"),
            ],
        }
    }

    #[test]
    fn api_4_the_log_tells_who_said_what_and_when() {
        let log = log(&scene());
        assert!(log.starts_with("# GH-42 Add a &lt;b&gt;logout&lt;/b&gt; endpoint\n"), "{log}");
        assert!(log.contains("## +1m30s worker&lt;1&gt; → boss: task-acknowledgment"), "{log}");
        assert!(!log.contains('\u{1b}'));
    }

    #[test]
    fn api_4_diagrams_survive_every_text() {
        let mermaid = mermaid(&scene());
        assert!(mermaid.starts_with("sequenceDiagram\n"), "{mermaid}");
        assert!(mermaid.lines().all(|line| !line.contains(';')), "a semicolon ends a statement: {mermaid}");
        let svg = svg(&scene());
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("<b>") && !svg.contains(['\u{1b}', '\u{fffe}', '\u{ffff}']), "no XML: {svg}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }

    #[test]
    fn cli_4_the_terminal_shows_arrows_between_people() {
        let drawn = terminal(&scene(), 80);
        assert!(drawn.contains("boss") && drawn.contains("worker<1>"), "{drawn}");
        assert!(drawn.contains("──▶") && drawn.contains("◀──"), "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    }

    #[test]
    fn cli_4_who_does_not_fit_is_named_in_the_last_column() {
        let names: Vec<_> = (1..=7).map(|n| Name::new(format!("s{n}"))).collect();
        let said = |from: &Name, to: &Name| Step::Said {
            at: Time::from_millis(0),
            from: from.clone(),
            to: to.clone(),
            kind: "ok".to_owned(),
            text: String::new(),
        };
        let passed = Step::Happened {
            at: Time::from_millis(0),
            by: names[5].clone(),
            what: "passed".to_owned(),
            detail: String::new(),
        };
        let scene = Scene {
            people: names.clone(),
            steps: vec![said(&names[0], &names[6]), said(&names[5], &names[4]), passed],
            ..scene()
        };
        let drawn = terminal(&scene, 80);
        let lines: Vec<_> = drawn.lines().collect();
        assert!(
            lines[0].contains("s3") && lines[0].contains("others") && !lines[0].contains("s4"),
            "{drawn}"
        );
        assert!(lines[1].contains("s7: ok") && lines[1].contains('▶'), "{drawn}");
        assert!(lines[2].contains("↻ s6 → s5: ok"), "{drawn}");
        assert!(lines[3].contains("* s6: passed"), "{drawn}");
        assert!(terminal(&Scene { people: Vec::new(), ..scene }, 80).contains("passed"));
    }
}
