//! Texts as long as the door lets in. Whatever is read in one pass takes no time worth telling; what compares
//! everything with everything would hold up the one writer for minutes, and this test with it.

use wilco_testkit::checks;

use serde_json::json;
use wilco_language::parse::message;
use wilco_language::read::understanding::{TaskText, score};
use wilco_language::render::bad_key;
use wilco_protocol::delegation::Policy;
use wilco_protocol::directory::nearest;
use wilco_protocol::{Name, policy::Overrides};

const LONG: usize = 1 << 20;

/// Marks that the readers look for, over and over.
const MARKS: [&str; 24] = [
    "a",
    "a ",
    "a\n",
    "[",
    "[ACK] a - ",
    "[ACK] GH-1 - RECEIVED\n",
    "[VERDICT] b - PARTIAL\n",
    "> ",
    "```\n",
    "# ",
    "- [ ] ",
    "- [ ] a\n",
    "{a} ",
    "<",
    "____ ",
    "**",
    "`",
    "\u{301}",
    "日",
    "not ",
    "Task: ",
    "1. ",
    "? ",
    "-",
];

#[test]
fn msg_4_long_texts_are_read_in_one_pass() {
    for mark in MARKS {
        let long = mark.repeat(LONG / 16 / mark.len());
        let after = format!("[ACK] GH-1 - RECEIVED\nUnderstanding: {long}\nQuestions:\n{long}");
        for (target, check) in checks::CHECKS {
            println!("{target} {mark:?}");
            check(long.as_bytes());
            check(after.as_bytes());
        }
    }
}

#[test]
fn val_5_long_answers_and_outputs_are_read_in_one_pass() {
    let marks = [
        "/tmp/",
        "/var/folders/",
        "0x",
        "1s",
        "a1b2c3d-",
        " - ",
        "Mon, ",
        "`",
        "## Validation Result\n",
        "## Validation Result\nStatus: FAIL\n### Failures\n- a.rs:1 - b\n",
        "### Failures\n",
        "| a | b |\n",
        "FIXDONE-1-1 ",
        "- a: b\n",
        "\n",
        "```\n",
    ];
    for mark in marks {
        println!("{mark:?}");
        let long = mark.repeat(LONG / 16 / mark.len());
        let below = format!("## Validation Result\nStatus: FAIL\n### Failures\n- a.rs:1 - {long}");
        for check in [checks::failures, checks::validation] {
            check(long.as_bytes());
            check(below.as_bytes());
        }
    }
}

#[test]
fn del_20_long_words_are_understood_in_one_pass() {
    let (title, said) = ("abcdefgh".repeat(LONG / 16), "abcdefgi".repeat(LONG / 16));
    let criteria = [title.clone()];
    let task =
        TaskText { task_id: &title, titled: true, title: &title, description: &said, criteria: &criteria };
    score(&task, &said);
    score(&task, &title);
}

#[test]
fn msg_45_long_names_are_like_no_other() {
    let names: Vec<Name> = (0..2000).map(|number| Name::new(format!("agent-{number}"))).collect();
    assert!(nearest(names.iter(), &"agent-".repeat(LONG / 6)).is_empty());
    assert_eq!(nearest(names.iter(), "agnt-1999")[0].as_str(), "agent-1999");
}

#[test]
fn msg_3_long_words_are_refused_at_once() {
    let word = "received".repeat(LONG / 8);
    let ack = json!({"from": "a", "to": "b", "content": {"type": "task-acknowledgment", "status": word}});
    assert!(message(ack.to_string().as_bytes()).is_err());
    let overrides = Overrides::from([(word, json!(1))]);
    let bad = Policy::default().set_all(&overrides).unwrap_err();
    assert!(bad_key(&bad[0]).detail.len() < 1000);
}
