//! What anybody may know who may ask at all: who there is, and how far the journal goes. So these take no viewer.

use wilco_protocol::Name;
use wilco_protocol::directory::{Agent, Directory};
use wilco_store::{Head, IdempotencyRow, Reader, StoreError};

/// The newest event.
pub fn head(reader: &dyn Reader) -> Result<Head, StoreError> {
    reader.head()
}

pub fn agents(reader: &dyn Reader) -> Result<Vec<Agent>, StoreError> {
    reader.agents()
}

/// All agents there are, to look names up in.
pub fn directory(reader: &dyn Reader) -> Result<Directory, StoreError> {
    let mut directory = Directory::default();
    reader.agents()?.into_iter().for_each(|agent| directory.restore(agent));
    Ok(directory)
}

/// The agent that a text names exactly: by id, name, alias or session.
pub fn agent(reader: &dyn Reader, text: &str) -> Result<Option<Agent>, StoreError> {
    if let Some(agent) = reader.agent(&Name::new(text))? {
        return Ok(Some(agent));
    }
    Ok(directory(reader)?.exactly(text).cloned())
}

/// What a sender was answered under a key of its own.
pub fn kept_answer(
    reader: &dyn Reader,
    sender: &Name,
    key: &str,
) -> Result<Option<IdempotencyRow>, StoreError> {
    reader.idempotent(sender, key)
}
