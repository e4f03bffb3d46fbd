//! Answers that were sent, and changed nothing: to somebody else, or in words that were not recognised.

use wilco_client::MessageQuery;
use wilco_language::message::MessageType;
use wilco_protocol::Time;
use wilco_wire::{Exchange, Message};

use super::Exam;
use super::finding::Finding;
use crate::output::age::ago;
use crate::output::board::waits_for;
use crate::output::escape::one_line;
use crate::output::width::cut;

/// The newest messages that are looked at.
const NEWEST: u32 = 50;
/// How much of an explanation is shown.
const SHOWN: usize = 160;

/// Looks at what somebody said since an exchange began that waits for them.
pub(super) fn examine(exam: &mut Exam<'_>, exchange: &Exchange, agent: &str) -> anyhow::Result<()> {
    let waits = exchange.outcome.is_none() && waits_for(exchange).contains(&agent);
    // Who is at work may say what they like.
    if !waits || exchange.state == "working" {
        return Ok(());
    }
    let begun = exchange.created.parse::<Time>().unwrap_or_default();
    let said = newest(exam, MessageQuery { from: Some(agent.to_owned()), ..MessageQuery::default() })?;
    let notices = newest(
        exam,
        MessageQuery {
            to: Some(agent.to_owned()),
            kind: Some(MessageType::ProtocolNotice.to_string()),
            ..MessageQuery::default()
        },
    )?;
    for message in said.iter().filter(|message| message.timestamp.parse().is_ok_and(|at: Time| at >= begun)) {
        let Some(reading) = message.reading.as_ref().filter(|reading| reading.effect == "none") else {
            continue;
        };
        if reading.exchange.as_ref().is_some_and(|other| *other != exchange.id) {
            continue;
        }
        let when = ago(exam.now, &message.timestamp);
        let text = format!(
            "{} of {agent} to {}, {when}, changed nothing: it was read as {}{}",
            message.id,
            message.to,
            reading.meaning,
            why(message, &notices)
        );
        exam.found.push(
            Finding::wrong(&exchange.id, text).next(format!("wilco read {} --keep-unread", message.id)),
        );
    }
    Ok(())
}

fn newest(exam: &Exam<'_>, query: MessageQuery) -> anyhow::Result<Vec<Message>> {
    let query = MessageQuery { limit: Some(NEWEST), ..query };
    Ok(exam.caller.checked(exam.client.messages(&query))?.value.items)
}

/// What Wilco answered to it, if it did.
fn why(message: &Message, notices: &[Message]) -> String {
    let answer = notices.iter().find(|notice| notice.in_reply_to.as_ref() == Some(&message.id));
    let text = answer.and_then(|notice| notice.content["message"].as_str()).unwrap_or_default();
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("; Wilco said: {}", cut(&one_line(line), SHOWN)),
        None => String::new(),
    }
}
