//! Verdicts in text form.

use wilco_language::read::verdict::{VerdictReading, VerdictText, verdicts};
use wilco_protocol::delegation::Verdict;

fn only(body: &str) -> VerdictText {
    match verdicts(body).as_slice() {
        [VerdictReading::Verdict(read)] => read.clone(),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn del_22_each_verdict_is_read_in_any_spelling() {
    let words = [
        ("CORRECT", Verdict::Correct),
        ("correct", Verdict::Correct),
        ("WRONG-SUMMARY", Verdict::WrongSummary),
        ("wrong summary", Verdict::WrongSummary),
        ("PARTIAL", Verdict::Partial),
        ("Wrong_Task", Verdict::WrongTask),
    ];
    for (word, verdict) in words {
        let read = only(&format!("[VERDICT] GH-42 - {word}"));
        assert_eq!((read.task_id.as_str(), read.verdict), ("GH-42", verdict));
    }
}

#[test]
fn del_22_a_correction_and_a_note_are_read() {
    let read = only(
        "**[VERDICT] GH-42 — WRONG-SUMMARY**\r\n\r\nCorrection: JWT, not sessions\r\nNote: see the issue",
    );
    assert_eq!(read.correction.as_deref(), Some("JWT, not sessions"));
    assert_eq!(read.note.as_deref(), Some("see the issue"));
}

#[test]
fn del_22_what_is_missing_is_a_list_or_one_line() {
    let list = only("[VERDICT] GH-42 - PARTIAL\nMissing:\n- logout\n- refresh tokens");
    assert_eq!(list.missing, ["logout", "refresh tokens"]);
    let line = only("[VERDICT] GH-42 - PARTIAL\nMissing: logout; refresh tokens");
    assert_eq!(line.missing, ["logout", "refresh tokens"]);
    let same_line = only("[VERDICT] GH-42: PARTIAL - Missing: logout");
    assert_eq!(same_line.missing, ["logout"]);
}

#[test]
fn del_22_templates_and_quotes_are_no_verdicts() {
    let none = [
        "[VERDICT] GH-42 - CORRECT|WRONG-SUMMARY|PARTIAL",
        "[VERDICT] {task_id} - CORRECT",
        "> [VERDICT] GH-42 - CORRECT",
        "[VERDICT] GH-42 - INCORRECT",
        "[VERDICT] GH-42 - not correct",
        "[VERDICT] GH-42 - CORRECT?",
        "I would say [VERDICT] GH-42 - CORRECT",
    ];
    for body in none {
        assert_eq!(verdicts(body), [], "{body}");
    }
}

#[test]
fn del_22_a_task_judged_in_two_ways_is_a_contradiction() {
    for body in
        ["[VERDICT] GH-42 - CORRECT\n[VERDICT] gh-42 - PARTIAL", "[VERDICT] GH-42 - CORRECT or PARTIAL"]
    {
        let unclear = VerdictReading::Contradiction { task_id: "GH-42".to_owned() };
        assert_eq!(verdicts(body), [unclear], "{body}");
    }
}

#[test]
fn del_22_verdicts_of_several_tasks_each_count() {
    let read = verdicts("- [VERDICT] GH-42 - CORRECT\n- [VERDICT] GH-43 - PARTIAL\n  Missing: tests");
    let ids: Vec<&str> = read.iter().map(VerdictReading::task_id).collect();
    assert_eq!(ids, ["GH-42", "GH-43"]);
    let VerdictReading::Verdict(second) = &read[1] else { panic!("{read:?}") };
    assert_eq!(second.missing, ["tests"]);
}
