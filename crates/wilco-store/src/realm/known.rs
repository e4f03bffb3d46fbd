//! Who writes, as far as a node knows.

use crate::postgres::WriterRow;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownWriter {
    /// Whether it is this node, and takes calls.
    pub is_here: bool,
    pub epoch: u64,
    pub node: String,
    pub address: String,
    pub position: u64,
    /// Why this node serves nothing: the database lost what it had, or a newer wilco changed the schema.
    pub serves_nothing: Option<String>,
}

/// Where a call that changes something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayToWriter<'a> {
    Here,
    To(&'a str),
    /// Nobody writes just now.
    Nowhere,
}

impl KnownWriter {
    /// Takes in the row. A database that has less than it had before is not the one that was served.
    pub fn hear(&mut self, row: &WriterRow, is_here: bool) -> Result<(), String> {
        if row.epoch < self.epoch || row.position < self.position {
            let reason = format!(
                "the database is at epoch {} and position {}, and was at {} and {} before",
                row.epoch, row.position, self.epoch, self.position
            );
            self.serves_nothing = Some(reason.clone());
            return Err(reason);
        }
        (self.epoch, self.node, self.address) = (row.epoch, row.node.clone(), row.address.clone());
        (self.position, self.is_here) = (row.position, is_here);
        Ok(())
    }

    /// This node took over. It takes no calls before it has begun, and none goes to the writer before it any more.
    pub fn took_over(&mut self, epoch: u64, node: &str, address: &str) {
        (self.epoch, self.node, self.address) = (epoch, node.to_owned(), address.to_owned());
    }

    /// The way from the node of this name. Whoever finds its own name as that of the writer, and is not, has only begun.
    pub fn way(&self, from: &str) -> WayToWriter<'_> {
        match self.is_here {
            true => WayToWriter::Here,
            false if self.address.is_empty() || self.node == from => WayToWriter::Nowhere,
            false => WayToWriter::To(&self.address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-12: from the takeover on no call goes to the writer before, which may be stopped and never answer.
    #[test]
    fn pg_12_who_took_over_sends_nothing_to_the_writer_before() {
        let mut known = KnownWriter { epoch: 1, node: "one".to_owned(), ..KnownWriter::default() };
        assert_eq!(known.way("two"), WayToWriter::Nowhere, "it has no address");
        known.address = "http://one".to_owned();
        assert_eq!(known.way("two"), WayToWriter::To("http://one"));
        known.took_over(2, "two", "http://two");
        assert_eq!(known.way("two"), WayToWriter::Nowhere);
        known.is_here = true;
        assert_eq!(known.way("two"), WayToWriter::Here);
    }
}
