//! The names under which things are stored are those of `stored-names.txt`, whatever they are called in Rust. A line
//! may grow; what stands there stays for ever. `WILCO_BLESS=1` writes the file from the types.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use wilco_protocol::{
    Exchange, Meaning, Protocol, decision, delegation, directory, escalation, handoff, journal, judgement,
    operation, unread, validation,
};

/// The names of a type's variants. Who asks for one that does not exist is told all that do.
fn names<T: DeserializeOwned>(question: &str) -> String {
    let error = serde_json::from_str::<T>(question).err().expect("no variant is called so").to_string();
    let (_, names) = error.split_once("expected").expect("the names that there are");
    names.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" ")
}

macro_rules! stored {
    ($($type:ty, $question:literal;)*) => {
        vec![$((stringify!($type).replace(' ', ""), names::<$type>($question))),*]
    };
}

/// Every type of which variants are stored, and a value that is none of them.
fn stored() -> Vec<(String, String)> {
    stored! {
        Exchange, r#"{"protocol": "?"}"#;
        Meaning, r#""?""#;
        Protocol, r#""?""#;
        decision::Effect, r#"{"effect": "?"}"#;
        decision::Report, r#"{"report": "?"}"#;
        decision::Stage, r#""?""#;
        delegation::AckStatus, r#""?""#;
        delegation::Event, r#"{"type": "?", "data": {}}"#;
        delegation::Judge, r#""?""#;
        delegation::OnBusy, r#""?""#;
        delegation::Outcome, r#""?""#;
        delegation::Phase, r#"{"in": "?"}"#;
        delegation::Resend, r#""?""#;
        delegation::Sign, r#""?""#;
        delegation::Verdict, r#""?""#;
        delegation::Why, r#""?""#;
        directory::Event, r#"{"type": "?", "data": {}}"#;
        directory::Mark, r#""?""#;
        directory::Role, r#""?""#;
        escalation::Reason, r#""?""#;
        handoff::AckStatus, r#""?""#;
        handoff::Body, r#"{"?": {}}"#;
        handoff::Code, r#""?""#;
        handoff::Effect, r#"{"do": "?"}"#;
        handoff::Event, r#"{"type": "?", "data": {}}"#;
        handoff::Failure, r#"{"?": {}}"#;
        handoff::Outcome, r#""?""#;
        handoff::Phase, r#"{"in": "?"}"#;
        handoff::Publish, r#""?""#;
        handoff::Report, r#"{"did": "?"}"#;
        handoff::StateFileOrder, r#"{"?": {}}"#;
        handoff::Step, r#"{"?": {}}"#;
        handoff::Updated, r#"{"?": {}}"#;
        handoff::Urgency, r#""?""#;
        handoff::Why, r#""?""#;
        journal::MessageEvent, r#"{"type": "?", "data": {}}"#;
        journal::ServerEvent, r#"{"type": "?", "data": {}}"#;
        judgement::JudgeWord, r#""?""#;
        judgement::JudgedBy, r#""?""#;
        operation::Answer, r#""?""#;
        operation::Event, r#"{"type": "?", "data": {}}"#;
        operation::Execute, r#"{"?": {}}"#;
        operation::Kind, r#""?""#;
        operation::OnCancel, r#""?""#;
        operation::OnInterrupted, r#""?""#;
        operation::Outcome, r#""?""#;
        operation::Phase, r#"{"in": "?"}"#;
        operation::StepState, r#""?""#;
        operation::Tone, r#""?""#;
        operation::TrackState, r#""?""#;
        operation::Why, r#""?""#;
        unread::UnreadKind, r#""?""#;
        validation::Asked, r#""?""#;
        validation::Duty, r#""?""#;
        validation::Event, r#"{"type": "?", "data": {}}"#;
        validation::Finding, r#""?""#;
        validation::Outcome, r#""?""#;
        validation::Relief, r#""?""#;
        validation::Status, r#""?""#;
        validation::Trouble, r#""?""#;
    }
}

fn file() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("stored-names.txt")
}

#[test]
fn names_that_are_stored_are_those_that_are_written_down() {
    let written = fs::read_to_string(file()).expect("stored-names.txt");
    let is_of_a_type =
        |line: &&str| !line.starts_with('#') && !line.starts_with("state ") && !line.starts_with("key ");
    let lines: Vec<&str> = written.lines().filter(is_of_a_type).filter(|line| !line.is_empty()).collect();
    let known: Vec<String> = stored().into_iter().map(|(name, names)| format!("{name}: {names}")).collect();
    if std::env::var_os("WILCO_BLESS").is_some() {
        let others = written.lines().filter(|line| !is_of_a_type(line) || line.is_empty());
        let all: Vec<&str> = others.chain(known.iter().map(String::as_str)).collect();
        return fs::write(file(), all.join("\n") + "\n").expect("stored-names.txt");
    }
    for (written, known) in lines.iter().zip(&known) {
        assert_eq!(written, known, "left: as written down, right: as the type has it");
    }
    assert_eq!(lines.len(), known.len(), "every type has a line");
}

/// An enum that can be read can be stored: it is in the list above, or has no names of its own.
#[test]
fn every_type_whose_variants_can_be_read_is_listed() {
    const NAMELESS: &[&str] = &["handoff::Progress"];
    let listed: BTreeSet<String> = stored().into_iter().map(|(name, _)| name).collect();
    let mut missing = Vec::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (module, text) in sources(&source, "") {
        let mut readable = false;
        for line in text.lines() {
            match line.trim_start() {
                line if line.starts_with("#[derive(") => readable = line.contains("Deserialize"),
                line if line.starts_with("#[") || line.starts_with("//") => {}
                line => {
                    let name = line.strip_prefix("pub enum ").and_then(|rest| rest.split([' ', '<']).next());
                    if let Some(name) = name.filter(|_| readable) {
                        let own = [format!("{module}::{name}"), name.to_owned()];
                        let known = |one: &String| listed.contains(one) || NAMELESS.contains(&one.as_str());
                        missing.extend((!own.iter().any(known)).then(|| own[0].clone()));
                    }
                    readable = false;
                }
            }
        }
    }
    assert!(missing.is_empty(), "add to the list: {missing:?}");
}

/// Every source file with the module that its types are reached by.
fn sources(folder: &Path, module: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("sources") {
        let path = entry.expect("a file").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(sources(&path, if module.is_empty() { &stem } else { module }));
        } else {
            let module = if module.is_empty() { stem } else { module.to_owned() };
            all.push((module, fs::read_to_string(&path).expect("a source")));
        }
    }
    all
}
