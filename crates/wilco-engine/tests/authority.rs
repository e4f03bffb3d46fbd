//! Who may begin what: role of the token × type of the content, from the catalogue of types.

use serde_json::{Value, json};
use wilco_engine::{
    Authority, Command, CommandRule, Done, FixedCommand, Holder, PutAgent, Refused, Right, Settings, Viewer,
};
use wilco_language::message::MessageType;
use wilco_language::parse;
use wilco_protocol::Name;
use wilco_protocol::directory::Profile;

use crate::realm::{Realm, ack, problem, said, task};

/// The role of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    ReadOnly,
    Agent,
    Orchestrator,
    Operator,
}

const ROLES: [Role; 4] = [Role::ReadOnly, Role::Agent, Role::Orchestrator, Role::Operator];

/// Who may send it: read-only, agent, orchestrator, operator. What begins nothing is talk from those who take no part.
fn row(of: MessageType) -> [bool; 4] {
    match of {
        MessageType::PreOperation => [false, false, true, true],
        // Nobody in this table began a task of the failed agent.
        MessageType::ReplacementRequest | MessageType::ReplacementHandoff => [false, false, false, true],
        _ => [false, true, true, true],
    }
}

/// A realm with the cast of the examples, none of whom takes part in anything.
fn realm() -> Realm {
    let commands = ["restart", "restart-agent", "unit", "unit-tests"];
    let commands = commands.map(|name| (name.to_owned(), CommandRule::Open));
    let settings = Settings {
        operation_commands: commands.clone().into(),
        validation_commands: commands.into(),
        ..Settings::default()
    };
    let realm = Realm::with(settings);
    realm.register(&["eve", "alice", "bob", "carl", "dora", "boss", "worker", "tester"]);
    realm
}

/// A content of the type that can be sent to whom it is usually sent.
fn message(of: MessageType, content: Value) -> Value {
    let to = match of {
        MessageType::ValidationStart => "validation-orchestrator",
        MessageType::ReplacementRequest => "wilco",
        MessageType::ReplacementHandoff => "carl",
        _ => "bob",
    };
    let mut content = content;
    for key in ["policy", "execute", "issues", "pulls", "kind"] {
        content.as_object_mut().unwrap().remove(key);
    }
    json!({"from": "eve", "to": to, "content": content})
}

fn post(realm: &Realm, role: Role, message: &Value) -> Result<Value, Refused> {
    let eve = Name::new("eve");
    match role {
        Role::ReadOnly => realm.post_as(&Viewer::ReadOnly, message),
        Role::Agent => realm.post_as(&Viewer::Agent(eve), message),
        Role::Orchestrator => realm.post_as_orchestrator("eve", message),
        Role::Operator => realm.post_as(&Viewer::Operator, message),
    }
}

#[test]
fn sec_10_every_type_has_a_row_for_every_role() {
    for of in MessageType::ALL.iter().copied() {
        assert!(!of.entry().examples.is_empty() || of.is_only_wilcos(), "{of} has no example to send");
        for example in of.entry().examples {
            let message = message(of, serde_json::from_str(example).unwrap());
            let begins = parse::message(message.to_string().as_bytes()).is_ok_and(|sent| sent.typed.starts());
            assert!(!begins || Right::needed_for(of).is_some(), "{of} begins something and needs no right");
        }
        for (role, may) in ROLES.into_iter().zip(row(of)) {
            for example in of.entry().examples {
                let realm = realm();
                let message = message(of, serde_json::from_str(example).unwrap());
                match (post(&realm, role, &message), may) {
                    (Ok(sent), true) => {
                        // Without a part in it nobody moves an exchange.
                        let begins = Right::needed_for(of).is_some();
                        assert!(begins || sent["exchange"].is_null(), "{role:?} {of}: {sent}");
                    }
                    (Err(Refused::Forbidden { detail }), false) => {
                        let says_who = detail.contains("operator");
                        assert!(says_who, "{role:?} {of}: {detail}");
                    }
                    // What is not there, and a state that does not fit, is found out by those who may ask.
                    (
                        Err(Refused::NotFound { .. } | Refused::Conflict { .. } | Refused::Invalid { .. }),
                        true,
                    ) => {}
                    (got, may) => panic!("{role:?} may {may} send {of}: {got:?}"),
                }
            }
        }
    }
}

/// Somebody else's task is at `worker`, and one of `chief`'s.
fn two_tasks(settings: Settings) -> Realm {
    let realm = Realm::with(settings);
    realm.begin_working("GH-1");
    realm.register(&["chief", "carl", "ecos-controller"]);
    let mut own = task("GH-2");
    own["from"] = json!("chief");
    realm.send(&own);
    let mut answer = ack("GH-2");
    answer["to"] = json!("chief");
    realm.send(&answer);
    realm
}

fn replace(from: &str, to: &str, tasks: Option<&[&str]>) -> Value {
    let mut content =
        json!({"failed_agent": "worker", "replacement_agent": "carl", "reason": "context_loss"});
    if let Some(tasks) = tasks {
        content["tasks"] = json!(tasks);
    }
    said(from, to, "replacement-request", content)
}

fn chief() -> Viewer {
    Viewer::Agent(Name::new("chief"))
}

#[test]
fn sec_10_an_agent_hands_over_what_it_began_and_nobody_becomes_inactive() {
    let realm = two_tasks(Settings::default());
    let sent = realm.post_as(&chief(), &replace("chief", "wilco", None)).unwrap();
    let handoff = realm.exchange(sent["exchange"]["id"].as_str().unwrap());
    assert_eq!(handoff["data"]["tasks"].as_array().unwrap().len(), 1, "{handoff}");
    assert!(!handoff.to_string().contains("GH-1"), "{handoff}");
    for tasks in [&["GH-1"][..], &["GH-2", "GH-1"], &["GH-77"]] {
        let realm = two_tasks(Settings::default());
        let why = realm.refused_as(&chief(), &replace("chief", "wilco", Some(tasks)), 403);
        let rule = "an orchestrator that began it, or an operator may hand it over";
        assert!(why.starts_with("only the initiator of GH-") && why.ends_with(rule), "{why}");
    }
}

#[test]
fn sec_10_an_orchestrator_moves_its_own_and_only_operators_all() {
    let realm = two_tasks(Settings::default());
    realm.post_as_orchestrator("chief", &replace("chief", "wilco", Some(&["GH-1"]))).unwrap_err();
    let sent = realm.post_as_orchestrator("chief", &replace("chief", "wilco", None)).unwrap();
    let own = realm.exchange(sent["exchange"]["id"].as_str().unwrap());
    assert_eq!(own["data"]["tasks"].as_array().unwrap().len(), 1);
    let realm = two_tasks(Settings::default());
    let sent = realm.post_as(&Viewer::Operator, &replace("operator", "wilco", None)).unwrap();
    let all = realm.exchange(sent["exchange"]["id"].as_str().unwrap());
    assert_eq!(all["data"]["tasks"].as_array().unwrap().len(), 2);
}

#[test]
fn sec_10_the_controller_asks_an_orchestrator_for_its_own_tasks() {
    let controller = Viewer::Agent(Name::new("ecos-controller"));
    let realm = two_tasks(Settings::default());
    realm.refused_as(&controller, &replace("ecos-controller", "wilco", None), 403);
    realm.refused_as(&controller, &replace("ecos-controller", "chief", Some(&["GH-1"])), 403);
    let sent = realm.post_as(&controller, &replace("ecos-controller", "chief", None)).unwrap();
    let handoff = realm.exchange(sent["exchange"]["id"].as_str().unwrap());
    assert_eq!(handoff["initiator"], "chief");
    assert_eq!(handoff["data"]["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn sec_10_the_configuration_widens_and_narrows_by_role_and_by_name() {
    let mut authority = Authority::default();
    authority.grant(Right::Operation, vec![Holder::Named(Name::new("Chief"))]);
    authority.grant(Right::Handoff, vec![Holder::Orchestrators]);
    authority.grant(Right::Delegation, Vec::new());
    authority.grant(Right::Conversation, vec![Holder::Orchestrators]);
    let realm = two_tasks(Settings { authority, ..Settings::default() });
    let operation =
        said("chief", "worker", "pre-operation", json!({"operation": "restart", "message": "Soon."}));
    realm.post_as(&chief(), &operation).unwrap();
    let mut others = operation.clone();
    others["from"] = json!("boss");
    let why = problem(realm.post_as_orchestrator("boss", &others), 403);
    assert!(
        why["detail"].as_str().unwrap().starts_with("only Chief and operators may begin operations"),
        "{why}"
    );
    realm.refused_as(&chief(), &replace("chief", "wilco", None), 403);
    problem(realm.post_as_orchestrator("boss", &task("GH-9")), 403);
    realm.refused_as(&chief(), &said("chief", "boss", "conversation", json!({"message": "Hello."})), 403);
    // Its own answers it may always give, and what it began it may end.
    let done = said("worker", "chief", "task-complete", json!({"task_id": "GH-2"}));
    let sent = realm.post_as(&Viewer::Agent(Name::new("worker")), &done).unwrap();
    assert_eq!(sent["exchange"]["state"], "completed");
}

#[test]
fn sec_10_a_text_that_looks_like_a_task_is_none_from_who_may_give_none() {
    let mut authority = Authority::default();
    authority.grant(Right::Delegation, Vec::new());
    let realm = Realm::with(Settings { authority, ..Settings::default() });
    realm.register(&["boss", "worker"]);
    let text = "# Task: GH-7\n\nPlease implement the login page.\n\nAcceptance criteria:\n- it works";
    let text = json!({"from": "boss", "to": "worker", "content": {"type": "text", "message": text}});
    assert_eq!(realm.post_as(&Viewer::Agent(Name::new("boss")), &text).unwrap()["exchange"], Value::Null);
    assert_ne!(realm.send(&text)["exchange"], Value::Null, "it is one for those who may");
}

#[test]
fn sec_12_an_agent_keeps_what_it_does_not_set() {
    let realm = Realm::start();
    let nudge = Some(json!({"kind": "tmux", "target": "bob:0"}));
    let set = Profile {
        session: Some("bobs".to_owned()),
        host: Some("far".to_owned()),
        nudge,
        ..Profile::default()
    };
    let put = |viewer: Viewer, profile: Profile| {
        let put = PutAgent { name: "bob".to_owned(), profile, role: None, mark: None, viewer };
        match realm.run(Command::PutAgent(Box::new(put))).unwrap() {
            Done::Agent(changed) => changed.agent.profile,
            other => panic!("{other:?}"),
        }
    };
    put(Viewer::Operator, set.clone());
    let bob = || Viewer::Agent(Name::new("bob"));
    let own =
        Profile { alias: Some("bobby".to_owned()), program: Some("codex".to_owned()), ..Profile::default() };
    let after = put(bob(), own.clone());
    assert_eq!(after, Profile { alias: own.alias.clone(), program: own.program.clone(), ..set.clone() });
    // Sending back what is there changes nothing.
    assert_eq!(put(bob(), after.clone()), after);
    // What an operator set is not shaken off by going away and coming back.
    problem(realm.run(Command::RemoveAgent { name: Name::new("bob"), by: bob() }), 403);
}

/// Commands whose arguments are fixed, which `ci` may run.
fn fixed_commands() -> Settings {
    let fixed = CommandRule::Fixed(FixedCommand {
        args: vec!["--mode={mode}".to_owned(), "x".to_owned()],
        values: [("mode".to_owned(), vec!["soft".to_owned(), "hard".to_owned()])].into(),
        may: vec![Name::new("ci")],
    });
    Settings {
        operation_commands: [("restart".to_owned(), fixed.clone()), ("any".to_owned(), CommandRule::Open)]
            .into(),
        validation_commands: [("unit".to_owned(), fixed)].into(),
        ..Settings::default()
    }
}

fn running(from: &str, execute: Value) -> Value {
    let content = json!({"operation": "restart", "message": "Soon.", "execute": execute});
    said(from, "worker", "pre-operation", content)
}

#[test]
fn sec_11_only_listed_values_get_into_the_arguments_of_a_command() {
    let realm = Realm::with(fixed_commands());
    realm.register(&["boss", "ci", "worker"]);
    for viewer in [Viewer::Operator, Viewer::Local] {
        for execute in [
            json!({"command": ["restart"]}),
            json!({"command": ["restart", "--wipe"], "values": {"mode": "soft"}}),
            json!({"command": ["restart"], "values": {"mode": "wild"}}),
            json!({"command": ["restart"], "values": {"mode": ["soft"]}}),
            json!({"command": ["restart"], "values": {"mode": "soft", "more": "x"}}),
            json!({"command": ["restart"], "values": {"mode": "soft{agent}"}}),
            json!({"command": ["any", "x"], "values": {"mode": "soft"}}),
            json!({"command": ["other"], "values": {"mode": "soft"}}),
        ] {
            realm.refused_as(&viewer, &running("boss", execute), 422);
        }
        realm
            .post_as(&viewer, &running("boss", json!({"command": ["restart"], "values": {"mode": "soft"}})))
            .unwrap();
        realm.post_as(&viewer, &running("boss", json!({"command": ["any", "--own", "{agent}"]}))).unwrap();
    }
}

#[test]
fn sec_11_may_allows_the_program_and_the_role_is_still_needed() {
    let realm = Realm::with(fixed_commands());
    realm.register(&["boss", "ci", "worker", "eve"]);
    let restart = json!({"command": ["restart"], "values": {"mode": "hard"}});
    let why = realm.refused_as(&Viewer::Agent(Name::new("ci")), &running("ci", restart.clone()), 403);
    assert!(why.contains("may begin operations"), "{why}");
    let why = problem(realm.post_as_orchestrator("eve", &running("eve", restart.clone())), 403);
    assert_eq!(why["detail"], "only ci and operators may run the command \"restart\"");
    realm.post_as_orchestrator("ci", &running("ci", restart)).unwrap();
    problem(realm.post_as_orchestrator("ci", &running("ci", json!({"command": ["any"]}))), 403);
    problem(realm.post_as_orchestrator("ci", &running("ci", json!({"command": ["nothing"]}))), 403);
    let validation = |from: &str, values: Value| {
        let phases = json!([{"name": "unit", "specialist": "cmd:unit", "values": values}]);
        let start = json!({"issue": 42, "main_agent": "worker", "phases": phases});
        said(from, "validation-orchestrator", "validation-start", start)
    };
    let ci = Viewer::Agent(Name::new("ci"));
    realm.refused_as(&Viewer::Agent(Name::new("eve")), &validation("eve", json!({"mode": "soft"})), 403);
    realm.refused_as(&ci, &validation("ci", json!({})), 422);
    realm.post_as(&ci, &validation("ci", json!({"mode": "soft"}))).unwrap();
}
