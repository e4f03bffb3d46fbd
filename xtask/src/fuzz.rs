//! `cargo xtask fuzz`: random inputs for every parser and reader, for some seconds each.
//!
//! `cargo xtask test` does it shortly. What was found once is replayed by ordinary tests, `tests/found.rs` of
//! `wilco-language` and of `wilco`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use wilco_testkit::seeds::seeds;

use crate::workspace::{cargo, command_line, root, succeed, succeeds_quietly};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long each target runs
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Run only this target
    #[arg(long)]
    target: Option<String>,
    /// Only what reads the language of messages, not requests and files; it is built in less than half of the time
    #[arg(long)]
    language: bool,
}

/// Where everything lies that can be made again.
const BUILT: &str = "target/fuzz";

/// What is found at once, in every run of the tests.
pub(crate) fn shortly() -> anyhow::Result<()> {
    run(&Options { seconds: 2, target: None, language: true })
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let all = targets(options.language)?;
    let chosen: Vec<_> =
        all.iter().filter(|name| options.target.as_ref().is_none_or(|given| given == *name)).collect();
    if chosen.is_empty() {
        bail!("there is no such target; there are {}", all.join(", "));
    }
    let one = options.target.as_deref();
    succeed(tool("build", options)?.args(one))?;
    for name in &chosen {
        fuzz(name, options)?;
    }
    println!("fuzz: {} targets, {} s each, nothing found", chosen.len(), options.seconds);
    Ok(())
}

/// The names of the programs in `fuzz/fuzz_targets`, in their order.
fn targets(language: bool) -> anyhow::Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let listed = fs::read_dir(&folder).with_context(|| format!("could not list {}", folder.display()))?;
    let mut names = Vec::new();
    for file in listed {
        let path = file?.path();
        if language && fs::read_to_string(&path)?.contains("wilco_fuzz::outer") {
            continue;
        }
        names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn fuzz(name: &str, options: &Options) -> anyhow::Result<()> {
    let seconds = options.seconds;
    let found = root().join("fuzz/found").join(name);
    let corpus = root().join(BUILT).join("corpus").join(name);
    fs::create_dir_all(&found)?;
    sow(name, &corpus)?;
    let mut command = tool("run", options)?;
    command
        .arg(name)
        .arg(&corpus)
        .args(["--", "-timeout=5", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", found.display()));
    let output = command.output().with_context(|| format!("could not start `{}`", command_line(&command)))?;
    // Stays only if something was put into it.
    let _ = fs::remove_dir(&found);
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        eprintln!("{said}");
        bail!("{name}: an input breaks it; it lies in fuzz/found/{name}, and the tests replay it from there");
    }
    let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    println!("{name:<14} {:>12} inputs in {seconds} s", runs.unwrap_or("?").trim());
    Ok(())
}

/// Writes the first inputs into the corpus, which keeps what earlier runs learnt.
fn sow(name: &str, corpus: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(corpus)?;
    for (number, seed) in seeds(&root(), name).iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}

/// An installed cargo-fuzz, else one of our own beneath `target`, so that the machine stays as it was.
fn tool(verb: &str, options: &Options) -> anyhow::Result<Command> {
    let mut command = if succeeds_quietly(cargo().args(["fuzz", "--version"])) {
        cargo()
    } else {
        let tools = root().join("target/tools");
        let binary = tools.join("bin/cargo-fuzz");
        if !binary.exists() {
            succeed(cargo().args(["install", "--locked", "cargo-fuzz", "--root"]).arg(&tools))?;
        }
        let mut own = Command::new(binary);
        own.current_dir(root());
        own
    };
    command.args(["fuzz", verb, "--sanitizer", "none", "--target-dir", BUILT]);
    if !options.language {
        command.args(["--features", "outer"]);
    }
    Ok(command)
}
