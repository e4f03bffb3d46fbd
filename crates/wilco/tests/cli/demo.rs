//! `wilco demo`, as somebody sees it who runs it for the first time.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::program::{ran, wilco};

/// WEB-3, CLI-1: with `--stay` the demo names its dashboard, leaves things to decide there, and its agents act on a
/// decision.
#[test]
fn cli_1_a_demo_that_stays_is_worth_watching_in_its_dashboard() {
    let mut demo = wilco().args(["demo", "--stay"]).stdout(Stdio::piped()).spawn().expect("the demo");
    let lines = BufReader::new(demo.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let told: Vec<_> = lines.take_while(|line| !line.starts_with("Ctrl-C")).collect();
    let url = told.iter().find_map(|line| line.split_once("Its dashboard: ")).expect("an address").1;
    let page = get(url);
    assert!(page.contains("data-escalation="), "{page}");
    assert!(page.contains("GH-9") && page.contains("dora asks about GH-8"), "{page}");

    let at = url.trim_end_matches('/');
    ran(wilco().args(["verdict", "GH-7", "correct", "--as", "anna", "--url", at])).ok();
    let until = Instant::now() + Duration::from_secs(60);
    while !ran(wilco().args(["show", "GH-7", "--url", at])).ok().contains("completed") {
        assert!(Instant::now() < until, "finn does not go on");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&demo), Signal::INT).expect("a signal");
    assert!(demo.wait().expect("an end").success());
}

fn get(url: &str) -> String {
    ureq::get(url).call().expect("a page").body_mut().read_to_string().expect("text")
}

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
