//! Acknowledgments as language models write them, and how each is read.

use wilco_language::read::ack::{AckReading, acks, status_word};
use wilco_protocol::delegation::AckStatus;
use wilco_testkit::table::entries;

#[test]
fn del_10_texts_are_read_as_the_table_says() {
    let entries = entries(include_str!("tables/ack.txt"));
    let mut wrong = Vec::new();
    for entry in &entries {
        let body = match entry.get("ends") {
            Some("crlf") => entry.one("body").replace('\n', "\r\n"),
            _ => entry.one("body").to_owned(),
        };
        let read: Vec<String> = acks(&body).iter().map(shown).collect();
        let read = if read.is_empty() { "nothing".to_owned() } else { read.join("\n") };
        if read != entry.one("reads") {
            wrong.push(format!("=== {}\nread:\n{read}\nexpected:\n{}", entry.name, entry.one("reads")));
        }
    }
    println!("{} acknowledgments, {} wrong", entries.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn shown(reading: &AckReading) -> String {
    let ack = match reading {
        AckReading::Ack(ack) => ack,
        AckReading::Contradiction { task_id } => return format!("{task_id} contradiction"),
    };
    let revision = ack.revision.map_or(String::new(), |n| format!(" r{n}"));
    let mut lines = vec![format!("{} {}{revision}", ack.task_id, ack.status.word())];
    let fields = [("understanding", &ack.understanding), ("reason", &ack.reason), ("note", &ack.note)];
    for (name, value) in fields {
        lines.extend(value.as_ref().map(|value| format!("  {name}: {value}")));
    }
    lines.extend(ack.questions.iter().map(|question| format!("  question: {question}")));
    lines.join("\n")
}

#[test]
fn del_10_statuses_of_both_vocabularies_and_small_slips() {
    use AckStatus::{Confirmed, NeedsClarification, Queued, Received, Rejected};
    let words = [
        ("received", Some(Received)),
        ("Received", Some(Received)),
        ("RECIEVED", Some(Received)),
        ("RECEVED", Some(Received)),
        ("clarification needed", Some(NeedsClarification)),
        ("CLARIFICATION-NEEDED", Some(NeedsClarification)),
        ("CLARIFICATON_NEEDED", Some(NeedsClarification)),
        ("needs_clarification", Some(NeedsClarification)),
        ("need clarification", Some(NeedsClarification)),
        ("CONFIRMED", Some(Confirmed)),
        ("COMFIRMED", Some(Confirmed)),
        ("rejected", Some(Rejected)),
        ("REJECTD", Some(Rejected)),
        ("REJECETD", Some(Rejected)),
        ("queued", Some(Queued)),
        ("QUEUD", Some(Queued)),
        ("unconfirmed", None),
        ("not received", None),
        ("deceived", None),
        ("RECECTED", None),
        ("RECEITED", None),
        ("clarification unneeded", None),
        ("no clarification needed", None),
        ("dequeued", None),
        ("accepted", None),
        ("ok", None),
        ("", None),
    ];
    for (word, status) in words {
        assert_eq!(status_word(word), status, "{word}");
    }
}
