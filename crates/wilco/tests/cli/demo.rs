//! `wilco demo`, as somebody sees it who runs it for the first time.

use super::program::{ran, wilco};

#[test]
fn cli_1_the_demo_plays_and_ends() {
    let told = ran(wilco().arg("demo")).ok();
    for part in [
        "bob replies \"[ACK] GH-1 - RECEIVED\" and repeats the task in his words: working.",
        "carl asks: into which language? The task is clarifying",
        "anna's verdict: wrong summary.",
        "dora is marked unresponsive",
        "anna gets escalation",
        "carl writes \"not yet\" and gets more time, once.",
        "erik was reminded and stays silent.",
        "Everybody hears how it went: done.",
        "The chain is whole.",
    ] {
        assert!(told.contains(part), "{part:?} is not in\n{told}");
    }
    assert_eq!(told.matches("  completed  ").count(), 5, "{told}");
}
