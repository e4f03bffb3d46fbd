//! Which exchange an answer belongs to, rule by rule, and who may move it.

use crate::realm::{Realm, ack, said, task, task_with, text};
use serde_json::{Value, json};

/// Two tasks between the same two agents, both waiting for the worker.
fn two_tasks(realm: &Realm) -> (String, String) {
    realm.register(&["boss", "worker"]);
    (realm.begin(&task("T-1")), realm.begin(&task("T-2")))
}

fn received() -> Value {
    said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({"status": "received", "understanding": "add rate limiting"}),
    )
}

#[test]
fn msg_10_an_explicit_exchange_comes_first_and_an_unknown_one_is_404() {
    let realm = Realm::start();
    let (one, two) = two_tasks(&realm);
    let mut ack = received();
    ack["exchange"] = json!(two);
    let sent = realm.send(&ack);
    assert_eq!(sent["exchange"]["id"], *two);
    assert_eq!(realm.reading(&sent)["rule"], "exchange");
    assert_eq!((realm.state(&one), realm.state(&two)), ("awaiting-ack".into(), "working".into()));
    for unknown in ["del-999999", "nothing-like-an-id"] {
        ack["exchange"] = json!(unknown);
        realm.refused(&ack, 404);
    }
}

#[test]
fn msg_10_in_reply_to_and_an_unknown_one_is_a_conversation() {
    let realm = Realm::start();
    let (_, two) = two_tasks(&realm);
    let assignment = realm.inbox("worker")[1]["id"].clone();
    let mut ack = received();
    ack["in_reply_to"] = assignment;
    let sent = realm.send(&ack);
    assert_eq!(
        (&sent["exchange"]["id"], &realm.reading(&sent)["rule"]),
        (&json!(two), &json!("in-reply-to"))
    );
    ack["in_reply_to"] = json!("msg-1-0000000");
    let sent = realm.send(&ack);
    assert_eq!(sent["exchange"], Value::Null);
    assert_eq!(realm.reading(&sent)["meaning"], "conversation");
}

#[test]
fn msg_10_the_task_id_in_the_content_without_case() {
    let realm = Realm::start();
    let (_, two) = two_tasks(&realm);
    let sent = realm.send(&ack("t-2"));
    assert_eq!(sent["exchange"]["id"], *two);
    assert_eq!(realm.reading(&sent)["rule"], "task-id");
}

#[test]
fn msg_10_an_ack_in_the_text() {
    let realm = Realm::start();
    let (one, two) = two_tasks(&realm);
    let both = "[ACK] T-1 - RECEIVED\nUnderstanding: rate limiting\n\n[ACK] T-2 - QUEUED\n";
    let sent = realm.send(&text("worker", "boss", both));
    assert_eq!(realm.reading(&sent)["rule"], "text-id");
    assert_eq!((realm.state(&one), realm.state(&two)), ("working".into(), "queued".into()));
}

#[test]
fn msg_10_the_subject_after_any_reply_marks() {
    let realm = Realm::start();
    let (_, two) = two_tasks(&realm);
    let mut ack = received();
    ack["subject"] = json!("RE: Aw: task t-2");
    let sent = realm.send(&ack);
    assert_eq!((&sent["exchange"]["id"], &realm.reading(&sent)["rule"]), (&json!(two), &json!("subject")));
}

#[test]
fn msg_10_the_only_open_exchange_that_awaits_the_sender() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task("T-1"));
    let sent = realm.send(&received());
    assert_eq!((&sent["exchange"]["id"], &realm.reading(&sent)["rule"]), (&json!(id), &json!("only-open")));
}

/// An act that names a task is done to that one: a slip, or an id of before a restore, judges and cancels no other.
#[test]
fn msg_10_sec_17_what_names_another_task_is_not_done_to_the_only_open_one() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    realm.send(&ack("T-1"));
    assert_eq!(realm.state(&id), "in-review");
    for (kind, fields) in [
        ("verdict", json!({"verdict": "correct"})),
        ("task-cancel", json!({"reason": "no need"})),
        ("task-amend", json!({"message": "Other words."})),
        ("task-extend", json!({"time": "1h"})),
        ("task-pause", json!({})),
    ] {
        let mut fields = fields;
        fields["task_id"] = json!("T-99");
        let sent = realm.send(&said("boss", "worker", kind, fields));
        assert_eq!(
            (&sent["exchange"], realm.state(&id).as_str()),
            (&Value::Null, "in-review"),
            "{kind}: {sent}"
        );
    }
    // Without an id it can only be the open one.
    realm.send(&said("boss", "worker", "verdict", json!({"verdict": "correct"})));
    assert_eq!(realm.state(&id), "working");
}

#[test]
fn msg_10_with_several_possible_none_is_guessed() {
    let realm = Realm::start();
    let (one, two) = two_tasks(&realm);
    let sent = realm.send(&received());
    assert_eq!(sent["exchange"], Value::Null);
    let notice = realm.newest("worker");
    assert_eq!(notice["content"]["type"], "protocol-notice");
    let listed = notice["content"]["message"].as_str().unwrap();
    assert!(listed.contains(&one) && listed.contains(&two), "{listed}");
    assert_eq!((realm.state(&one), realm.state(&two)), ("awaiting-ack".into(), "awaiting-ack".into()));
}

#[test]
fn msg_10_the_recipient_narrows_and_the_same_task_of_two_initiators_is_ambiguous() {
    let realm = Realm::start();
    realm.register(&["boss", "chief", "worker"]);
    let first = realm.begin(&task("T-1"));
    let mut second = task("T-1");
    second["from"] = json!("chief");
    let second = realm.begin(&second);
    let mut stray = ack("T-1");
    stray["to"] = json!("wilco");
    assert_eq!(realm.send(&stray)["exchange"], Value::Null);
    let mut narrowed = ack("T-1");
    narrowed["to"] = json!("chief");
    assert_eq!(realm.send(&narrowed)["exchange"]["id"], *second);
    assert_eq!(realm.state(&first), "awaiting-ack");
}

#[test]
fn msg_10_an_answer_to_somebody_else_also_reaches_the_initiator() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "friend"]);
    let id = realm.begin(&task("T-1"));
    let mut stray = ack("T-1");
    stray["to"] = json!("friend");
    assert_eq!(realm.send(&stray)["exchange"]["id"], *id);
    assert_eq!(realm.state(&id), "working");
    assert_eq!(realm.newest("friend")["content"]["type"], "task-acknowledgment");
    assert_eq!(realm.newest("boss")["content"]["type"], "task-acknowledgment");
}

#[test]
fn msg_10_an_ack_of_a_task_is_read_whatever_it_calls_itself() {
    let realm = Realm::start();
    let (first, _) = two_tasks(&realm);
    let words = json!({"message": "[ACK] T-1 - RECEIVED\nUnderstanding: add rate limiting"});
    realm.send(&said("worker", "boss", "acknowledgment", words));
    assert_eq!(realm.state(&first), "working");
}

#[test]
fn msg_11_only_a_participant_moves_an_exchange_and_only_in_its_role() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "eve"]);
    let id = realm.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    let assignment = realm.inbox("worker")[0]["id"].clone();
    let mut foreign = ack("T-1");
    foreign["from"] = json!("eve");
    let sent = realm.send(&foreign);
    assert_eq!((&sent["exchange"], realm.newest("boss")["from"].as_str()), (&Value::Null, Some("eve")));
    for (key, value) in [("exchange", json!(id)), ("in_reply_to", assignment)] {
        let mut named = foreign.clone();
        named[key] = value;
        realm.refused(&named, 403);
    }
    realm.send(&ack("T-1"));
    assert_eq!(realm.state(&id), "in-review");
    let mut verdict = said("worker", "boss", "verdict", json!({"verdict": "correct"}));
    verdict["exchange"] = json!(id);
    realm.refused(&verdict, 403);
    assert_eq!(realm.state(&id), "in-review");
    let plain = json!({"from": "eve", "to": "boss", "exchange": id, "content": {"type": "text", "message": "may I help?"}});
    assert_eq!(
        realm.send(&plain)["exchange"],
        Value::Null,
        "plain talk moves nothing and is refused to nobody"
    );
}

/// Its field says which revision an ACK is of, else the message that it answers, else its words.
#[test]
fn del_43_the_field_counts_before_the_reply_and_the_reply_before_the_words() {
    let realm = Realm::start();
    let id = realm.begin_working("T-1");
    let first = realm.inbox("worker")[0]["id"].clone();
    realm.send(&said("boss", "worker", "task-amend", json!({"task_id": "T-1", "message": "also log it"})));
    let words = |revision: &str| {
        format!("[ACK] T-1{revision} - RECEIVED\nUnderstanding: rate limiting of the login, with a log")
    };
    let mut reply = text("worker", "boss", &words(" r2"));
    reply["in_reply_to"] = first;
    realm.send(&reply);
    assert_eq!(realm.state(&id), "awaiting-ack", "it answers the first revision");
    reply["content"]["revision"] = json!(2);
    assert_eq!(realm.send(&reply)["exchange"]["state"], "working");
    realm.send(&said("boss", "worker", "task-amend", json!({"task_id": "T-1", "message": "and count it"})));
    assert_eq!(realm.send(&text("worker", "boss", &words(" r3")))["exchange"]["state"], "working");
}

/// Whoever announces an operation is not asked whether it is ready.
#[test]
fn msg_11_the_initiator_does_not_acknowledge_its_own_operation() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let fields = json!({"operation": "restart", "message": "I will restart you."});
    let id = realm.begin(&said("boss", "worker", "pre-operation", fields));
    let mut own = said("boss", "wilco", "acknowledgment", json!({"message": "ok", "ready": true}));
    own["exchange"] = json!(id);
    realm.refused(&own, 403);
    own["exchange"] = Value::Null;
    own["to"] = json!("worker");
    own["content"]["operation_id"] = json!(id);
    assert_eq!(realm.send(&own)["exchange"], Value::Null, "not named, it is a conversation");
    assert_eq!(realm.state(&id), "waiting");
}

/// What began without a subject is shown under its title, and found by it.
#[test]
fn msg_10_the_title_of_a_task_without_a_subject() {
    let realm = Realm::start();
    let (_, _) = two_tasks(&realm);
    let mut third = task("T-3");
    third["subject"] = json!("");
    third["content"]["title"] = json!("Rotate the keys");
    let third = realm.begin(&third);
    assert_eq!(realm.exchange(&third)["subject"], "Rotate the keys");
    let mut ack = received();
    ack["subject"] = json!("Re: rotate the KEYS");
    let sent = realm.send(&ack);
    assert_eq!((&sent["exchange"]["id"], &realm.reading(&sent)["rule"]), (&json!(third), &json!("subject")));
}

/// DEL-5 too: a task that waits for its initiator does not swallow the next task that the initiator writes.
#[test]
fn msg_10_a_text_that_is_a_task_answers_no_other() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let reviewed = realm.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    realm.send(&ack("T-1"));
    assert_eq!(realm.state(&reviewed), "in-review");
    let listed = realm.send(&text("boss", "worker", "## Acceptance Criteria\n- the fence is green\n"));
    assert_ne!(listed["exchange"]["id"], *reviewed);
    assert_eq!(listed["exchange"]["state"], "awaiting-ack");
    let headed = realm.send(&text("boss", "worker", "## Task: GH-7 Paint the gate\n"));
    assert_eq!(headed["exchange"]["task_id"], "GH-7");
    let remark = realm.send(&text("boss", "worker", "I look at it tomorrow."));
    assert_eq!(remark["exchange"]["id"], *reviewed, "other words still belong to it");
    let own = realm.send(&text("boss", "worker", "## Task: T-1 Limit logins\n\nOnly five.\n"));
    assert_eq!(
        (&own["exchange"]["id"], &own["exchange"]["state"]),
        (&json!(reviewed), &json!("awaiting-ack"))
    );
    assert_eq!(
        realm.exchange(&reviewed)["data"]["revision"],
        2,
        "DEL-5: under its own heading it is amended"
    );
}

/// Questions are answered by any words, by a list too, but not by another task.
#[test]
fn del_12_plain_words_answer_questions_and_the_next_task_does_not() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task("T-1"));
    let questions = json!(["Does the limit count per user or per address?"]);
    let asked = json!({"task_id": "T-1", "status": "needs-clarification", "questions": questions});
    realm.send(&said("worker", "boss", "task-acknowledgment", asked));
    realm.send(&text("boss", "worker", "## Task: GH-7 Paint the gate\n"));
    assert_eq!(realm.state(&id), "clarifying");
    realm.advance("30m");
    assert_eq!(realm.state(&id), "escalated");
    let escalation = realm.inbox("boss").into_iter().rfind(|one| one["exchange"] == *id).unwrap();
    let mut later = text("boss", "worker", "I think about it.");
    later["in_reply_to"] = escalation["id"].clone();
    realm.send(&later);
    assert_eq!(realm.state(&id), "escalated", "words to the escalation are no answer to the questions");
    realm.send(&said("boss", "worker", "task-cancel", json!({"task_id": "GH-7"})));
    let answered = realm.send(&text("boss", "worker", "- [ ] per address\n- [ ] not per user"));
    assert_eq!((&answered["exchange"]["id"], realm.state(&id)), (&json!(id), "awaiting-ack".into()));
}

#[test]
fn msg_10_who_owes_one_answer_and_may_speak_elsewhere_gives_the_answer() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "other"]);
    let restart = |to: Value| {
        let mut notice =
            said("boss", "", "pre-operation", json!({"operation": "restart", "message": "Soon."}));
        notice["to"] = to;
        realm.begin(&notice)
    };
    let first = restart(json!(["worker", "other"]));
    realm.send(&text("worker", "boss", "ok"));
    let working = realm.begin(&task("T-1"));
    realm.send(&ack("T-1"));
    let second = restart(json!("worker"));
    let sent = realm.send(&text("worker", "boss", "ok"));
    assert_eq!(sent["exchange"]["id"], json!(second), "ready in {first}, at work on {working}");
}

#[test]
fn del_5_the_same_text_again_is_the_next_attempt_and_stops_no_work() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let asked = "## Task: TX-1 Build the login form\n\n### Acceptance Criteria\n- Form validates the email\n";
    let id = realm.begin(&text("boss", "worker", asked));
    let counted = |id: &str| {
        let data = realm.exchange(id)["data"].clone();
        (data["attempt"].clone(), data["revision"].clone())
    };
    let again = realm.send(&text("boss", "worker", asked));
    assert_eq!((again["exchange"]["id"].clone(), counted(&id)), (json!(id), (json!(2), json!(1))));
    let agreed = "[ACK] TX-1 - RECEIVED\nUnderstanding: Build the login form; the form validates the email";
    realm.send(&text("worker", "boss", agreed));
    assert_eq!(realm.state(&id), "working");
    realm.send(&text("boss", "worker", asked));
    assert_eq!((realm.state(&id).as_str(), counted(&id).1), ("working", json!(1)));
    let changed = format!("{asked}- Form validates the name\n");
    realm.send(&text("boss", "worker", &changed));
    assert_eq!(counted(&id).1, 2, "other words change the task");
}

#[test]
fn del_5_the_same_content_without_an_id_is_the_next_attempt() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let mut asked = said("boss", "worker", "task-assignment", json!({"title": "Tidy the attic"}));
    let id = realm.begin(&asked);
    asked["content"]["type"] = json!("task_assignment");
    assert_eq!(realm.send(&asked)["exchange"]["id"], json!(id));
    assert_eq!(realm.exchange(&id)["data"]["attempt"], 2);
}

#[test]
fn del_12_what_is_no_question_is_not_counted_as_one() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    for (task_id, none) in [("T-1", "None"), ("T-2", ""), ("T-3", "none, thank you")] {
        let id = realm.begin(&task(task_id));
        let mut received = ack(task_id);
        received["content"]["questions"] = json!([none]);
        realm.send(&received);
        assert_eq!(realm.state(&id), "working", "{none:?}");
    }
    let id = realm.begin(&task("T-4"));
    let asked = "[ACK] T-4 - CLARIFICATION_NEEDED\nQuestions:\n1. Which database should I use?\n   - Postgres\n   - MySQL\n2. Which port?";
    realm.send(&text("worker", "boss", asked));
    let questions = realm.exchange(&id)["data"]["questions"].clone();
    assert_eq!(questions.as_array().map(Vec::len), Some(2), "{questions}");
}

/// The same id is open again with the same agent: what it confirms is the end of the earlier task.
#[test]
fn del_44_a_stop_is_confirmed_also_when_its_task_is_open_again() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let stop = said("worker", "boss", "stop-ack", json!({"task_id": "S-5"}));
    let first = realm.begin_working("S-5");
    let mut anew = task("S-5");
    anew["content"]["supersede"] = json!(true);
    let second = realm.begin(&anew);
    let cancel =
        realm.inbox("worker").into_iter().find(|one| one["content"]["type"] == "task-cancel").unwrap();
    let words = cancel["content"]["message"].as_str().unwrap();
    assert!(words.contains(&first) && words.contains(&second), "which one is to stop: {words}");
    assert_eq!(realm.send(&stop)["exchange"]["id"], *first);
    assert_eq!(realm.exchange(&first)["data"]["stop_confirmed"], true);
    assert_eq!(realm.state(&second), "awaiting-ack", "the new one stands");

    realm.send(&said("boss", "worker", "task-cancel", json!({"task_id": "S-5"})));
    let third = realm.begin(&task("S-5"));
    assert_eq!(realm.send(&stop)["exchange"]["id"], *second);
    assert_eq!(realm.exchange(&second)["data"]["stop_confirmed"], true);
    assert_eq!(realm.send(&stop)["exchange"]["id"], *third, "nothing waits for it any more");
    assert_eq!(realm.newest("worker")["content"]["reason"], "nothing-to-confirm");
}

/// Each of two ends is confirmed by an answer of its own, the earlier one first, and late as well.
#[test]
fn del_44_two_ends_of_one_task_are_confirmed_one_after_the_other() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let stop = said("worker", "boss", "stop-ack", json!({"task_id": "S-5"}));
    let cancel = said("boss", "worker", "task-cancel", json!({"task_id": "S-5"}));
    let first = realm.begin(&task("S-5"));
    realm.send(&cancel);
    realm.advance("6m");
    let second = realm.begin(&task("S-5"));
    realm.send(&cancel);
    realm.begin(&task("S-5"));
    let told = [realm.send(&stop), realm.send(&stop)].map(|sent| sent["exchange"]["id"].clone());
    assert_eq!(told, [json!(second), json!(first)], "what is awaited comes before what is late");
}

/// A heading makes no id of such words, but it knows those that are open between the two.
#[test]
fn del_5_a_heading_finds_an_open_task_whatever_its_id_looks_like() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    for name in ["login", "DUP", "refactor", "fix/login"] {
        let id = realm.begin(&task(name));
        let sent = realm.send(&text("boss", "worker", &format!("## Task: {name}\nAlso log every attempt.")));
        assert_eq!(sent["exchange"]["id"], *id, "{name}");
        let more = format!("## Task: {name} more\n\n### Acceptance Criteria\n- every attempt is logged\n");
        assert_eq!(realm.send(&text("boss", "worker", &more))["exchange"]["id"], *id, "{name}");
        let data = realm.exchange(&id)["data"].clone();
        assert_eq!((&data["revision"], &data["title"]), (&json!(3), &json!("more")), "{name}");
        let blank = json!({"task_id": name, "status": "received", "revision": 3});
        realm.send(&said("worker", "boss", "task-acknowledgment", blank));
        let judged = realm.exchange(&id)["data"]["understanding"].clone();
        assert_eq!(judged["missing"], json!(["every attempt is logged"]), "{name}");
    }
}

#[test]
fn del_5_a_heading_with_another_word_is_about_no_open_task() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "other"]);
    let id = realm.begin(&task("login"));
    for (to, message) in [
        ("worker", "## Task: Login\nThe page looks good."),
        ("worker", "## Task: login done?\nHow far are you?"),
        ("worker", "The task: login"),
        ("other", "## Task: login\nPlease review it."),
    ] {
        let sent = realm.send(&text("boss", to, message));
        assert_eq!(sent["exchange"], Value::Null, "{message}");
    }
    assert_eq!(realm.exchange(&id)["data"]["revision"], 1);
}

#[test]
fn msg_10_a_note_to_oneself_answers_nobody() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task("T-1"));
    let mut note = received();
    note["to"] = json!("worker");
    assert_eq!(realm.send(&note)["exchange"], Value::Null);
    assert_eq!(realm.state(&id), "awaiting-ack");
    assert_eq!(realm.send(&received())["exchange"]["state"], "working");
}

#[test]
fn msg_3_a_blank_type_is_none() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    for kind in ["", "  "] {
        let problem = realm.refused(&said("boss", "worker", kind, json!({"message": "hello"})), 422);
        assert_eq!(problem["errors"][0]["pointer"], "/content/type");
    }
}
