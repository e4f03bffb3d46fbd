//! Which questions ask something.

use wilco_language::read::questions::vague;

fn list(questions: &[&str]) -> Vec<String> {
    questions.iter().map(|question| (*question).to_owned()).collect()
}

#[test]
fn del_12_questions_that_ask_nothing_are_vague() {
    let nothing: &[&[&str]] = &[
        &[],
        &[""],
        &["?"],
        &["More details?"],
        &["Please clarify."],
        &["unclear"],
        &["Can you please provide more information?"],
        &["What exactly do you want me to do?"],
        &["I don’t understand the task."],
        &["Could you elaborate on the requirements?"],
        &["The instructions are not clear enough"],
        &["How should I proceed?", "Please explain further"],
        &["What do you mean?"],
        &["Need more context"],
    ];
    for questions in nothing {
        assert!(vague(&list(questions)), "{questions:?}");
    }
}

#[test]
fn del_12_a_question_with_a_thing_of_its_own_is_not_vague() {
    let something: &[&[&str]] = &[
        &["Should JWT tokens expire after 24h or 7 days?"],
        &["Which database?"],
        &["What is the deadline?"],
        &["Please clarify the retry policy"],
        &["More details about GH-41?"],
        &["Is it 5 or 10?"],
        &["More details?", "Which port should it listen on?"],
        &["Welche Datenbank?"],
        &["どのデータベースですか"],
    ];
    for questions in something {
        assert!(!vague(&list(questions)), "{questions:?}");
    }
}
