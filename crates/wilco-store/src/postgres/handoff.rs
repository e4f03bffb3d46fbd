//! What handoffs leave behind, where every node can read it: documents, and the audit of replacements.

use crate::error::StoreError;

use super::Postgres;
use super::rows::{self, int, limit};

impl Postgres {
    /// Puts a document under this name; false: another has it. The same text again changes nothing.
    pub fn put_handoff_document(&self, name: &str, text: &str) -> Result<bool, StoreError> {
        let sql = "INSERT INTO handoff_document (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.ask(|session| session.execute(sql, &[&name, &text.as_bytes()]))?;
        Ok(self.handoff_document(name)?.as_deref() == Some(text.as_bytes()))
    }

    pub fn handoff_document(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT body FROM handoff_document WHERE name = $1";
        self.one(sql, &[&name], |row| rows::column(row, 0, 0))
    }

    /// Adds an entry to the audit of replacements, once.
    pub fn append_replacement(&self, entry: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO replacement (entry) VALUES ($1) ON CONFLICT (sha256(entry)) DO NOTHING";
        self.ask(|session| session.execute(sql, &[&entry.as_bytes()])).map(drop)
    }

    /// The entries behind this number, the oldest first, each with its own.
    pub fn replacements(&self, after: u64, most: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let sql = "SELECT number, entry FROM replacement WHERE number > $1 ORDER BY number LIMIT $2";
        self.list(sql, &[&int(after), &limit(most)], |row| {
            Ok((rows::number(row, 0, 0)?, rows::column(row, 1, 0)?))
        })
    }
}
