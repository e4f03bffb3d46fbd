//! The exchange whose subject a message repeats, perhaps behind `RE:`.

use std::sync::Arc;

use wilco_protocol::Exchange;

use super::correlate::{Correlated, Rule, to};
use crate::command::Refused;
use crate::workspace::Workspace;

pub(super) fn by_subject(
    workspace: &mut Workspace<'_>,
    awaiting: &[Arc<Exchange>],
    subject: &str,
) -> Result<Option<Correlated>, Refused> {
    let mut same = Vec::new();
    for exchange in awaiting {
        let opening = workspace.message(exchange.opening())?;
        let given = opening.map(|(_, message)| message.subject.trim().to_lowercase());
        // What began without a subject is shown under its title.
        let opened_with = given.filter(|subject| !subject.is_empty());
        if opened_with.unwrap_or_else(|| exchange.title().to_lowercase()) == subject.to_lowercase() {
            same.push(exchange.clone());
        }
    }
    Ok(match same.len() {
        0 => None,
        1 => Some(to(same, Rule::Subject)),
        _ => Some(Correlated::Ambiguous(same.iter().map(|exchange| exchange.id()).collect())),
    })
}

/// The subject without `RE:`, `AW:` before it, however many.
pub(super) fn without_reply_marks(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let mark =
            rest.get(..3).filter(|mark| ["re:", "aw:"].iter().any(|known| mark.eq_ignore_ascii_case(known)));
        match mark {
            Some(_) => rest = rest[3..].trim_start(),
            None => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_reply_marks;

    #[test]
    fn msg_10_reply_marks_are_taken_off_however_many() {
        assert_eq!(without_reply_marks("RE: Re: aw:  Deploy"), "Deploy");
        assert_eq!(without_reply_marks("Regarding"), "Regarding");
        assert_eq!(without_reply_marks("é"), "é");
    }
}
