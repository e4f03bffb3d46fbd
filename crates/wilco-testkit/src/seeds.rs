//! The first inputs of each target: the tables and files that the readers are tested with, the lines of
//! `seeds/TARGET.txt`, and the files in `seeds/TARGET`.

use std::path::Path;

use crate::table::{Entry, entries};

/// The inputs of a target, from the project that lies at `root`.
pub fn seeds(root: &Path, target: &str) -> Vec<Vec<u8>> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let table = |name: &str| entries(&read(&format!("crates/wilco-language/tests/tables/{name}.txt")));
    let mut seeds: Vec<String> =
        read(&format!("fuzz/seeds/{target}.txt")).lines().map(str::to_owned).collect();
    match target {
        "ack" => seeds.extend(table("ack").iter().map(|entry| entry.one("body").to_owned())),
        "validation" => seeds.extend(table("validation").iter().map(|entry| entry.one("body").to_owned())),
        "answer" => seeds.extend(replies(&read("crates/wilco-language/tests/tables/replies.jsonl"))),
        "verdict" => seeds.extend(table("ack").iter().map(as_verdict)),
        "classify" => seeds.extend(table("classify").iter().map(message)),
        "understanding" => {
            seeds.extend(table("understanding_tuned").iter().map(task));
            seeds.extend(table("understanding_held_out").iter().map(task));
        }
        "handoff" => seeds.extend(table("ack").iter().map(as_handoff)),
        "state_file" => seeds.extend(files(&root.join("crates/wilco-outside/tests/state_files"))),
        _ => {}
    }
    seeds.extend(files(&root.join("fuzz/seeds").join(target)));
    seeds.into_iter().map(String::into_bytes).collect()
}

/// The texts of the table of replies, near enough for a beginning.
fn replies(table: &str) -> Vec<String> {
    let texts =
        table.lines().filter_map(|line| line.split_once("\"reply\": \"")?.1.split_once("\", \"means\""));
    texts.map(|(text, _)| text.replace("\\n", "\n").replace("\\\"", "\"")).collect()
}

/// What stands in the files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<String> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// An acknowledgment of a handoff instead of a task.
fn as_handoff(entry: &Entry) -> String {
    let words = [("RECEIVED", "READY_TO_PROCEED"), ("CLARIFICATION_NEEDED", "NEEDS_CLARIFICATION")];
    words.iter().fold(entry.one("body").to_owned(), |text, (from, to)| text.replace(from, to))
}

/// An acknowledgment with the words of a verdict.
fn as_verdict(entry: &Entry) -> String {
    let words = [("ACK", "VERDICT"), ("RECEIVED", "CORRECT"), ("Understanding", "Correction")];
    words.iter().fold(entry.one("body").to_owned(), |text, (from, to)| text.replace(from, to))
}

fn message(entry: &Entry) -> String {
    format!("{}\0{}", entry.one("subject"), entry.one("body"))
}

fn task(entry: &Entry) -> String {
    let mut parts =
        ["id", "title", "description", "understanding"].map(|key| entry.one(key).to_owned()).to_vec();
    parts.extend(entry.all("criterion"));
    parts.join("\0")
}
