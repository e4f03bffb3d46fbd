//! What every store must do. Each property gets a fresh, empty store; a store is right when all hold.
//!
//! What only a store with files can show (reopening, locks, a full disk) is tested beside it.

mod answers;
mod author;
mod exchanges;
mod inbox;
mod operational;
mod record;
mod search;

use crate::error::StoreError;
use crate::{Batch, Store};

pub use answers::{StoreQuestions, answers};
pub use author::Author;
pub use search::walk;

pub type Property = fn(&mut dyn Store) -> Result<(), StoreError>;

pub const PROPERTIES: [(&str, Property); 22] = [
    ("an empty store has no head", record::an_empty_store_has_no_head),
    ("the head follows the journal", record::the_head_follows_the_journal),
    ("g3: positions have no gaps", record::g3_positions_have_no_gaps),
    ("a refused batch leaves no trace", record::a_refused_batch_leaves_no_trace),
    ("journals are read in pages", record::journals_are_read_in_pages),
    ("messages are found by id, place and exchange", record::messages_are_found),
    (
        "messages are found by ids that were made and ids that were chosen",
        record::messages_are_found_by_both_kinds_of_ids,
    ),
    ("api-2: messages are found by what they say", search::api_2_messages_are_found_by_what_they_say),
    ("api-2: what is found comes in pages", search::api_2_what_is_found_comes_in_pages),
    ("an inbox shows the wanted statuses in order", inbox::shows_the_wanted_statuses),
    ("an inbox is read in pages", inbox::is_read_in_pages),
    ("marks change what is there and nothing else", inbox::marks_change_what_is_there),
    ("unread messages are counted up to a bound", inbox::unread_are_counted),
    ("what a message reached adds up", inbox::what_was_reached_adds_up),
    ("exchanges are replaced", exchanges::are_replaced),
    ("exchanges are filtered by all that is asked", exchanges::are_filtered),
    ("keys are added and removed once", exchanges::keys_are_added_and_removed),
    ("agents are put and removed", exchanges::agents_are_put_and_removed),
    ("effects stay until they are settled", operational::effects_stay_until_settled),
    ("msg-23: when agents were seen is kept", operational::msg_23_presence_is_kept),
    ("g2: answers are remembered and forgotten", operational::g2_answers_are_remembered),
    ("g8: a rebuild empties what is derived and nothing else", operational::g8_rebuild_empties_the_derived),
];

/// Checks every property on a store of its own.
///
/// # Panics
///
/// When a property does not hold; the message begins with its name.
pub fn check<S: Store>(fresh: impl Fn() -> S) -> Result<(), StoreError> {
    for (name, property) in PROPERTIES {
        let mut store = fresh();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| property(&mut store)));
        match outcome {
            Ok(outcome) => outcome?,
            Err(_) => panic!("{name}: this does not hold"),
        }
    }
    Ok(())
}

/// Refused with `NotStored`, and nothing in the store is different from before.
fn assert_refused(store: &mut dyn Store, batch: &Batch, why: &str) -> Result<(), StoreError> {
    let before = answers(store, &StoreQuestions::default())?;
    let outcome = store.commit(batch);
    assert!(matches!(outcome, Err(StoreError::NotStored(_))), "{why}: expected a refusal, got {outcome:?}");
    assert_eq!(answers(store, &StoreQuestions::default())?, before, "{why}: something was stored");
    Ok(())
}
