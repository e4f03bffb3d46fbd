//! The part of a transcript that somebody wrote by hand.

use wilco_protocol::{Span, Time};

pub(crate) struct Script {
    /// Everything before the first step, as it stands.
    pub(crate) opening: Vec<String>,
    /// The `key: value` lines of the opening.
    pub(crate) scene: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    /// Comments after the last step.
    pub(crate) closing: Vec<String>,
}

pub(crate) struct Step {
    /// Comments and empty lines that stand before it.
    pub(crate) before: Vec<String>,
    pub(crate) at: Time,
    pub(crate) text: String,
}

impl Script {
    pub(crate) fn parse(text: &str) -> Script {
        let mut script =
            Script { opening: Vec::new(), scene: Vec::new(), steps: Vec::new(), closing: Vec::new() };
        let mut before = Vec::new();
        for line in text.lines() {
            match Line::of(line) {
                Line::Comment => before.push(line.to_owned()),
                Line::Played => {}
                Line::Scene(key, value) => {
                    assert!(script.steps.is_empty(), "the scene is set before the first step: {line}");
                    before.push(line.to_owned());
                    script.scene.push((key, value));
                }
                Line::Step(at, text) => {
                    let before = std::mem::take(&mut before);
                    if script.steps.is_empty() {
                        script.opening = before;
                        script.steps.push(Step { before: Vec::new(), at, text });
                    } else {
                        script.steps.push(Step { before, at, text });
                    }
                }
            }
        }
        script.closing = before;
        assert!(text.starts_with("# "), "a transcript begins with its title");
        assert!(!script.steps.is_empty(), "nothing is said in this transcript");
        script
    }
}

enum Line {
    Comment,
    Scene(String, String),
    Step(Time, String),
    Played,
}

impl Line {
    fn of(line: &str) -> Line {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Line::Comment;
        }
        let (first, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
        match first.parse::<Span>() {
            Ok(_) if rest.trim_start().starts_with("->") || rest.trim_start().starts_with("= ") => {
                Line::Played
            }
            Ok(span) => Line::Step(Time::ZERO.plus(span), rest.trim().to_owned()),
            Err(_) => {
                let (key, value) = trimmed
                    .split_once(':')
                    .unwrap_or_else(|| panic!("neither a step nor `key: value`: {line}"));
                Line::Scene(key.trim().to_owned(), value.trim().to_owned())
            }
        }
    }
}
