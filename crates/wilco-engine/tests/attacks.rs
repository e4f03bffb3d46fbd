//! What somebody tries with the token of an agent that takes part in nothing. Each of these succeeded once.

use serde_json::{Value, json};
use wilco_engine::{Command, CommandRule, Done, PatchAgent, PutAgent, Refused, Settings, Viewer};
use wilco_protocol::Name;
use wilco_protocol::directory::{Mark, Profile, Role};

use crate::realm::{Realm, problem, said};

fn eve() -> Viewer {
    Viewer::Agent(Name::new("eve"))
}

fn put(realm: &Realm, viewer: Viewer, name: &str, profile: Profile) -> Result<Done, Refused> {
    let role = Some(profile.role);
    realm.run(Command::PutAgent(Box::new(PutAgent {
        name: name.to_owned(),
        profile,
        role,
        mark: None,
        viewer,
    })))
}

fn alias(alias: &str) -> Profile {
    Profile { alias: Some(alias.to_owned()), ..Profile::default() }
}

fn replacement(from: &str, content: Value) -> Value {
    let mut content = content;
    content["replacement_agent"] = json!("carl");
    content["reason"] = json!("context_loss");
    said(from, "wilco", "replacement-request", content)
}

#[test]
fn sec_10_nobody_takes_over_the_work_of_others_by_asking_for_a_replacement() {
    let realm = Realm::start();
    realm.begin_working("GH-42");
    realm.register(&["carl", "eve"]);
    for content in [
        json!({"failed_agent": "worker"}),
        json!({"failed_agent": "worker", "tasks": ["GH-42"]}),
        json!({"failed_agent": "worker", "tasks": ["GH-4711"]}),
        json!({"failed_agent": "worker", "tasks": []}),
        json!({"failed_agent": "carl", "tasks": ["GH-42"], "replacement_agent": "worker"}),
    ] {
        let why = realm.refused_as(&eve(), &replacement("eve", content.clone()), 403);
        assert!(why.contains("operator"), "{content}: {why}");
    }
    let handed = json!({
        "handoff_id": "h-1", "handoff_url": "http://x/y", "tasks": ["GH-42"], "failed_agent": {"id": "worker"},
    });
    realm.refused_as(&eve(), &said("eve", "carl", "replacement_handoff", handed), 403);
    assert!(realm.inbox("worker").iter().all(|one| one["content"]["type"] != "task-cancel"));
    assert!(realm.inbox("carl").is_empty() && realm.inbox("eve").is_empty());
}

#[test]
fn sec_12_nobody_becomes_somebody_else_by_an_alias() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "eve"]);
    put(&realm, Viewer::Operator, "boss", alias("chief")).unwrap();
    for taken in
        ["ecos-controller", "ECOS-Controller", "operator", "Wilco", "human", "root", "worker", "Chief"]
    {
        problem(put(&realm, eve(), "eve", alias(taken)), 409);
        problem(put(&realm, Viewer::Operator, "eve", alias(taken)), 409);
        let session = Profile { session: Some(taken.to_owned()), ..Profile::default() };
        problem(put(&realm, Viewer::Operator, "eve", session), 409);
    }
    // Whoever is called so later is called so.
    put(&realm, eve(), "eve", alias("newcomer")).unwrap();
    realm.register(&["newcomer"]);
    realm.send(&said("boss", "newcomer", "conversation", json!({"message": "Welcome!"})));
    assert_eq!((realm.inbox("newcomer").len(), realm.inbox("eve").len()), (1, 0));
}

#[test]
fn sec_12_an_agent_does_not_set_its_own_role_status_or_ways() {
    let realm = Realm::start();
    realm.register(&["eve"]);
    let set = |profile: Profile| put(&realm, eve(), "eve", profile);
    problem(set(Profile { role: Role::Controller, ..Profile::default() }), 403);
    problem(set(Profile { session: Some("human-pane".to_owned()), ..Profile::default() }), 403);
    problem(set(Profile { host: Some("elsewhere".to_owned()), ..Profile::default() }), 403);
    problem(set(Profile { github: Some("octocat".to_owned()), ..Profile::default() }), 403);
    problem(
        set(Profile { nudge: Some(json!({"kind": "tmux", "target": "human:0"})), ..Profile::default() }),
        403,
    );
    let hibernated = PatchAgent {
        agent: "eve".to_owned(),
        fields: serde_json::Map::new(),
        mark: Some(Some(Mark::Hibernated)),
        viewer: eve(),
    };
    problem(realm.run(Command::PatchAgent(Box::new(hibernated))), 403);
}

#[test]
fn sec_11_nobody_runs_configured_programs_with_arguments_of_its_own() {
    let realm = Realm::with(Settings {
        operation_commands: [("restart".to_owned(), CommandRule::Open)].into(),
        validation_commands: [("unit".to_owned(), CommandRule::Open)].into(),
        ..Settings::default()
    });
    realm.register(&["eve", "worker"]);
    let operation = json!({
        "operation": "x", "requires_acknowledgment": false, "message": "x",
        "execute": {"command": ["restart", "--wipe", "/"]},
    });
    realm.refused_as(&eve(), &said("eve", "worker", "pre-operation", operation), 403);
    let phases = json!([{"name": "unit", "specialist": "cmd:unit"}]);
    let start = json!({"issue": 42, "main_agent": "worker", "phases": phases});
    realm.refused_as(&eve(), &said("eve", "validation-orchestrator", "validation-start", start), 403);
}
