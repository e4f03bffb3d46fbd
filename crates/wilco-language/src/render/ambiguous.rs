//! The answer to a message that could belong to several exchanges: each by its name, with how to say it there.

use std::sync::Arc;

use serde_json::{Map, json};
use wilco_protocol::{Exchange, MessageId, Name};

use super::form::{inline, one_line};
use super::not_understood::{awaited, first_line, forms, listed};
use super::review::cut;
use super::todo::todo_text;
use super::{Rendered, Setting};
use crate::message::MessageType;

/// With more of them, each shows only the first of its forms.
const FEW: usize = 3;
/// More are only counted.
const MOST: usize = 10;
const LONGEST_TITLE: usize = 60;

/// `message` could belong to any of these: none is guessed.
pub fn ambiguous(
    exchanges: &[Arc<Exchange>],
    to: &Name,
    message: &MessageId,
    setting: &Setting<'_>,
) -> Rendered {
    let said = first_line(message, setting.cited);
    let mut text = format!(
        "Your message could belong to any of {}: {said}\nNothing changed. Say which one you mean by its id, \
         or reply to its message.",
        exchanges.len()
    );
    let mut shown = Vec::new();
    for exchange in exchanges.iter().take(MOST) {
        let mut forms = addressed_forms(exchange, to, setting);
        if exchanges.len() > FEW {
            forms.truncate(1);
        }
        let title = inline(&cut(&one_line(exchange.title()), LONGEST_TITLE));
        let lead = format!("{} ({}) \"{title}\":", one_line(exchange.called()), exchange.id());
        text.push_str(&format!("\n\n{lead} {}", awaited(exchange, to)));
        if !forms.is_empty() {
            text.push_str(&format!("\n{}", listed(&forms)));
        }
        shown.extend(forms);
    }
    if exchanges.len() > MOST {
        text.push_str(&format!("\n\nAnd {} more: wilco todo --as {to}", exchanges.len() - MOST));
    }
    let ids: Vec<_> = exchanges.iter().map(|exchange| exchange.id()).collect();
    let content = Map::from_iter([
        ("type".to_owned(), json!(MessageType::ProtocolNotice)),
        ("message".to_owned(), json!(text)),
        ("reason".to_owned(), json!("ambiguous")),
        ("about".to_owned(), json!(message)),
        ("exchanges".to_owned(), json!(ids)),
        ("forms".to_owned(), json!(shown)),
    ]);
    Rendered { subject: "About your message: ambiguous".to_owned(), priority: "normal", content }
}

/// The forms that say by themselves what they are about.
fn addressed_forms(exchange: &Exchange, to: &Name, setting: &Setting<'_>) -> Vec<String> {
    match exchange {
        Exchange::Delegation(_) | Exchange::Handoff(_) => forms(exchange, to, setting),
        Exchange::Operation(_) | Exchange::Validation(_) => {
            let todo = exchange.todo(to);
            let answer = |todo| todo_text(exchange, to, todo, setting.cited, setting.url).answer;
            let form = |answer: String| match answer.contains('\n') {
                true => format!("by command:\n{answer}"),
                false => format!("by command: {answer}"),
            };
            todo.iter().map(answer).map(form).collect()
        }
    }
}
