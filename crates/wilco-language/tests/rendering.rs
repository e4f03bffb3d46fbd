//! What is rendered, for delegations at random: it can be read back where it shall, and is taken for
//! nothing where it shall not.

use crate::delegations::{Line, story};
use proptest::prelude::*;
use wilco_language::message::MessageType;
use wilco_language::parse::{Delegation, Incoming, Typed, message};
use wilco_language::read::ack::{AckReading, acks};
use wilco_language::read::classify::classify;
use wilco_language::read::verdict::verdicts;
use wilco_protocol::Exchange;
use wilco_protocol::delegation::{AckStatus, Say, ToInitiator};
use wilco_protocol::directory::Interface;

/// A few words on one line; a criterion may have come from a checklist.
fn words() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec!["", "", "", "[ ] ", "[x] "]);
    (mark, "[a-z]{2,8}( [a-z0-9]{1,8}){0,6}[.?!]?").prop_map(|(mark, text)| format!("{mark}{text}"))
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![words(), any::<String>(), "[a-z\\[\\]{}<>|#*:`'\"\\\\ \n-]{0,60}"]
}

fn task_id() -> impl Strategy<Value = String> {
    "[A-Z]{1,4}-[0-9]{1,4}(-[a-z]{1,8}){0,2}"
}

/// Whatever the door lets in as a task id.
fn any_task_id() -> impl Strategy<Value = String> {
    let odd = "[^\\p{Cc}]{1,20}".prop_map(|id| id.trim().to_owned());
    prop_oneof![task_id(), odd, "[a-z'$`\"(){}|:\\[\\] -]{1,12}".prop_map(|id| id.trim().to_owned())]
        .prop_filter("a task id says something", |id| !id.is_empty())
}

/// What the curl commands of a text send: the lines between `<<'END'` and `END`.
fn pasted(line: &Line) -> Vec<Incoming> {
    let commands = line.teaching().into_iter().flat_map(|text| text.split("\ncurl ").skip(1));
    let bodies = commands.filter_map(|command| command.split_once("<<'END'\n")?.1.split_once("\nEND\n"));
    let read = |body: &str| message(body.as_bytes()).unwrap_or_else(|error| panic!("{error:?}: {body}"));
    bodies.map(|(body, _)| read(body)).collect()
}

/// What a message that teaches asks for.
fn is_asked_for(say: &Say, typed: &Typed) -> bool {
    match (say, typed) {
        (Say::Escalation { .. }, Typed::Decision(_)) => true,
        (Say::ToInitiator(asked), Typed::Delegation(taught)) => matches!(
            (asked, taught),
            (ToInitiator::Questions { .. } | ToInitiator::StillOpen { .. }, Delegation::Clarify { .. })
                | (
                    ToInitiator::ReviewAck | ToInitiator::ReviewEarlyWork | ToInitiator::MayObject { .. },
                    Delegation::Verdict(_)
                )
                | (ToInitiator::AmendNeeded, Delegation::Amend { .. })
                | (
                    ToInitiator::Reminder { .. },
                    Delegation::Clarify { .. } | Delegation::Verdict(_) | Delegation::Amend { .. }
                )
        ),
        (_, Typed::Delegation(Delegation::Ack(ack))) => ack.status == AckStatus::Received,
        (Say::BeginNow, Typed::Delegation(Delegation::Complete { .. })) => true,
        (Say::Cancel { .. }, Typed::Delegation(Delegation::StopAck { .. })) => true,
        _ => false,
    }
}

fn task_of(line: &Line) -> &str {
    let Exchange::Delegation(state) = &line.exchange else { panic!("{line:?}") };
    &state.task_id
}

/// The lines of a teaching block that begin like an ACK, filled in as they ask to be.
fn filled_in(line: &Line) -> Vec<String> {
    let heads = line.text().lines().filter(|text| text.starts_with("[ACK] "));
    heads
        .filter_map(|head| Some(format!("{}RECEIVED\nUnderstanding: it", head.rsplit_once('{')?.0)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn del_4_rendering_never_panics_and_names_the_type(story in story(any_task_id(), any_text())) {
        for line in story.told() {
            let known = line.rendered.content["type"].as_str().unwrap_or("");
            prop_assert!(MessageType::named(known).is_some(), "{line:?}");
            prop_assert!(!line.text().trim().is_empty() && !line.rendered.subject.is_empty(), "{line:?}");
        }
    }

    #[test]
    fn del_4_what_is_taught_is_a_message_of_that_type(story in story(any_task_id(), any_text())) {
        for line in story.to(Interface::Http).told() {
            let taught = pasted(&line);
            prop_assert_eq!(line.rendered.content.get("taught").is_some(), !taught.is_empty(), "{:?}", line);
            for message in taught {
                prop_assert!(is_asked_for(&line.say, &message.typed), "{:?} for {:?}", message.typed, line.say);
                prop_assert_eq!(message.exchange, Some(line.exchange.id()));
                prop_assert_eq!(message.from.as_deref(), Some(line.to.as_str()));
            }
        }
    }

    #[test]
    fn del_4_the_taught_text_is_an_ack_once_it_is_filled_in(story in story(any_task_id(), words())) {
        for line in story.told() {
            for answer in filled_in(&line) {
                let read = acks(&answer);
                let [AckReading::Ack(ack)] = read.as_slice() else { panic!("{answer}: {read:?}") };
                prop_assert_eq!(&ack.task_id, task_of(&line));
                prop_assert_eq!(ack.understanding.as_deref(), Some("it"));
            }
        }
    }

    /// TALK-20: one way in full, the others in a line, and not more than an agent reads.
    #[test]
    fn talk_20_teaching_is_short_in_every_way(story in story(task_id(), words())) {
        for line in story.told() {
            let Some(teaching) = line.teaching() else { continue };
            let named = [task_of(&line), line.to.as_str(), "http://127.0.0.1:23000", "del-1"];
            let bare = named.iter().fold(teaching.to_owned(), |text, name| text.replace(name, ""));
            prop_assert!(bare.chars().count() <= 700, "{} characters:\n{teaching}", bare.chars().count());
            prop_assert!(teaching.contains("/v1/messages") && teaching.contains("/api/messages"), "{teaching}");
            prop_assert!(teaching.contains("MCP tool") && teaching.contains("wilco "), "{teaching}");
        }
    }

    /// TALK-15: nobody is told to begin before its ACK is accepted.
    #[test]
    fn talk_15_nothing_taught_says_begin_at_once(story in story(task_id(), words())) {
        for line in story.told() {
            prop_assert!(!line.text().to_lowercase().contains("begin at once"), "{}", line.text());
        }
    }

    #[test]
    fn del_10_what_wilco_says_is_no_answer_when_it_is_echoed(story in story(task_id(), words())) {
        for line in story.told() {
            prop_assert_eq!(acks(line.text()), vec![], "{}", line.text());
            prop_assert_eq!(verdicts(line.text()), vec![], "{}", line.text());
        }
    }

    #[test]
    fn del_2_what_wilco_says_is_no_task_when_it_is_passed_on(story in story(task_id(), words())) {
        for line in story.told().iter().filter(|line| !line.is_task()) {
            let taken = classify(Some(&line.rendered.subject), line.text());
            prop_assert_eq!(taken, None, "{}", line.text());
        }
    }
}
