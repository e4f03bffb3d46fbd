//! Where there are several nodes: documents and the audit of handoffs are in the database, so that every node has them.

use std::io;

use wilco_protocol::handoff::AuditEntry;
use wilco_store::{Postgres, PostgresTarget};

use crate::audit_file::{RecentReplacement, Replacements, entry_text, replacements_of};
use crate::disk::suffixes;

/// Entries that are read at once.
const PAGE: usize = 500;

/// Saves a document, and gives the name that it got, as on the disk.
pub(crate) fn save(target: &PostgresTarget, name: &str, text: &str) -> io::Result<String> {
    let (store, stem) = (Postgres::reader(target), name.strip_suffix(".md").unwrap_or(name));
    for suffix in suffixes() {
        let numbered = if suffix.is_empty() { name.to_owned() } else { format!("{stem}{suffix}.md") };
        if store.put_handoff_document(&numbered, text).map_err(io::Error::other)? {
            return Ok(numbered);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

pub(crate) fn saved(target: &PostgresTarget, name: &str) -> io::Result<Option<String>> {
    let found = Postgres::reader(target).handoff_document(name).map_err(io::Error::other)?;
    found.map(|body| String::from_utf8(body).map_err(io::Error::other)).transpose()
}

/// Adds an entry, once.
pub(crate) fn append(target: &PostgresTarget, entry: &AuditEntry) -> io::Result<()> {
    Postgres::reader(target).append_replacement(&entry_text(entry)).map_err(io::Error::other)
}

/// The report over what the viewer may see.
pub(crate) fn replacements(
    target: &PostgresTarget,
    sees: impl Fn(&RecentReplacement) -> bool,
) -> io::Result<Replacements> {
    let (store, mut entries, mut after) = (Postgres::reader(target), Vec::new(), 0);
    loop {
        let page = store.replacements(after, PAGE).map_err(io::Error::other)?;
        let Some((last, _)) = page.last() else { break };
        after = *last;
        entries.extend(page.into_iter().map(|(_, entry)| entry));
    }
    Ok(replacements_of(&entries, sees))
}
