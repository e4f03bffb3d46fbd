//! `cargo xtask fuzz`: random inputs for every parser and reader, for some seconds each.
//!
//! `cargo xtask test` does it shortly. What was found once is replayed by ordinary tests, `tests/found.rs` of
//! `wilco-language` and of `wilco`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use wilco_testkit::seeds::seeds;

use crate::workspace::{cargo, command_line, program, root, succeed};

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

/// How the code tells libFuzzer which ways through it an input takes.
const INSTRUMENTED: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "--cfg=fuzzing",
    "-Cforce-frame-pointers",
];

/// What is found at once, in every run of the tests. Two seconds are not worth much optimising.
pub(crate) fn shortly() -> anyhow::Result<()> {
    campaign(&Options { seconds: 2, target: None, language: true }, "1")
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    campaign(options, "3")
}

fn campaign(options: &Options, optimised: &str) -> anyhow::Result<()> {
    let all = targets(options.language)?;
    let chosen: Vec<_> =
        all.iter().filter(|name| options.target.as_ref().is_none_or(|given| given == *name)).collect();
    if chosen.is_empty() {
        bail!("there is no such target; there are {}", all.join(", "));
    }
    let host = host()?;
    build(options, &host, optimised)?;
    for name in &chosen {
        fuzz(name, &root().join(BUILT).join(&host).join("release").join(name), options.seconds)?;
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

fn fuzz(name: &str, program: &Path, seconds: u64) -> anyhow::Result<()> {
    let found = root().join("fuzz/found").join(name);
    let corpus = root().join(BUILT).join("corpus").join(name);
    fs::create_dir_all(&found)?;
    sow(name, &corpus)?;
    let mut command = Command::new(program);
    command
        .arg(&corpus)
        .args(["-timeout=5", "-print_final_stats=1"])
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

/// For a target that is named, so that what runs during the build is not instrumented with it.
fn build(options: &Options, host: &str, optimised: &str) -> anyhow::Result<()> {
    let mut build = cargo();
    build.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", BUILT]);
    build.args(["--target", host]);
    match &options.target {
        Some(one) => build.args(["--bin", one]),
        None => build.arg("--bins"),
    };
    if !options.language {
        build.args(["--features", "outer"]);
    }
    build.env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTED.join("\u{1f}"));
    succeed(build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", optimised))
}

/// What this machine is, in the compiler's words.
fn host() -> anyhow::Result<String> {
    let output = program("rustc").arg("-vV").output().context("could not start rustc")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it runs on")?.to_owned())
}
