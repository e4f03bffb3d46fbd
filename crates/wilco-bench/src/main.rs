//! The benchmark of the shipped binary: every figure is a ratio to a reference of the same run.
//!
//! `cargo xtask bench` builds `wilco` and this program and starts it. What is measured, and why so, stands
//! in docs/performance.md.

mod disk;
mod echo;
mod http;
mod idle;
mod load;
mod machine;
mod many;
mod options;
mod pages;
mod peers;
mod report;
mod requests;
mod rounds;
mod rows;
mod server;
mod starts;
mod statistics;

use std::process::ExitCode;

use clap::Parser;
use options::{Arguments, Part};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.part {
        None => report::run(&arguments.options),
        Some(Part::Echo) => echo::run(),
        Some(Part::Load(options)) => load::run(&options),
    };
    // Whatever hinders a benchmark lies outside of it: the reason is enough, without a backtrace.
    done.map_or_else(
        |error| {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
