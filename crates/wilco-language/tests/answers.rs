//! What agents answer before an operation, by table.

use wilco_language::read::answer::answer;
use wilco_protocol::operation::Answer;

const TABLE: &str = include_str!("tables/answers.txt");

/// The reading and the text of every line.
fn rows() -> Vec<(&'static str, String)> {
    let body = TABLE.split_once("\n\n").expect("a head").1;
    let said = body.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    said.map(|line| {
        let (reading, text) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        (reading, text.trim().replace("\\n", "\n"))
    })
    .collect()
}

#[test]
fn op_3_every_answer_of_the_table_is_read_as_it_says() {
    let rows = rows();
    assert!(rows.len() >= 80, "{} answers", rows.len());
    let wrong: Vec<_> = rows
        .iter()
        .map(|(expected, text)| (*expected, answer(text, None).word(), text))
        .filter(|(expected, got, _)| expected != got)
        .collect();
    assert!(wrong.is_empty(), "expected, got, text: {wrong:#?}");
}

#[test]
fn op_3_ready_true_is_ready_unless_a_word_says_otherwise() {
    assert_eq!(answer("", Some(true)), Answer::Ready);
    assert_eq!(answer("everything is saved", Some(true)), Answer::Ready);
    assert_eq!(answer("not ready", Some(true)), Answer::Wait);
    assert_eq!(answer("cancel", Some(true)), Answer::Cancel);
}

#[test]
fn op_3_ready_false_is_wait_unless_it_cancels() {
    assert_eq!(answer("", Some(false)), Answer::Wait);
    assert_eq!(answer("ok", Some(false)), Answer::Wait);
    assert_eq!(answer("cancel", Some(false)), Answer::Cancel);
}
