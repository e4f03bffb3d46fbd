//! What a shell and `man` make of the completions and the manual.

use std::process::Command;

use super::program::{ran, wilco};

/// What bash offers for the last of these words.
fn offered(words: &[&str]) -> Vec<String> {
    let script = ran(wilco().args(["completions", "bash"])).ok();
    let typed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words.len() - 1, words.len() - 2);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), script).expect("a script");
    let ask = format!(
        "source '{}'\nCOMP_WORDS=({})\nCOMP_CWORD={last}\n\
         _wilco wilco \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{before}]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        file.path().display(),
        typed.join(" ")
    );
    let answer = ran(Command::new("bash").args(["--norc", "-c", &ask])).ok();
    answer.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn cli_5_bash_completes_verbs_flags_and_words() {
    assert_eq!(offered(&["wilco", "de"]), ["delegate", "decide", "demo"]);
    assert_eq!(offered(&["wilco", "audit", "ver"]), ["verify"]);
    assert_eq!(offered(&["wilco", "audit", "verify", "--de"]), ["--deep"]);
    assert_eq!(offered(&["wilco", "audit", "export", "--format", ""]), ["jsonl", "yaml"]);
    assert_eq!(offered(&["wilco", "exchanges", "--state", "work"]), ["working"]);
    assert_eq!(offered(&["wilco", "exchanges", "--protocol", "del"]), ["delegation"]);
    assert_eq!(offered(&["wilco", "send", "bob", "--priority", "u"]), ["urgent"]);
    assert!(offered(&["wilco", "ack", "GH-1", "rec"]).contains(&"received".to_owned()));
    assert!(offered(&["wilco", "verdict", "GH-1", "wrong"]).contains(&"wrong-task".to_owned()));
}

/// The words are an offer; others that mean the same are taken as before.
#[test]
fn cli_5_a_word_that_is_not_offered_is_still_read() {
    let error = ran(wilco().args(["ack", "GH-1", "recieved"])).fails(2);
    assert!(error.contains("received"), "{error}");
    let error = ran(wilco().args(["ack", "GH-1", "QUEUED", "--as", "bob", "--url", "http://127.0.0.1:1"]));
    assert!(error.err.contains("127.0.0.1:1"), "it got as far as the server: {error:?}");
}

#[test]
fn cli_5_examples_keep_their_lines_in_the_manual() {
    let page = ran(wilco().arg("man")).ok();
    let notes = page.split_once(".SH EXAMPLES AND NOTES\n.nf\n").expect("the section").1;
    assert!(notes.contains("\n.fi\n.SH VERSION"), "{notes}");
    assert!(!page.contains("wilco\\-help"), "no page is named that there is not");
    let pages = tempfile::tempdir().expect("a directory");
    ran(wilco().arg("man").arg(pages.path())).ok();
    let names: Vec<_> = std::fs::read_dir(pages.path()).expect("pages").flatten().collect();
    for file in &names {
        let text = std::fs::read_to_string(file.path()).expect("a page");
        assert!(text.contains(".SH NAME\n") && !text.contains(".SH EXTRA"), "{file:?}");
        for named in text.split("wilco\\-").skip(1).filter_map(|rest| rest.split_once("(1)")) {
            let name = format!("wilco-{}.1", named.0.replace('\\', ""));
            assert!(pages.path().join(&name).exists(), "{file:?} names {name}");
        }
    }
    // Shown as people see it, where there is a man.
    let Ok(shown) = Command::new("man").arg("-l").arg(pages.path().join("wilco-ack.1")).output() else {
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("\n         wilco ack GH-42 queue\n"), "{shown}");
}
