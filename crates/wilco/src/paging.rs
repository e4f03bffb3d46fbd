//! Parts of long lists: how many, from where, and how to go on.

use wilco_wire::Page;

/// What every list takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Paging {
    /// How many at the most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u32,
    /// Only what follows this cursor, from `next` of an earlier answer
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
}

/// The list, and how to see more of it if there is more.
pub(crate) fn with_more<T>(page: &Page<T>, list: String) -> String {
    match &page.next {
        Some(next) => format!("{list}\nMore with: --after {next}"),
        None => list,
    }
}
