//! One way to do each development task: `cargo xtask TASK`.
//!
//! A task is a module with `run`, a variant of `Task` and an arm of `main`; its module says what it does.

mod bench;
mod clients;
mod coverage;
mod deny;
mod dist;
mod fuzz;
mod golden;
mod kill;
mod nodes;
mod openapi;
mod picture;
mod replies;
mod requirements;
mod sim;
mod soak;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "Development tasks of this workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// The inner loop: format, tidy, clippy, unit tests, transcripts, tables and laws
    Check,
    /// Format check, clippy, every test and the tidy check
    Test(test::Options),
    /// Check the invariants of the architecture over the source text
    Tidy,
    /// Print the requirements the project claims and the tests that show them
    Coverage,
    /// Measure the release build against references of the same run
    Bench(bench::Options),
    /// Play the agents' clients themselves against a scripted model
    Clients(clients::Options),
    /// Check licences, banned crates and sources of the dependencies
    Deny(deny::Options),
    /// Make what a release consists of: tarball, Debian package, SBOM and checksums
    Dist(dist::Options),
    /// Feed random inputs to every parser and reader
    Fuzz(fuzz::Options),
    /// Write the golden journal of this version, for the release
    Golden,
    /// Kill the server under load, again and again
    Kill(kill::Options),
    /// Kill the writer among several nodes, again and again
    Nodes(nodes::Options),
    /// Write the document of the API and the page of message types to docs/
    Openapi,
    /// Draw docs/demo.svg from what the demo prints
    Picture,
    /// Fill in the tests of docs/requirements.md from what they say they show
    Requirements,
    /// How a table of replies is read, end to end: right, moved wrongly, told, silent
    Replies(replies::Options),
    /// Run the simulation for many seeds, or one of them with everything that happens
    Sim(sim::Options),
    /// A server under steady load: what its memory does
    Soak(soak::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Check => test::check_shortly(),
        Task::Test(options) => test::run(&options),
        Task::Tidy => tidy::run(),
        Task::Coverage => coverage::run(),
        Task::Bench(options) => bench::run(&options),
        Task::Clients(options) => clients::run(&options),
        Task::Deny(options) => deny::run(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Golden => golden::run(),
        Task::Kill(options) => kill::run(&options),
        Task::Nodes(options) => nodes::run(&options),
        Task::Openapi => openapi::run(),
        Task::Picture => picture::run(),
        Task::Requirements => requirements::run(),
        Task::Replies(options) => replies::run(&options),
        Task::Sim(options) => sim::run(&options),
        Task::Soak(options) => soak::run(&options),
    };
    // A failed task is no bug of xtask: the reason is enough, without a backtrace.
    let told = result.inspect_err(|error| eprintln!("error: {error:#}"));
    if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
