//! Messages by what they say.

use wilco_protocol::Name;
use wilco_store::{InboxStatus, PAGE_BYTES, Reader, Room, SearchFilter, StoreError, kind_word, words};

use super::Part;
use super::messages::{InboxEntry, parsed};
use super::sight::sees_message;
use crate::command::Viewer;

/// All that is given must hold.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    /// Text whose words must all be there.
    pub text: Option<String>,
    /// Sender or recipient.
    pub agent: Option<Name>,
    pub from: Option<Name>,
    pub to: Option<Name>,
    pub kind: Option<String>,
    pub before: Option<u64>,
    pub limit: usize,
}

/// Words that one question may have.
pub const MAX_WORDS: usize = 32;
/// Rounds for one page, when most of what is found is not for this viewer or the words are rare.
const MAX_ROUNDS: usize = 10;

/// Messages that fit, newest first. A page may be short and still have a `next`: there it goes on.
pub fn search(
    reader: &dyn Reader,
    viewer: &Viewer,
    query: &SearchQuery,
) -> Result<Part<InboxEntry>, StoreError> {
    let nothing = Part { items: Vec::new(), next: None };
    let words = match query.text.as_deref().map(words) {
        // Signs alone are said by nobody.
        Some(words) if words.is_empty() => return Ok(nothing),
        Some(words) => words.into_iter().take(MAX_WORDS).collect(),
        None => Vec::new(),
    };
    let mut filter = SearchFilter {
        words,
        from: query.from.clone(),
        to: query.to.clone(),
        agent: query.agent.clone(),
        kind: query.kind.as_deref().map(kind_word),
        exchange: None,
        before: query.before,
        limit: query.limit + 1,
    };
    let (mut items, mut room) = (Vec::<InboxEntry>::new(), Room::new(PAGE_BYTES));
    for _ in 0..MAX_ROUNDS {
        let found = reader.search(&filter)?;
        for row in found.rows {
            let message = parsed(&row)?;
            if !sees_message(reader, viewer, &message, row.position)? {
                continue;
            }
            if items.len() == query.limit || !room.takes(row.body.len()) {
                let next = items.last().map(|last| last.position);
                return Ok(Part { items, next });
            }
            let status = reader.inbox_status(&message.to, row.position)?.unwrap_or(InboxStatus::Unread);
            items.push(InboxEntry { position: row.position, status, message });
        }
        filter.before = found.next;
        if found.next.is_none() {
            break;
        }
    }
    Ok(Part { items, next: filter.before })
}
