//! `wilco`: one binary for the server and for everybody who speaks to it. Here is all of it; `main.rs` starts it.

mod caller;
mod cli;
mod commands;
mod config;
mod failure;
mod follow;
mod offline;
mod operation;
mod output;
mod paging;
mod place;
mod posted;
mod suggested;
mod task;
mod token;
mod topics;
mod validation;
mod values;

use std::process::ExitCode;

#[doc(hidden)]
pub use config::effective;

/// Does what the command line says.
pub fn main() -> ExitCode {
    match commands::run(cli::parse()) {
        Ok(code) => code,
        Err(error) => failure::show(&error),
    }
}
