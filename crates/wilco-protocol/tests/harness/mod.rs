//! Plays the transcripts of any protocol: text files that are both script and expectation.
//!
//! A title after `#`, a few `key: value` lines that set the scene, then what people say by hand and, on
//! lines with an arrow or an equals sign, what Wilco does about it on virtual time. The runner reads the
//! lines that somebody wrote by hand, plays them, and compares the whole text that results. With
//! `WILCO_BLESS=1` the file is rewritten instead: read the difference before you keep it.

mod diff;
mod script;
mod timeline;

use std::fs;
use std::path::PathBuf;

use script::Script;
pub(crate) use timeline::Timeline;
use wilco_protocol::Time;
use wilco_protocol::unread::{UnreadKind, UnreadWords};

/// The world that transcripts of one protocol are played in.
pub(crate) trait Harness {
    /// Set as the first lines say.
    fn set(scene: &[(String, String)]) -> Self;
    /// Lets time pass; what Wilco does meanwhile.
    fn run_until(&mut self, at: Time) -> String;
    /// Plays one step; what Wilco does about it.
    fn play(&mut self, at: Time, text: &str) -> String;
}

fn folder(protocol: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(protocol).join("transcripts")
}

/// The transcript of a test: `del_30_silence` is `del-30-silence.txt`.
fn file_of(test: &str) -> String {
    format!("{}.txt", test.replace('_', "-"))
}

/// Plays a transcript and compares what happens with what it says.
pub(crate) fn check<T: Harness>(protocol: &str, test: &str) {
    let path = folder(protocol).join(file_of(test));
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let played = play::<T>(&expected);
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

/// No transcript lies in the folder that no test plays.
pub(crate) fn check_all_are_played(protocol: &str, tests: &[&str]) {
    let mut written: Vec<String> = fs::read_dir(folder(protocol))
        .expect("the folder of transcripts")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    let mut played: Vec<String> = tests.iter().map(|test| file_of(test)).collect();
    written.sort();
    played.sort();
    assert_eq!(written, played);
}

fn play<T: Harness>(text: &str) -> String {
    let script = Script::parse(text);
    let mut harness = T::set(&script.scene);
    let mut played: String = script.opening.iter().map(|line| format!("{line}\n")).collect();
    for step in script.steps {
        played += &harness.run_until(step.at);
        for line in step.before {
            played += &format!("{line}\n");
        }
        played += &format!("{:>8}  {}\n", clock(step.at), step.text);
        played += &harness.play(step.at, &step.text);
    }
    for line in script.closing {
        played += &format!("{line}\n");
    }
    played
}

/// How long the world has been going.
pub(crate) fn clock(at: Time) -> String {
    at.since(Time::ZERO).to_string()
}

/// The notice about what could not be read.
pub(crate) fn not_understood(unread: &UnreadWords) -> String {
    match unread.kind {
        UnreadKind::Words => "notice, not understood".to_owned(),
        UnreadKind::Doubtful => "notice, is it done?".to_owned(),
        UnreadKind::Contradiction => "notice, contradicting statements".to_owned(),
    }
}

/// What Wilco does.
pub(crate) fn arrow(at: Time, text: impl std::fmt::Display) -> String {
    line(at, "->", text)
}

/// How things stand.
pub(crate) fn state_line(at: Time, standing: impl std::fmt::Display) -> String {
    line(at, "=", standing)
}

fn line(at: Time, mark: &str, text: impl std::fmt::Display) -> String {
    format!("{:>8}         {mark} {text}\n", clock(at))
}
