//! Transcripts of handoffs: text files that are both script and expectation, as those of delegations.
//!
//! The scene: `policy: key = value`, `urgency: prepare`, `candidates: carol`, `task: uuid-1 del-1` (known to
//! Wilco) or `task: uuid-2` (not), `starting from: checkpoint-2`, `state file: yes`, `issues: 42`, `away: carol`,
//! `others: del-9` (what else the failed agent has open), `nothing known: yes`, `down: 1m to 5m` (the server).

#[path = "../transcript/diff.rs"]
mod diff;
mod output;
#[path = "../transcript/script.rs"]
mod script;
mod world;

use std::fs;
use std::path::PathBuf;

use script::Script;
use world::World;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/handoffs")
}

pub(crate) fn file_of(test: &str) -> String {
    format!("{}.txt", test.replace('_', "-"))
}

/// Plays a transcript and compares what happens with what it says.
pub(crate) fn check(test: &str) {
    let path = folder().join(file_of(test));
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let played = play(&expected);
    if played == expected {
        return;
    }
    if std::env::var_os("WILCO_BLESS").is_some() {
        return fs::write(&path, played).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    panic!(
        "{} tells another story (- as written, + as played; WILCO_BLESS=1 rewrites it)\n{}",
        path.display(),
        diff::lines(&expected, &played)
    );
}

fn play(text: &str) -> String {
    let script = Script::parse(text);
    let mut world = World::new(&script.scene);
    let mut played: String = script.opening.iter().map(|line| format!("{line}\n")).collect();
    for step in script.steps {
        played += &world.run_until(step.at);
        for line in step.before {
            played += &format!("{line}\n");
        }
        played += &output::input(step.at, &step.text);
        played += &world.play(&step.text);
    }
    for line in script.closing {
        played += &format!("{line}\n");
    }
    played
}
