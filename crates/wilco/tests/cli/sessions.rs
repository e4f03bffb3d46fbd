//! Sessions: what people type and what they see, as text files in `sessions/`.
//!
//! Above the first command a file says what it is about and sets the scene; `anna$ wilco …` is typed by
//! anna, `clock 5m` moves the test clock, and everything else is what came of it: the output, lines of
//! stderr after `!`, an exit code that is not 0. With `--json` the output is told by its fields. What
//! differs from run to run is blotted out. With `WILCO_BLESS=1` the file is rewritten instead of compared:
//! read the difference before you keep it.

mod blot;
mod shape;

use std::fs;
use std::path::{Path, PathBuf};

use super::program::{Ran, Server, ran, wilco};

/// When every session begins.
const START: &str = "--test-clock=2026-01-01T12:00:00.000Z";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sessions")
}

/// The sessions, by their names.
fn sessions() -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).expect("sessions").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    files.sort();
    files
}

/// What is wrong with a session, if something is.
fn check(path: &Path) -> Option<String> {
    let written = fs::read_to_string(path).expect("a text");
    let played = play(&written);
    if played == written {
        return None;
    }
    if std::env::var_os("WILCO_BLESS").is_some() {
        fs::write(path, played).expect("the session is rewritten");
        return None;
    }
    let same = written.lines().zip(played.lines()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.lines().skip(same).take(8).collect::<Vec<_>>().join("\n");
    Some(format!(
        "{} goes another way from line {} on (WILCO_BLESS=1 rewrites it)\n--- as written\n{}\n--- as played\n{}",
        path.display(),
        same + 1,
        part(&written),
        part(&played)
    ))
}

/// CLI-1 to CLI-5, CLI-8, CLI-9 and CFG-1, as they look.
#[test]
fn cli_5_sessions_go_as_they_are_written() {
    let wrong: Vec<_> = sessions().iter().filter_map(|path| check(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn play(text: &str) -> String {
    let head: Vec<_> = text.lines().take_while(|line| command(line).is_none()).collect();
    let agents = head.iter().find_map(|line| line.strip_prefix("agents: ")).unwrap_or_default();
    let server = Server::with(&[START]);
    let place = tempfile::tempdir().expect("a place to type at");
    for agent in agents.split_whitespace() {
        server.run("operator", &["agent", "register", agent]).ok();
    }
    let mut played: String = head.iter().map(|line| format!("{line}\n")).collect();
    for line in text.lines().filter(|line| command(line).is_some()) {
        if !played.ends_with("\n\n") {
            played.push('\n');
        }
        played.push_str(line);
        played.push('\n');
        match command(line) {
            Some(Command::Clock(by)) => server.advance(by),
            Some(Command::Typed(who, what)) => played.push_str(&typed(&server, place.path(), who, what)),
            None => {}
        }
    }
    played
}

enum Command<'a> {
    Clock(&'a str),
    Typed(&'a str, &'a str),
}

fn command(line: &str) -> Option<Command<'_>> {
    if let Some(by) = line.strip_prefix("clock ") {
        return Some(Command::Clock(by));
    }
    let (who, what) = line.split_once("$ ")?;
    let name = !who.is_empty() && who.bytes().all(|byte| byte.is_ascii_lowercase());
    name.then_some(Command::Typed(who, what))
}

/// What somebody sees who types this. `$MESSAGE` is the newest message in the inbox of whoever types.
fn typed(server: &Server, place: &Path, who: &str, line: &str) -> String {
    let mut shell = server.shell(line);
    if who != "nobody" {
        shell.env("WILCO_AGENT", who);
    }
    if line.contains("$MESSAGE") {
        let inbox = server.get(&format!("/v1/agents/{who}/inbox?status=all&limit=1000"));
        let newest = inbox["items"].as_array().and_then(|items| items.last()?["id"].as_str());
        shell.env("MESSAGE", newest.expect("a message"));
    }
    shell.env("DATA", server.data.path()).env("HOME", "/nonexistent").current_dir(place);
    let Ran { code, out, err } = ran(&mut shell);
    let out = if line.contains("--json") && code == 0 { shape::fields(&out) } else { out };
    let err: String = err.lines().map(|line| format!("! {line}\n")).collect();
    let exit = if code == 0 { String::new() } else { format!("[exit {code}]\n") };
    let data = server.data.path().display().to_string();
    let told =
        format!("{out}{err}{exit}").replace(&data, "DATA").replace(&server.url, "http://127.0.0.1:PORT");
    blot::out(&told.replace(&place.display().to_string(), "HERE"))
}

#[test]
fn cli_5_every_verb_is_in_a_session() {
    let text: String = sessions().iter().map(|path| fs::read_to_string(path).expect("a text")).collect();
    let help = ran(wilco().arg("help")).ok();
    let verbs = help.lines().skip_while(|line| *line != "For agents:").take_while(|line| *line != "Options:");
    let verbs = verbs.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    // These stay up, and have tests of their own.
    for verb in verbs.filter(|verb| !["serve", "demo", "watch", "mcp"].contains(verb)) {
        assert!(
            text.contains(&format!("wilco {verb} ")) || text.contains(&format!("wilco {verb}\n")),
            "{verb}"
        );
    }
}
