//! What agents answer before an operation, by table.

use proptest::prelude::*;
use wilco_language::read::readiness::readiness as answer;
use wilco_protocol::operation::Answer;

const TABLE: &str = include_str!("tables/readiness.txt");

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

/// Words that answers are made of, and the marks between them.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ok"),
        Just("OK"),
        Just("ready"),
        Just("wait"),
        Just("cancel"),
        Just("abort"),
        Just("not"),
        Just("no"),
        Just("don't"),
        Just("almost"),
        Just("in 5 minutes"),
        Just("token"),
        Just("already"),
        Just("I'm"),
        Just("and"),
        Just("but"),
        Just("the build"),
        Just("👍"),
        Just("ok.txt"),
        Just("ready-made"),
        Just("abort()"),
    ];
    let mark = prop_oneof![
        Just(" "),
        Just(", "),
        Just(". "),
        Just("? "),
        Just("! "),
        Just("\n"),
        Just("\n\n"),
        Just(" — "),
        Just("\n- ")
    ];
    let made = prop::collection::vec((word, mark), 0..12)
        .prop_map(|parts| parts.into_iter().map(|(word, mark)| format!("{word}{mark}")).collect::<String>());
    prop_oneof![3 => made, 1 => "\\PC{0,60}", 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn op_3_reading_never_panics_and_neither_case_nor_line_ends_matter(text in texts()) {
        let read = answer(&text, None);
        prop_assert_eq!(answer(&text.replace('\n', "\r\n"), None), read);
        if text.is_ascii() {
            prop_assert_eq!(answer(&text.to_ascii_uppercase(), None), read);
        }
    }

    #[test]
    fn op_3_what_is_quoted_or_fenced_says_nothing(text in texts()) {
        let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(answer(&quoted, None), Answer::Information);
        let fenced = format!("~~~~~~\n{}\n~~~~~~", text.replace('~', ""));
        prop_assert_eq!(answer(&fenced, None), Answer::Information);
    }

    /// The careful one wins: more words never make an answer less careful than the most careful of them. A "ready" may
    /// be turned by what stands beside it, and then says nothing (TALK-13).
    #[test]
    fn op_3_of_several_readings_the_careful_one_wins(one in texts(), other in texts()) {
        let clean = |text: &String| !text.contains("~~~") && !text.contains("```");
        prop_assume!(clean(&one) && clean(&other));
        let both = answer(&format!("{one}\n\n{other}"), None);
        let most = answer(&one, None).max(answer(&other, None));
        let turned = most == Answer::Ready && both == Answer::Information;
        prop_assert!(turned || both == most, "{:?} instead of {:?}", both, most);
    }

    #[test]
    fn op_3_the_field_ready_never_hides_a_careful_word(text in texts()) {
        let read = answer(&text, None);
        prop_assert!(answer(&text, Some(true)) >= read.max(Answer::Ready));
        prop_assert!(answer(&text, Some(false)) >= read.max(Answer::Wait));
    }
}
