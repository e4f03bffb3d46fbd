//! Transcripts: text files that are both script and expectation.
//!
//! A title after `#`, a few `key: value` lines that set the scene, then what people say by hand and, on
//! lines with an arrow or an equals sign, what Wilco does about it on virtual time. The runner reads the
//! lines that somebody wrote by hand, plays them, and compares the whole text that results. With
//! `WILCO_BLESS=1` the file is rewritten instead: read the difference before you keep it.

mod diff;
mod output;
mod scene;
mod script;
mod speech;
mod world;

use std::fs;
use std::path::PathBuf;

use script::Script;
use world::World;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

/// The transcript of a test: `del_30_silence` is `del-30-silence.txt`.
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
    let mut world = World::new(scene::set(&script.scene));
    let mut played: String = script.opening.iter().map(|line| format!("{line}\n")).collect();
    for step in script.steps {
        played += &world.run_until(step.at);
        for line in step.before {
            played += &format!("{line}\n");
        }
        played += &output::input(step.at, &step.text);
        played += &world.play(step.at, &step.text);
    }
    for line in script.closing {
        played += &format!("{line}\n");
    }
    played
}
