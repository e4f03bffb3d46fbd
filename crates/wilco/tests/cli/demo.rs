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
        "dora checks again, in iteration 2 of 5, and it passes: completed.",
        "carl would begin from the beginning, where bob is at checkpoint 1: correcting.",
        "carl acknowledges again, from checkpoint 1: complete.",
        "Only now GH-6 is carl's, who repeats it in his words: working.",
        "The chain is whole.",
    ] {
        assert!(told.contains(part), "{part:?} is not in\n{told}");
    }
    assert_eq!(told.matches("  completed  ").count(), 7, "{told}");

    // The picture in the README shows the same.
    let svg = include_str!("../../../../docs/demo.svg");
    let shown: Vec<_> = picture(svg).iter().skip(1).map(|line| form(line)).collect();
    let told: Vec<_> = told.lines().map(form).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, told, "docs/demo.svg is not what the demo prints; draw it anew: cargo xtask picture");
}

/// What is on every line but numbers, which differ from run to run.
fn form(line: &str) -> String {
    let mut words = line.replace(|c: char| c.is_ascii_digit(), "0");
    while words.contains("00") {
        words = words.replace("00", "0");
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a picture, as text.
fn picture(svg: &str) -> Vec<String> {
    let texts = svg.lines().filter(|line| line.starts_with("<text "));
    let bare = texts.map(|line| {
        let (mut text, mut in_tag) = (String::new(), false);
        for c in line.chars() {
            match c {
                '<' => in_tag = true,
                '>' => in_tag = false,
                c if !in_tag => text.push(c),
                _ => {}
            }
        }
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    });
    bare.collect()
}
