//! What holds for every text: nothing panics, line ends do not matter, the canonical form reads
//! back, a negation is never accepted.

use proptest::prelude::*;
use wilco_language::read::ack::{AckReading, AckText, acks, canonical, status_word};
use wilco_language::read::classify::classify;
use wilco_language::read::questions::vague;
use wilco_language::read::understanding::{Ruling, TaskText, score};
use wilco_language::read::verdict::verdicts;
use wilco_protocol::delegation::AckStatus;

/// Texts built of the marks the readers look for.
fn marked() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[ACK]",
        "[VERDICT]",
        "GH-42",
        " - ",
        "–",
        ":",
        "RECEIVED",
        "clarification needed",
        "REJECTED",
        "\n",
        "\r\n",
        "\r",
        "> ",
        "```",
        "~~~",
        "## ",
        "Task: ",
        "- [ ] ",
        "- [x] ",
        "1. ",
        "Q1: ",
        "**",
        "__",
        "____",
        "{name}",
        "{",
        "}",
        "<",
        ">",
        "[",
        "]",
        "(",
        ")",
        "|",
        "Understanding:",
        "Questions:",
        "Note:",
        "Acceptance Criteria",
        "Git Workflow:",
        "r2",
        "?",
        "é",
        "日本",
        "🚀",
        "’",
        "\u{301}",
        "\u{feff}",
        " ",
        "\t",
        "not",
        "24h",
        "1,000",
        "%",
        "--sort",
        "fs::read_dir",
        "\\",
        "`",
        "İ",
        "ß",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![marked(), any::<String>(), "(?s).{0,80}"]
}

/// A value that fits on one line and begins with a word.
fn line() -> impl Strategy<Value = String> {
    "[a-z]{2,8}( [a-zA-Z0-9é日][a-z0-9-]{0,7}){0,6}"
}

fn status() -> impl Strategy<Value = AckStatus> {
    prop::sample::select(AckStatus::ALL.to_vec())
}

prop_compose! {
    fn ack()(
        task_id in "[A-Za-z]{1,5}-[0-9]{1,3}(-[a-z]{1,6})?",
        status in status(),
        revision in prop::option::of(any::<u32>()),
        understanding in prop::option::of(line()),
        questions in prop::collection::vec(line().prop_map(|text| text + "?"), 0..4),
        reason in prop::option::of(line()),
        note in prop::option::of(line()),
    ) -> AckText {
        // A rejection's note is its reason when it gives no other.
        let reason = match status {
            AckStatus::Rejected => reason.or_else(|| note.clone()),
            AckStatus::Received
            | AckStatus::NeedsClarification
            | AckStatus::Confirmed
            | AckStatus::Queued => reason,
        };
        AckText { task_id, status, revision, understanding, questions, reason, note }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn del_10_reading_never_panics(body in any_text()) {
        acks(&body);
        verdicts(&body);
        status_word(&body);
    }

    #[test]
    fn del_2_classifying_never_panics(subject in any_text(), body in any_text()) {
        classify(Some(&subject), &body);
    }

    #[test]
    fn del_12_vagueness_never_panics(questions in prop::collection::vec(any_text(), 0..3)) {
        vague(&questions);
    }

    #[test]
    fn del_21_scoring_never_panics(
        id in any_text(),
        title in any_text(),
        description in any_text(),
        criteria in prop::collection::vec(any_text(), 0..3),
        said in any_text(),
    ) {
        let task = TaskText { task_id: &id, title: &title, titled: true, description: &description, criteria: &criteria };
        let scored = score(&task, &said);
        prop_assert!(scored.score <= 1000);
        prop_assert!(scored.covered.len() + scored.missing.len() <= criteria.len());
    }

    #[test]
    fn del_10_line_ends_do_not_matter(body in marked()) {
        let body = body.replace('\r', "");
        prop_assert_eq!(acks(&body), acks(&body.replace('\n', "\r\n")));
        prop_assert_eq!(verdicts(&body), verdicts(&body.replace('\n', "\r\n")));
    }

    #[test]
    fn del_2_line_ends_do_not_matter(body in marked()) {
        let body = body.replace('\r', "");
        prop_assert_eq!(classify(None, &body), classify(None, &body.replace('\n', "\r\n")));
    }

    #[test]
    fn del_10_the_canonical_form_reads_back(ack in ack()) {
        prop_assert_eq!(acks(&canonical(&ack)), vec![AckReading::Ack(ack)]);
    }

    #[test]
    fn del_10_a_quoted_ack_is_none(ack in ack()) {
        let quoted: String = canonical(&ack).lines().map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(acks(&quoted), vec![]);
    }

    #[test]
    fn del_21_a_negated_task_is_never_accepted(title in line(), negation in 0..4usize) {
        let negation = ["I will not do this: ", "never ", "No, ", "We don't want to "][negation];
        let task = TaskText { task_id: "GH-42", title: &title, titled: true, description: "", criteria: &[] };
        let scored = score(&task, &format!("{negation}{title}"));
        prop_assert_ne!(scored.ruling, Ruling::Correct);
    }
}
