//! Full text, in a database of its own beside the main one.
//!
//! It follows the commits on another thread, so that accepting a message costs nothing for it, and knows
//! up to which position it has come: what is newer is looked through message by message. It is derived
//! from the record and can be thrown away; it says where to look, and each message decides whether it fits.

mod index;
mod lookup;

use wilco_protocol::Name;

use crate::search::{EXCHANGE, FROM, KIND, SearchFilter, TO, term};

pub use index::SearchIndex;
pub(super) use index::{open_reader, remove};
pub(super) use lookup::search;

/// The question in the language of the index: only quoted terms and operators of ours, whatever was asked.
/// None when everything is wanted.
fn question(filter: &SearchFilter) -> Option<String> {
    let exact = |term: String| format!("\"{term}\"");
    let name = |kind: char, name: &Name| exact(term(kind, name.as_str()));
    let mut parts: Vec<String> = filter.words.iter().map(|word| format!("\"{word}\" *")).collect();
    parts.extend(filter.from.as_ref().map(|from| name(FROM, from)));
    parts.extend(filter.to.as_ref().map(|to| name(TO, to)));
    parts
        .extend(filter.agent.as_ref().map(|agent| format!("({} OR {})", name(FROM, agent), name(TO, agent))));
    parts.extend(filter.kind.as_ref().map(|kind| exact(term(KIND, kind))));
    parts.extend(filter.exchange.map(|number| exact(term(EXCHANGE, &number.to_string()))));
    (!parts.is_empty()).then(|| parts.join(" AND "))
}
