//! The nodes of a realm, as the database knows them.

use std::time::Duration;

use wilco_store::{NodeRow, Postgres, PostgresTarget, StoreError, WriterRow};

use crate::handle::{Handle, ReadError};

/// A node as it stands now.
#[derive(Debug, Clone)]
pub struct NodeNow {
    pub row: NodeRow,
    pub role: NodeRole,
    /// Events that it had not heard of at its last sign of life.
    pub lag: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRole {
    Writer,
    Follower,
    /// It gave no sign of life for as long as a lease, or has lost its name.
    Gone,
}

impl NodeRole {
    pub fn word(self) -> &'static str {
        match self {
            NodeRole::Writer => "writer",
            NodeRole::Follower => "follower",
            NodeRole::Gone => "gone",
        }
    }

    fn of(row: &NodeRow, writer: &WriterRow, lease: Duration) -> NodeRole {
        match row.there && row.silent <= lease {
            false => NodeRole::Gone,
            true if row.name == writer.node && !writer.released => NodeRole::Writer,
            true => NodeRole::Follower,
        }
    }
}

/// Every node that ever was, in the order of their names.
pub fn nodes(target: &PostgresTarget) -> Result<Vec<NodeNow>, StoreError> {
    let store = Postgres::reader(target);
    let (writer, rows) = (store.writer()?, store.nodes()?);
    let now = |row: NodeRow| {
        let role = NodeRole::of(&row, &writer, target.lease());
        let lag = if role == NodeRole::Writer { 0 } else { writer.position.saturating_sub(row.position) };
        NodeNow { row, role, lag }
    };
    Ok(rows.into_iter().map(now).collect())
}

impl Handle {
    /// The nodes of this realm; none on an embedded store.
    pub async fn nodes(&self) -> Result<Vec<NodeNow>, ReadError> {
        let Some(node) = self.node() else { return Ok(Vec::new()) };
        if !node.may_read() {
            return Err(node.cut_off());
        }
        let target = node.target.clone();
        let asked = tokio::task::spawn_blocking(move || nodes(&target)).await;
        asked.map_err(|_| ReadError::Lost)?.map_err(ReadError::Store)
    }
}
