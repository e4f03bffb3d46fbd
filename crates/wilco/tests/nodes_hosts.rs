//! Effects that are bound to a machine: each is carried out by the node that is the agent's host, whoever writes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use wilco_testkit::postgres_server::shared;
use wilco_testkit::tcp_proxy::TcpProxy;

use crate::handoff::{delivered, ready};
use crate::nudges::Tmux;
use crate::server::{Server, Setup, in_time, realm, text};

/// A directory for each machine, with a program of the same name that does something else there.
struct Machine {
    directory: TempDir,
    name: &'static str,
}

impl Machine {
    /// Its commands say which machine they ran on.
    fn new(name: &'static str) -> Machine {
        Machine::running(name, "true")
    }

    /// And then they do this.
    fn running(name: &'static str, script: &str) -> Machine {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        let script =
            format!("#!/bin/sh\ncd '{}'\necho \"$1\" >> ran\n{script}\n", directory.path().display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        Machine { directory, name }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Whether the program runs that left its number behind.
    fn runs(&self) -> bool {
        let pid = fs::read_to_string(self.path("pid")).unwrap_or_default();
        !pid.is_empty() && Path::new("/proc").join(pid.trim()).join("cwd").exists()
    }

    fn ran(&self) -> Vec<String> {
        fs::read_to_string(self.path("ran")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// A node on this machine, on the schema of that directory.
    fn setup(&self, realm: &Path) -> Setup {
        let program = json!(self.path("program"));
        let config = format!(
            "[operation.commands]\nrestart = {program}\n[nudge.commands]\nbell = [{program}, \"{{agent}}\"]\n\
             [validation.commands]\ncheck = {program}\n"
        );
        let config =
            format!("{config}[handoff]\nhost = \"two\"\nstate_file = {}\n", json!(self.path("state.yaml")));
        let mut setup = Setup::new().real_clock().option("--node").option(self.name).config(&config);
        for (name, value) in realm::environment(realm) {
            setup = setup.environment(&name, &value);
        }
        setup
    }

    fn start(&self, realm: &TempDir) -> Server {
        self.setup(realm.path()).start()
    }
}

fn role(server: &Server) -> Value {
    server.get("/readyz").1["role"].clone()
}

fn register(server: &Server, name: &str, profile: Value) -> Value {
    let (status, agent) = server.put(&format!("/v1/agents/{name}"), &profile);
    assert_eq!(status, 201, "{agent}");
    agent
}

fn nudge(server: &Server, agent: &str) -> Value {
    let (_, page) = server.get("/v1/nudges");
    page["items"].as_array().unwrap().iter().find(|one| one["agent"] == agent).cloned().unwrap_or_default()
}

fn waiting(server: &Server, node: &str) -> u64 {
    let (_, page) = server.get("/v1/nodes");
    let found = page["items"].as_array().unwrap().iter().find(|one| one["name"] == node).cloned();
    found.unwrap()["waiting"].as_u64().unwrap()
}

/// An operation on one agent, which is ready for it.
fn operate(server: &Server, agent: &str) -> String {
    operate_by(server, agent, json!({}))
}

fn operate_by(server: &Server, agent: &str, policy: Value) -> String {
    let execute = json!({"command": ["restart", "step of {agent}"], "time_limit": "60s"});
    let content = json!({
        "type": "pre-operation", "operation": "restart", "message": "Now.", "execute": execute,
        "policy": policy,
    });
    let id = server.begin(&json!({"from": "boss", "to": [agent], "content": content}));
    server.send(&text(agent, "boss", "ok"));
    id
}

fn step(server: &Server, id: &str) -> String {
    server.exchange(id)["data"]["execution"]["steps"][0]["state"].as_str().unwrap().to_owned()
}

/// PG-14: an agent is on the machine of the node it registered through, unless it says otherwise; there it is nudged, by
/// the program that is configured there. A host that is no node binds nothing: whoever writes nudges.
#[test]
fn pg_14_an_agent_is_nudged_on_its_host() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (one, two) = (here.start(&realm), there.start(&realm));
    assert_eq!((role(&one), role(&two)), (json!("writer"), json!("follower")));
    let bell = json!({"kind": "command", "command": "bell"});
    assert_eq!(register(&two, "bob", json!({"nudge": bell}))["host"], "two");
    assert_eq!(register(&one, "cid", json!({"nudge": bell, "host": "TWO"}))["host"], "TWO");
    assert_eq!(register(&two, "dan", json!({"nudge": bell, "host": "elsewhere"}))["host"], "elsewhere");
    assert_eq!(register(&one, "eve", json!({"nudge": bell}))["host"], "one");
    assert_eq!(register(&two, "fay", json!({"nudge": {"kind": "codex"}}))["host"], Value::Null);
    for agent in ["bob", "cid", "dan", "eve"] {
        one.send(&text("alice", agent, "hello"));
        in_time("it is nudged", || {
            here.ran().len() + there.ran().len() > 0 && nudge(&one, agent)["state"] == "idle"
        });
    }
    assert_eq!(
        (here.ran(), there.ran()),
        (vec!["dan".to_owned(), "eve".into()], vec!["bob".into(), "cid".into()])
    );
}

/// PG-14: what only a node that is gone can do waits, and is shown as waiting; when it is back, it is done.
#[test]
fn pg_14_what_a_gone_node_is_to_do_waits_for_it() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (one, mut two) = (here.start(&realm), there.start(&realm));
    register(&two, "bob", json!({"nudge": {"kind": "command", "command": "bell"}}));
    one.register(&["boss"]);
    two.kill();
    let id = operate(&one, "bob");
    in_time("both are shown as waiting", || {
        let shown = nudge(&one, "bob");
        (&shown["state"], &shown["node"]) == (&json!("waiting"), &json!("two")) && waiting(&one, "two") == 2
    });
    in_time("the step too", || step(&one, &id) == "waiting");
    let two = there.start(&realm);
    in_time("the step ran", || two.state(&id) == "done");
    in_time("the nudge too", || nudge(&two, "bob")["state"] == "idle");
    assert_eq!(here.ran(), Vec::<String>::new());
    // Whoever arrived behind a nudge is told of by the next one; a step runs once.
    let (steps, nudges): (Vec<_>, Vec<_>) = there.ran().into_iter().partition(|ran| ran == "step of bob");
    assert!(steps.len() == 1 && !nudges.is_empty(), "{steps:?} {nudges:?}");
}

/// PG-14: a step whose machine does not come back within `result_timeout` is somebody's to decide about; if it comes back
/// after that, it does not run there by itself.
#[test]
fn pg_14_a_step_at_a_gone_node_escalates_after_its_result_timeout() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (one, mut two) = (here.start(&realm), there.start(&realm));
    one.register(&["boss"]);
    register(&one, "bob", json!({"host": "two"}));
    two.kill();
    let id = operate_by(&one, "bob", json!({"result_timeout": "1s", "on_interrupted": "retry"}));
    in_time("it is escalated", || one.exchange(&id)["data"]["escalation"].is_string());
    assert_eq!((step(&one, &id), one.state(&id)), ("interrupted".to_owned(), "executing".into()));
    let two = there.start(&realm);
    in_time("its order is over", || waiting(&one, "two") == 0);
    assert_eq!(there.ran(), Vec::<String>::new());
    let escalation = two.exchange(&id)["data"]["escalation"].clone();
    let decision = json!({"type": "decision", "escalation": escalation, "option": "retry"});
    two.send(&json!({"from": "boss", "content": decision}));
    in_time("it ran", || two.state(&id) == "done");
    assert_eq!((here.ran(), there.ran()), (vec![], vec!["step of bob".to_owned()]));
}

/// PG-14: a node that is cut off from the database for longer than the lease ends its commands: others take it for gone.
#[test]
fn pg_14_a_node_that_is_cut_off_ends_its_commands() {
    let (here, there) = (Machine::new("one"), Machine::running("two", "echo $$ > pid\nexec sleep 600"));
    let (realm, proxy) = (tempfile::tempdir().unwrap(), TcpProxy::to(shared().port()));
    let one = here.start(&realm);
    let url = format!("postgres://wilco@127.0.0.1:{}/postgres", proxy.port());
    let two = there.setup(realm.path()).environment("WILCO_STORE_URL", &url).start();
    one.register(&["boss"]);
    register(&one, "bob", json!({"host": "two"}));
    let id = operate(&one, "bob");
    in_time("it runs", || there.runs() && step(&one, &id) == "running");
    proxy.hold_up();
    in_time("it was ended", || !there.runs());
    in_time("it is shown as waiting", || step(&one, &id) == "waiting");
    proxy.open();
    in_time("nobody knows how far it came", || step(&one, &id) == "interrupted");
    assert_eq!((there.ran().len(), two.state(&id).as_str()), (1, "executing"));
}

/// PG-14: a tmux session is where its agent is: the node there types into it, whoever writes.
#[test]
fn pg_14_a_pane_is_typed_into_by_the_node_of_its_machine() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (wrong, right) = (Tmux::start("bob-pane"), Tmux::start("bob-pane"));
    let start = |machine: &Machine, tmux: &Tmux| {
        machine.setup(realm.path()).environment("TMUX_TMPDIR", tmux.directory()).start()
    };
    let (one, two) = (start(&here, &wrong), start(&there, &right));
    assert_eq!((role(&one), role(&two)), (json!("writer"), json!("follower")));
    let profile = json!({"session": "bob-pane", "nudge": {"kind": "tmux"}});
    assert_eq!(register(&two, "bob", profile)["host"], "two");
    one.send(&text("alice", "bob", "hello"));
    let line = "run: wilco inbox";
    in_time("it was entered", || right.pane("bob-pane").matches(line).count() == 2);
    assert!(!wrong.pane("bob-pane").contains("wilco"));
}

/// PG-14: to see whether a nudge works, it is given where the agent is, whichever node is asked.
#[test]
fn pg_14_a_nudge_is_tested_on_the_host_of_its_agent() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (one, mut two) = (here.start(&realm), there.start(&realm));
    let bell = json!({"kind": "command", "command": "bell"});
    register(&one, "ann", json!({"nudge": bell, "host": "one"}));
    register(&one, "bob", json!({"nudge": bell, "host": "TWO"}));
    let tested = |server: &Server, agent: &str| {
        let (status, said) = server.post(&format!("/v1/agents/{agent}/nudge"), &json!({}));
        assert_eq!(status, 200, "{said}");
        said
    };
    for server in [&one, &two] {
        for agent in ["ann", "bob"] {
            assert_eq!(tested(server, agent)["delivered"], true);
        }
    }
    assert_eq!((here.ran(), there.ran()), (vec!["ann".to_owned(); 2], vec!["bob".to_owned(); 2]));
    two.kill();
    in_time("it is gone", || {
        let said = tested(&one, "bob");
        assert_eq!(said["delivered"], false, "{said}");
        said["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("node two") && reason.contains("is gone"))
    });
    assert_eq!(here.ran().len(), 2);
}

/// PG-14: a check runs where the work that it checks is done.
#[test]
fn pg_14_a_check_runs_on_the_host_of_the_agent_whose_work_it_checks() {
    let here = Machine::running("one", "exit 1");
    let (realm, there) = (tempfile::tempdir().unwrap(), Machine::running("two", "exit 0"));
    let (one, _two) = (here.start(&realm), there.start(&realm));
    one.register(&["boss"]);
    register(&one, "main", json!({"host": "two"}));
    let phases = json!({"phases": [{"name": "unit", "specialist": "cmd:check"}]});
    let id = one.begin(&crate::validation::start(phases));
    in_time("it passed there", || one.state(&id) == "completed");
    assert_eq!((here.ran().len(), there.ran().len()), (0, 1));
}

/// PG-14: an agent that moves to another machine is nudged there, also of what waited for the machine before.
#[test]
fn pg_14_a_nudge_follows_its_agent_to_another_host() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    let (one, mut two) = (here.start(&realm), there.start(&realm));
    let bell = json!({"kind": "command", "command": "bell"});
    assert_eq!(register(&two, "bob", json!({"nudge": bell}))["host"], "two");
    two.kill();
    one.send(&text("alice", "bob", "hello"));
    in_time("it waits", || nudge(&one, "bob")["state"] == "waiting");
    let (status, moved) = one.put("/v1/agents/bob", &json!({"nudge": bell, "host": "one"}));
    assert_eq!((status, &moved["host"]), (200, &json!("one")), "{moved}");
    in_time("it is nudged there", || here.ran() == ["bob"] && nudge(&one, "bob")["state"] == "idle");
}

/// PG-14: a takeover interrupts nothing that runs at a node that is there, and only what ran at the one that is gone.
#[test]
fn pg_14_a_takeover_interrupts_only_what_ran_at_a_gone_node() {
    let wait = "echo $$ > pid\nwhile [ ! -e go ]; do sleep 0.05; done";
    let (here, there) = (Machine::running("one", wait), Machine::running("two", wait));
    let realm = tempfile::tempdir().unwrap();
    let (mut one, two) = (here.start(&realm), there.start(&realm));
    assert_eq!(role(&one), "writer");
    one.register(&["boss"]);
    register(&one, "ann", json!({"host": "one"}));
    register(&one, "bob", json!({"host": "two"}));
    let (of_ann, of_bob) = (operate(&one, "ann"), operate(&one, "bob"));
    in_time("both run", || (here.ran().len(), there.ran().len()) == (1, 1));
    one.kill();
    in_time("the other writes", || role(&two) == "writer");
    in_time("what ran at the gone node was interrupted", || step(&two, &of_ann) == "interrupted");
    assert_eq!(step(&two, &of_bob), "running");
    fs::write(there.path("go"), "").unwrap();
    in_time("the other went on to its end", || two.state(&of_bob) == "done");
    // What was left running there ends when the node is back: it must not run beside a second run.
    assert!(here.runs() && !there.runs());
    let one = one.up_again();
    assert!(!here.runs());
    assert_eq!((here.ran().len(), there.ran().len(), step(&one, &of_ann)), (1, 1, "interrupted".to_owned()));
}

/// PG-14: what a handoff leaves behind is for every node: its document and the audit. The state file belongs to the
/// machine that the configuration names.
#[test]
fn pg_14_documents_and_the_audit_of_handoffs_are_at_every_node() {
    let (realm, here, there) = (tempfile::tempdir().unwrap(), Machine::new("one"), Machine::new("two"));
    fs::write(there.path("state.yaml"), "active_assignments: []\n").unwrap();
    let (one, two) = (here.start(&realm), there.start(&realm));
    one.register(&["helper", "ecos-controller"]);
    one.begin_working("T-1");
    let (id, handed) = delivered(&one, json!({}));
    let handoff = handed["content"]["handoff_id"].as_str().unwrap();
    let path = format!("/v1/handoffs/{handoff}/document");
    let (status, text) = two.get_text(&path);
    assert_eq!((status, &text), (200, &one.get_text(&path).1), "{text}");
    two.send(&ready(&handed["content"]["handoff_id"]));
    in_time("the audit has its entry", || one.exchange(&id)["data"]["confirmation"]["audited"] == true);
    let counted = |server: &Server| server.get("/v1/reports/replacements").1["total"].clone();
    assert_eq!((counted(&one), counted(&two)), (json!(1), json!(1)));
    for machine in [&here, &there] {
        assert!(!machine.path("handoffs").exists());
    }
    assert!(!here.path("state.yaml").exists());
    let list = one.exchange(&id)["checklist"].as_array().unwrap().clone();
    let updated = list.iter().find(|one| one["item"] == "State file updated").unwrap();
    assert_eq!(updated["done"], true, "it is there at the node that has it: {updated}");
}
