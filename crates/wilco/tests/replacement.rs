//! A handoff and what it leaves outside: document, state file, issues, audit file, report.

use std::fs;
use std::path::PathBuf;

use crate::handoff::request;
use crate::handoff_trouble::{configured, told};
use crate::server::{Server, Setup, ack, said, until};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use wilco_testkit::github_server::{Fault, GithubServer, TOKEN};

/// A server with a state file and a repository, and a task that somebody works on.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) github: GithubServer,
    state_file: PathBuf,
    pub(crate) uuid: String,
    _runtime: Runtime,
    _directory: TempDir,
}

impl Scene {
    pub(crate) fn new(state_file: impl Fn(&str) -> String) -> Scene {
        let runtime = Runtime::new().unwrap();
        let github = runtime.block_on(GithubServer::start(&[42, 43]));
        github.world().people.push("helper".to_owned());
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.yaml");
        let config = format!(
            "[handoff]\nstate_file = {:?}\n[github]\nrepository = \"owner/repo\"\nbase_url = \"{}\"\ntoken_env = \"A_TOKEN\"\n",
            path.to_str().unwrap(),
            github.url()
        );
        let server = Setup::new().config(&config).environment("A_TOKEN", TOKEN).start();
        server.register(&["helper", "ecos-controller"]);
        let delegation = server.begin_working("T-1");
        let uuid = server.exchange(&delegation)["data"]["task_uuid"].as_str().unwrap().to_owned();
        fs::write(&path, state_file(&uuid)).unwrap();
        Scene { server, github, state_file: path, uuid, _runtime: runtime, _directory: directory }
    }

    /// Asks for the handoff; gives the exchange.
    fn request(&self) -> String {
        self.request_for(&[&self.uuid], &[42], &[43])
    }

    pub(crate) fn request_for(&self, tasks: &[&str], issues: &[u64], pulls: &[u64]) -> String {
        let fields = json!({
            "failed_agent": "worker", "replacement_agent": "helper", "reason": "context_loss",
            "tasks": tasks, "issues": issues, "pulls": pulls, "policy": {"understanding": "accept"},
        });
        self.server.begin(&said("boss", "wilco", "replacement-request", fields))
    }

    /// The replacement is told, and says that it is ready; gives what it was told.
    pub(crate) fn acknowledge(&self) -> Value {
        let told =
            || self.server.inbox("helper").into_iter().find(|one| one["content"]["handoff_id"].is_string());
        until("the replacement was told", || told().is_some());
        let told = told().unwrap()["content"].clone();
        let fields = json!({
            "handoff_id": told["handoff_id"], "understanding": "Add rate limiting to the login endpoint",
            "starting_from": "the beginning", "questions": [], "status": "ready_to_proceed",
        });
        self.server.send(&said("helper", "boss", "handoff_ack", fields));
        told
    }

    pub(crate) fn confirmation(&self) -> Value {
        until("the controller was told", || {
            self.server.kinds("ecos-controller").contains(&"replacement_confirmation".to_owned())
        });
        self.server.newest("ecos-controller")["content"].clone()
    }

    fn state(&self) -> String {
        fs::read_to_string(&self.state_file).unwrap()
    }

    fn audit(&self) -> String {
        let path = self.server.data.path().join("replacement_audit.yaml");
        until("there is an entry", || {
            self.server.events();
            path.exists()
        });
        fs::read_to_string(path).unwrap()
    }
}

pub(crate) fn assigned(uuid: &str) -> String {
    format!(
        "# state\nactive_assignments:\n  - agent: worker   # who\n    task_uuid: {uuid}\n    github_issue: \"#42\"\n    \
         status: in_progress\n    progress:\n      percentage: 60\nregistered_agents:\n  - id: worker\n    status: active\n"
    )
}

#[test]
fn ho_32_of_a_task_that_the_state_file_does_not_know_nothing_is_ticked() {
    let scene = Scene::new(|_| assigned("another"));
    let handoff = scene.request();
    scene.acknowledge();
    assert_eq!(scene.confirmation()["status"], "success");
    assert!(!scene.state().contains("pending_verification"));
    let list = scene.server.exchange(&handoff)["checklist"].as_array().unwrap().clone();
    let of = |item: &str| list.iter().find(|one| one["item"] == item).unwrap()["done"].clone();
    assert_eq!(of("State file updated"), true);
    for item in ["Assignment record updated", "Status set to pending_verification", "Replacement info added"]
    {
        assert_eq!(of(item), Value::Null, "{item}");
    }
}

#[test]
fn ho_2_ho_3_ho_20_ho_21_ho_23_ho_30_ho_31_a_handoff_leaves_every_trace() {
    let scene = Scene::new(assigned);
    let server = &scene.server;
    let handoff = scene.request();
    let told = scene.acknowledge();
    let url = format!("{}/owner/repo/issues/42#issuecomment-1", scene.github.url());
    assert_eq!(told["handoff_url"], url);
    let confirmation = scene.confirmation();
    assert_eq!(confirmation["status"], "success", "{confirmation}");
    assert_eq!(confirmation["details"]["github_issues_updated"], json!(["#42"]), "{confirmation}");
    assert_eq!(server.state(&handoff), "complete");

    // The document: saved, served, commented.
    let id = told["handoff_id"].as_str().unwrap();
    let (status, document) = server.get_text(&format!("/v1/handoffs/{id}/document"));
    assert_eq!(status, 200, "{document}");
    for word in
        [&scene.uuid, "Sixth attempt returns 429", "worker", "helper", "context_loss", "READY_TO_PROCEED"]
    {
        assert!(document.contains(word), "{word} is not in\n{document}");
    }
    let names: Vec<_> = fs::read_dir(server.data.path().join("handoffs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(
        names[0].starts_with("replacement-handoff-worker-to-helper-") && names[0].ends_with("Z.md"),
        "{names:?}"
    );
    {
        let world = scene.github.world();
        let comments = &world.issues[&42].comments;
        assert!(comments[0]["body"].as_str().unwrap().starts_with(&document));
        assert_eq!(comments.len(), 2, "the document and the audit");
        assert!(
            comments[1]["body"].as_str().unwrap().ends_with(&format!("<!-- wilco handoff {id} audit -->"))
        );
        assert!(world.issues[&42].assignees.contains(&"helper".to_owned()));
        assert!(world.issues[&42].labels.contains(&"assigned:helper".to_owned()));
        assert!(world.issues[&43].assignees.contains(&"helper".to_owned()));
    }

    // The state file.
    let state = scene.state();
    for line in [
        "  - agent: helper   # who",
        "    status: pending_verification",
        "      replaced_agent: \"worker\"",
        "      percentage: 60",
        "      at_replacement: true",
        "    status: inactive",
        "  - id: \"helper\"",
        "replacement_history:",
    ] {
        assert!(state.lines().any(|known| known == line), "{line} is not in\n{state}");
    }

    // The audit and its report.
    let audit = scene.audit();
    for line in [
        "  event: \"agent_replacement\"",
        "    url: \"",
        "    last_known_progress: 60",
        "  outcome: \"success\"",
    ] {
        assert!(audit.contains(line), "{line} is not in\n{audit}");
    }
    let (_, report) = server.get("/v1/reports/replacements");
    assert_eq!((&report["total"], &report["successful"]), (&json!(1), &json!(1)), "{report}");
    assert_eq!(report["recent"][0]["replacement_agent"], "helper");

    // The new agent repeats its instructions.
    let mut repeated = ack("T-1");
    repeated["from"] = json!("helper");
    server.send(&repeated);
    until("it is verified in the file", || {
        server.state(&handoff);
        scene.state().contains("    status: verified")
    });
    let state = scene.state();
    assert!(state.contains("      attempts: 1\n") && state.contains("      verified_at: \""), "{state}");
    server.verify();
}

#[test]
fn ho_23_every_repetition_counts_and_a_replaced_agent_stays_inactive() {
    let scene = Scene::new(assigned);
    let server = &scene.server;
    let handoff = scene.request();
    scene.acknowledge();
    assert_eq!(scene.confirmation()["status"], "success");
    assert_eq!(server.state(&handoff), "complete", "before anything is repeated");
    let in_file = |line: &str| {
        until(&format!("the file says {line}"), || {
            server.state(&handoff);
            scene.state().contains(line)
        });
    };
    for line in ["status: \"awaiting_repetition\"", "attempts: 0", "last_attempt: null", "verified_at: null"]
    {
        in_file(line);
    }
    // A question is a repetition that verifies nothing.
    let asks = json!({"task_id": "T-1", "status": "needs-clarification", "questions": ["Which endpoint?"]});
    server.send(&said("helper", "boss", "task-acknowledgment", asks));
    in_file("attempts: 1");
    let state = scene.state();
    assert!(
        state.contains("status: pending_verification") && state.contains("awaiting_repetition"),
        "{state}"
    );
    assert!(state.contains("last_attempt: \"") && state.contains("verified_at: null"), "{state}");
    let answers = json!({"task_id": "T-1", "message": "/login"});
    server.send(&said("boss", "helper", "task-clarification", answers));
    // So is an understanding that is wrong.
    let blank = json!({"task_id": "T-1", "status": "received", "understanding": ""});
    server.send(&said("helper", "boss", "task-acknowledgment", blank));
    in_file("attempts: 2");
    assert!(scene.state().contains("verified_at: null"), "{}", scene.state());
    let mut right = ack("T-1");
    right["from"] = json!("helper");
    server.send(&right);
    in_file("attempts: 3");
    let state = scene.state();
    assert_eq!(state.matches("verified\n").count() + state.matches("\"verified\"").count(), 2, "{state}");
    assert!(!state.contains("verified_at: null"), "{state}");

    for back in
        [json!({"type": "text", "message": "I am back"}), json!({"type": "task-complete", "task_id": "T-1"})]
    {
        server.send(&json!({"from": "worker", "to": "boss", "content": back}));
        assert_eq!(server.caller().get("/v1/agents/worker").1["status"], "inactive");
    }
    server.verify();
}

#[test]
fn ho_20_ho_22_a_malformed_state_file_is_not_touched_and_named_to_the_controller() {
    let broken = |uuid: &str| assigned(uuid) + "broken: [1\nrest: 2\n";
    let scene = Scene::new(broken);
    scene.request();
    scene.acknowledge();
    let confirmation = scene.confirmation();
    assert_ne!(confirmation["status"], "success", "{confirmation}");
    assert!(confirmation.to_string().contains("line "), "{confirmation}");
    assert_eq!(scene.state(), broken(&scene.uuid));
    assert!(!scene.audit().contains("outcome: \"success\""));
}

#[test]
fn ho_22_a_rate_limit_is_waited_for_and_then_the_issue_is_changed() {
    let scene = Scene::new(assigned);
    let limit = [("retry-after", "90".to_owned())];
    let fault = Fault::Answer(403, limit.to_vec(), json!({"message": "secondary rate limit"}));
    scene.github.fail("POST /repos/owner/repo/issues/42/labels", fault);
    let handoff = scene.request();
    scene.acknowledge();
    until("it was turned away", || {
        scene.server.state(&handoff);
        scene.github.world().faults.is_empty()
    });
    scene.server.advance("60s");
    assert_eq!(scene.server.state(&handoff), "confirming");
    assert!(!scene.github.world().issues[&42].labels.contains(&"assigned:helper".to_owned()));
    scene.server.advance("60s");
    assert_eq!(scene.confirmation()["status"], "success");
    assert!(scene.github.world().issues[&42].labels.contains(&"assigned:helper".to_owned()));
}

#[test]
fn ho_22_an_issue_that_is_not_there_makes_it_partial_and_says_so() {
    let scene = Scene::new(assigned);
    scene.github.world().issues.remove(&42);
    scene.request();
    let told = scene.acknowledge();
    assert!(told["handoff_url"].as_str().unwrap().contains("/gist/"), "the comment became a gist: {told}");
    let confirmation = scene.confirmation();
    assert_ne!(confirmation["status"], "success", "{confirmation}");
    assert!(confirmation.to_string().contains("404"), "{confirmation}");
    assert!(!confirmation.to_string().contains(TOKEN));
}

#[test]
fn cli_9_the_doctor_says_whether_github_knows_the_token_and_the_issues() {
    let scene = Scene::new(assigned);
    let handoff = scene.request();
    let config = scene.server.data.path().join("test-config.toml");
    let doctor = |about: &[&str], token: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wilco"));
        command
            .args(["doctor", "--json", "--as", "boss", "--url", &scene.server.url, "--config"])
            .arg(&config);
        let output = command.args(about).env("A_TOKEN", token).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = answer["findings"].as_array().unwrap().clone();
        move |about: &str| findings.iter().find(|one| one["about"] == about).cloned().unwrap_or_default()
    };
    let login = doctor(&[], TOKEN)("GitHub");
    assert_eq!(
        (&login["level"], &login["text"]),
        (&json!("ok"), &json!("knows the token as wilco-bot, for owner/repo"))
    );
    let wrong = doctor(&[], "another")("GitHub");
    assert_eq!((&wrong["level"], &wrong["next"]), (&json!("wrong"), &json!("wilco config show")), "{wrong}");
    assert!(!wrong.to_string().contains("another"), "{wrong}");
    assert_eq!(doctor(&[&handoff], TOKEN)("owner/repo#42")["text"], "is open");
    scene.github.world().issues.remove(&43);
    let gone = doctor(&[&handoff], TOKEN)("owner/repo#43");
    assert_eq!(gone["level"], "wrong", "{gone}");
}

#[test]
fn ho_3_a_directory_that_cannot_be_written_is_told_with_the_reason_and_the_next_step() {
    let server = configured("documents = \"{data}/in-the-way/handoffs\"");
    let way = server.data.path().join("in-the-way");
    fs::write(&way, "a file").unwrap();
    let id = server.begin(&request(json!({})));
    until("it is escalated", || server.state(&id) == "escalated");
    assert!(server.kinds("helper").is_empty(), "the replacement was told nothing");
    let escalation = server.exchange(&id)["data"]["escalation"].as_str().unwrap().to_owned();
    let next = format!("[DECISION] {escalation} {{");
    for agent in ["boss", "ecos-controller"] {
        let words = told(&server, agent, &id);
        assert!(words.contains("the document cannot be saved in "), "{agent}: {words}");
        assert!(words.contains("in-the-way/handoffs: "), "{agent}: {words}");
        assert!(words.contains("Mend that, then choose retry.") && words.contains(&next), "{agent}: {words}");
    }
    assert_eq!(server.exchange(&id)["data"]["document"], Value::Null);
    fs::remove_file(&way).unwrap();
    let choice = json!({"option": "retry", "escalation": escalation});
    server.send(&said("boss", "wilco", "decision", choice));
    until("it is delivered", || server.state(&id) == "awaiting-ack");
    assert_eq!(fs::read_dir(way.join("handoffs")).unwrap().count(), 1);
}
