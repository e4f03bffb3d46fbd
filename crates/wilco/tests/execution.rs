//! Operations that run commands: real programs, started by the real server. Tests and programs meet at
//! pipes and files, so nobody waits by the clock.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use crate::server::{PATIENCE, Server, Setup, text, until};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with a program, and the pipes and files that it knows by their names.
struct Program(TempDir);

impl Program {
    fn new(script: &str) -> Program {
        let program = Program(tempfile::tempdir().unwrap());
        let script = format!("#!/bin/sh\ncd '{}'\n{script}\n", program.0.path().display());
        fs::write(program.path("program"), script).unwrap();
        fs::set_permissions(program.path("program"), fs::Permissions::from_mode(0o700)).unwrap();
        program
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn pipe(self, name: &str) -> Program {
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        self
    }

    /// What is written into a pipe, up to the moment when nobody holds it open any more.
    fn written_to(&self, pipe: &str) -> Receiver<String> {
        let (path, (sender, receiver)) = (self.path(pipe), channel());
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            sender.send(text)
        });
        receiver
    }

    fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// A server that may run it as `restart-agent`.
    fn server(&self, agents: &[&str]) -> Server {
        let config = format!("[operation.commands]\nrestart-agent = {}\n", json!(self.path("program")));
        let server = Setup::new().config(&config).start();
        server.register(&["boss"]);
        server.register(agents);
        server
    }
}

/// Announces an operation, and everybody is ready.
fn operate(server: &Server, agents: &[&str], execute: Value, more: Value) -> String {
    let mut content =
        json!({"type": "pre-operation", "operation": "restart", "message": "Now.", "execute": execute});
    more.as_object().unwrap().iter().for_each(|(key, value)| content[key] = value.clone());
    let id = server.begin(&json!({"from": "boss", "to": agents, "content": content}));
    for agent in agents {
        server.send(&text(agent, "boss", "ok"));
    }
    id
}

fn steps(server: &Server, id: &str) -> Vec<Value> {
    server.exchange(id)["data"]["execution"]["steps"].as_array().unwrap().clone()
}

fn ends(server: &Server, id: &str, state: &str) {
    until(state, || server.state(id) == state);
}

#[test]
fn op_10_a_command_runs_once_for_each_agent_one_after_the_other() {
    let program = Program::new("echo \"$1|$2|$#\" >> runs\necho out of \"$1\"\necho to stderr >&2");
    let server = program.server(&["ann", "bob"]);
    server.put("/v1/agents/bob", &json!({"session": "main; rm -rf x"}));
    let execute = json!({"command": ["restart-agent", "{agent}@{operation}", "s={session}"]});
    let id = operate(&server, &["ann", "bob"], execute, json!({}));
    ends(&server, &id, "done");
    assert_eq!(program.lines("runs"), ["ann@restart|s=ann|2", "bob@restart|s=main; rm -rf x|2"]);
    let steps = steps(&server, &id);
    assert_eq!((&steps[0]["state"], &steps[0]["exit_code"]), (&json!("succeeded"), &json!(0)));
    assert_eq!(
        (&steps[1]["stdout"], &steps[1]["stderr"]),
        (&json!("out of bob@restart\n"), &json!("to stderr\n"))
    );
    assert!(steps[0]["started"].is_string() && steps[0]["ended"].is_string());
    for agent in ["ann", "bob"] {
        let told = server.newest(agent);
        assert_eq!(
            (&told["content"]["type"], &told["content"]["outcome"]),
            (&json!("post-operation"), &json!("done"))
        );
    }
    assert_eq!(server.newest("boss")["content"]["reason"], "executed");
    server.verify();
}

#[test]
fn op_10_a_failed_step_stops_the_rest_unless_it_is_to_keep_going() {
    let program = Program::new("echo \"$1\" >> runs\n[ \"$1\" != ann ]");
    let server = program.server(&["ann", "bob"]);
    let id = operate(&server, &["ann", "bob"], json!({"command": ["restart-agent", "{agent}"]}), json!({}));
    ends(&server, &id, "failed");
    let states = |id: &str| steps(&server, id).iter().map(|step| step["state"].clone()).collect::<Vec<_>>();
    assert_eq!(
        (states(&id), program.lines("runs")),
        (vec![json!("failed"), json!("skipped")], vec!["ann".to_owned()])
    );
    let execute = json!({"command": ["restart-agent", "{agent}"], "keep_going": true});
    let id = operate(&server, &["ann", "bob"], execute, json!({}));
    ends(&server, &id, "failed");
    assert_eq!(states(&id), [json!("failed"), json!("succeeded")]);
    assert_eq!(server.newest("bob")["content"]["outcome"], "failed");
}

#[test]
fn op_10_the_end_of_a_long_output_is_kept() {
    let program = Program::new("i=0\nwhile [ $i -lt 9000 ]; do echo \"line number $i\"; i=$((i+1)); done");
    let server = program.server(&["ann"]);
    let id = operate(&server, &["ann"], json!({"command": ["restart-agent"]}), json!({}));
    ends(&server, &id, "done");
    let step = steps(&server, &id).remove(0);
    let printed = step["stdout"].as_str().unwrap();
    assert_eq!(printed.len(), 64 << 10);
    assert!(printed.ends_with("line number 8999\n"));
}

#[test]
fn op_10_at_its_time_limit_the_whole_group_ends() {
    let program = Program::new("exec 3> held\n(sleep 600; echo late >&3) &\nsleep 600").pipe("held");
    let server = program.server(&["ann"]);
    let held = program.written_to("held");
    let execute = json!({"command": ["restart-agent"], "time_limit": "300ms"});
    let id = operate(&server, &["ann"], execute, json!({}));
    assert_eq!(held.recv_timeout(PATIENCE).unwrap(), "", "nobody is left who could write");
    ends(&server, &id, "failed");
    let step = steps(&server, &id).remove(0);
    assert!(step["failure"].as_str().unwrap().contains("300ms"), "{step}");
    assert_eq!(step["exit_code"], Value::Null);
}

#[test]
fn op_10_a_value_that_looks_like_an_option_fails_the_step() {
    let program = Program::new("echo run >> runs");
    let server = program.server(&["ann"]);
    server.put("/v1/agents/ann", &json!({"session": "--force"}));
    let id = operate(&server, &["ann"], json!({"command": ["restart-agent", "{session}"]}), json!({}));
    ends(&server, &id, "failed");
    assert!(steps(&server, &id)[0]["failure"].as_str().unwrap().contains("--force"));
    assert!(program.lines("runs").is_empty());
}

#[test]
fn op_10_what_is_not_allowed_is_not_run() {
    let program = Program::new("echo run >> runs");
    let server = program.server(&["ann"]);
    let message = |command: Value| {
        let execute = json!({"command": command});
        json!({"from": "boss", "to": "ann", "content": {"type": "pre-operation", "operation": "x", "message": "y", "execute": execute}})
    };
    let problem = server.refused(&message(json!(["/bin/sh", "-c", "true"])), 422);
    assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("restart-agent"), "{problem}");
    server.refused(&message(json!("restart-agent")), 422);
}

/// A program that says that it runs, and waits until it is let go.
fn waiting() -> Program {
    Program::new("echo run >> runs\necho started > started\nread go < go").pipe("started").pipe("go")
}

#[test]
fn op_14_a_crash_during_a_command_interrupts_it_and_it_is_not_run_again_by_itself() {
    let program = waiting();
    let server = program.server(&["ann", "bob"]);
    let id = operate(&server, &["ann", "bob"], json!({"command": ["restart-agent"]}), json!({}));
    assert_eq!(program.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
    let server = server.restart();
    let shown = server.exchange(&id);
    assert_eq!(
        (&shown["state"], &shown["data"]["execution"]["steps"][0]["state"]),
        (&json!("executing"), &json!("interrupted"))
    );
    let escalation = shown["data"]["escalation"].as_str().unwrap().to_owned();
    assert_eq!(shown["data"]["options"], json!(["proceed", "retry", "abort"]));
    assert_eq!(server.newest("boss")["content"]["type"], "escalation");
    assert_eq!(program.lines("runs"), ["run"]);
    let decide =
        json!({"from": "boss", "content": {"type": "decision", "escalation": escalation, "option": "retry"}});
    server.send(&decide);
    for _ in ["ann", "bob"] {
        assert_eq!(program.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
        fs::write(program.path("go"), "go\n").unwrap();
    }
    ends(&server, &id, "done");
    assert_eq!(program.lines("runs").len(), 3, "one was interrupted, two were done");
    server.verify();
}

#[test]
fn op_14_a_policy_may_repeat_it() {
    let script = "exec 3> held\necho run >> runs\necho started > started\nread go < go";
    let program = Program::new(script).pipe("held").pipe("started").pipe("go");
    let server = program.server(&["ann"]);
    let held = program.written_to("held");
    let more = json!({"on_interrupted": "retry"});
    let id = operate(&server, &["ann"], json!({"command": ["restart-agent"]}), more);
    assert_eq!(program.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
    let server = server.restart();
    held.recv_timeout(PATIENCE).expect("the first run is over: no two overlap");
    let held = program.written_to("held");
    assert_eq!(program.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
    assert_eq!((server.state(&id), program.lines("runs").len()), ("executing".to_owned(), 2));
    fs::write(program.path("go"), "go\n").unwrap();
    ends(&server, &id, "done");
    held.recv_timeout(PATIENCE).unwrap();
}

/// What a command started for good, as a daemon of its own, is not taken for the command.
#[test]
fn op_14_what_left_for_a_session_of_its_own_goes_on() {
    let script = "setsid sh -c 'echo up > up; read go < stay; echo stayed > told' &\necho started > started\nread go < go";
    let program =
        ["up", "stay", "told", "started", "go"].into_iter().fold(Program::new(script), Program::pipe);
    let server = program.server(&["ann"]);
    let id = operate(&server, &["ann"], json!({"command": ["restart-agent"]}), json!({}));
    assert_eq!(program.written_to("up").recv_timeout(PATIENCE).unwrap(), "up\n");
    assert_eq!(program.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
    let server = server.restart();
    assert_eq!(steps(&server, &id)[0]["state"], "interrupted");
    let told = program.written_to("told");
    fs::write(program.path("stay"), "go\n").unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "stayed\n");
}

#[test]
fn op_14_a_server_that_is_asked_to_stop_ends_what_it_runs() {
    let program = Program::new("exec 3> held\necho run > begun\nsleep 600").pipe("held").pipe("begun");
    let mut server = program.server(&["ann"]);
    let (held, begun) = (program.written_to("held"), program.written_to("begun"));
    let id = operate(&server, &["ann"], json!({"command": ["restart-agent"]}), json!({}));
    assert_eq!(begun.recv_timeout(PATIENCE).unwrap(), "run\n");
    assert!(server.terminate().success());
    held.recv_timeout(PATIENCE).unwrap();
    let server = server.up_again();
    assert_eq!(steps(&server, &id)[0]["state"], "interrupted");
}

#[test]
fn op_15_no_command_is_run_by_default_on_an_agent_that_never_saw_the_question() {
    let program = Program::new("echo run >> runs");
    let server = program.server(&["ann"]);
    let content = json!({
        "type": "pre-operation", "operation": "restart", "message": "Now.",
        "execute": {"command": ["restart-agent"]},
    });
    let id = server.begin(&json!({"from": "boss", "to": "ann", "content": content}));
    server.advance("120s");
    let shown = server.exchange(&id);
    assert_eq!((&shown["state"], shown["data"]["escalation"].is_string()), (&json!("waiting"), true));
    assert!(program.lines("runs").is_empty());
    let escalation = &shown["data"]["escalation"];
    server.send(&json!({"from": "boss", "content": {"type": "decision", "escalation": escalation, "option": "proceed"}}));
    ends(&server, &id, "done");
    let mut foreseen = content.clone();
    foreseen["proceed_on_timeout"] = json!(true);
    let id = server.begin(&json!({"from": "boss", "to": "ann", "content": foreseen}));
    server.advance("120s");
    ends(&server, &id, "done");
    let seen = server.begin(&json!({"from": "boss", "to": "ann", "content": content}));
    let letter = server.newest("ann")["id"].as_str().unwrap().to_owned();
    assert_eq!(
        server.caller().as_agent("ann").post(&format!("/v1/messages/{letter}/read"), &json!({})).0,
        204
    );
    server.advance("120s");
    ends(&server, &seen, "done");
    assert_eq!(program.lines("runs").len(), 3);
}

#[test]
fn op_15_a_quorum_runs_no_command_on_an_agent_that_never_saw_the_question() {
    let program = Program::new("echo run >> runs");
    let server = program.server(&["ann", "bob", "carol"]);
    let mut content = json!({
        "type": "pre-operation", "operation": "restart", "message": "Now.", "quorum": "majority",
        "execute": {"command": ["restart-agent", "{agent}"]},
    });
    let announce = |content: &Value| {
        let id = server.begin(&json!({"from": "boss", "to": ["ann", "bob", "carol"], "content": content}));
        for agent in ["ann", "bob"] {
            let ok = json!({"type": "acknowledgment", "message": "ok"});
            server.send(&json!({"from": agent, "exchange": id, "content": ok}));
        }
        server.advance("120s");
        id
    };
    let id = announce(&content);
    let escalation = server.exchange(&id)["data"]["escalation"].as_str().unwrap().to_owned();
    let (_, open) = server.get("/v1/escalations?open=true");
    assert_eq!(
        (&open["items"][0]["reason"], &open["items"][0]["evidence"]["agent"]),
        (&json!("not-reached"), &json!("carol"))
    );
    assert_eq!(server.state(&id), "waiting");
    assert!(program.lines("runs").is_empty());
    server.send(&json!({"from": "boss", "content": {"type": "decision", "escalation": escalation, "option": "proceed"}}));
    ends(&server, &id, "done");
    assert_eq!(program.lines("runs").len(), 3);
    content["proceed_on_timeout"] = json!(true);
    let foreseen = announce(&content);
    ends(&server, &foreseen, "done");
}

#[test]
fn op_12_the_operation_log() {
    let program = Program::new("true");
    let server = program.server(&["ann", "bob"]);
    let id = operate(&server, &["ann", "bob"], json!({"command": ["restart-agent"]}), json!({}));
    ends(&server, &id, "done");
    let one = json!({"type": "pre-operation", "operation": "config", "message": "Now.", "execute": "none"});
    server.begin(&json!({"from": "boss", "to": "bob", "content": one}));
    server.advance("120s");
    let (status, page) = server.get("/v1/reports/operations");
    assert_eq!(status, 200, "{page}");
    let items = page["items"].as_array().unwrap();
    let silent = &items[0];
    assert_eq!(
        (
            &silent["operation"],
            &silent["agent"],
            &silent["acknowledgment_received"],
            &silent["timeout_occurred"]
        ),
        (&json!("config"), &json!("bob"), &json!(false), &json!(true))
    );
    assert_eq!(
        (&silent["proceeded_anyway"], &silent["reminders_sent"], &silent["result"]),
        (&json!(true), &json!(3), &json!("unknown"))
    );
    let row = &items[1];
    assert_eq!(
        (&row["exchange"], &row["agent"], &row["kind"]),
        (&json!(id), &json!("ann"), &json!("coordinated"))
    );
    assert_eq!(
        (&row["acknowledgment_received"], &row["result"], &row["extended"]),
        (&json!(true), &json!("done"), &json!(false))
    );
    assert!(row["answered_at"].is_string());
    let lines = server.get("/v1/reports/operations?format=jsonl").1;
    assert_eq!(lines.as_array().unwrap(), items);
    let first = server.get("/v1/reports/operations?limit=1").1;
    let rest = server.get(&format!("/v1/reports/operations?after={}", first["next"].as_str().unwrap())).1;
    assert_eq!(rest["items"].as_array().unwrap(), &items[1..]);
    assert_eq!(server.get("/v1/reports/operations?format=xml").0, 400);
}

#[test]
fn op_14_killed_at_any_moment_a_command_runs_at_most_once() {
    const KILLS: usize = 6;
    let program = Program::new("echo \"$1\" >> runs");
    let mut server = program.server(&["ann", "bob"]);
    let mut ids = Vec::new();
    for _ in 0..KILLS {
        // The answer to the last "ok" says that the first step is durable; whether it runs by now nobody knows.
        let execute = json!({"command": ["restart-agent", "{operation}-{agent}"]});
        let more = json!({"operation": format!("op{}", ids.len())});
        ids.push(operate(&server, &["ann", "bob"], execute, more));
        server = server.restart();
        let shown = server.exchange(ids.last().unwrap());
        match shown["data"]["escalation"].as_str() {
            Some(escalation) => {
                let decision = json!({"type": "decision", "escalation": escalation, "option": "proceed"});
                server.send(&json!({"from": "boss", "content": decision}));
            }
            None => assert_ne!(shown["data"]["execution"]["steps"][0]["state"], "running"),
        }
        let last = ids.last().unwrap();
        until("it ends", || ["done", "failed"].contains(&server.state(last).as_str()));
    }
    let mut runs = program.lines("runs");
    let all = runs.len();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), all, "none ran twice: {runs:?}");
    assert!(all >= KILLS, "every second step ran after its server was up again: {runs:?}");
    server.verify();
}

#[test]
fn sec_11_a_command_with_fixed_arguments_runs_with_listed_values_and_its_own_environment() {
    let program = Program::new("echo \"$1|$2|$#|${HOME-none}|${LANG-none}|${SECRET-none}|$PATH\" >> runs");
    let config = format!(
        "[operation.commands.restart]\nprogram = {}\nargs = [\"--mode={{mode}}\", \"{{agent}}\"]\n\
         values = {{ mode = [\"soft\", \"hard\"] }}\nenv = [\"LANG\"]\n",
        json!(program.path("program"))
    );
    let server = Setup::new()
        .config(&config)
        .environment("HOME", "/somewhere")
        .environment("LANG", "tlh")
        .environment("SECRET", "hush")
        .start();
    server.register(&["boss", "ann"]);
    let execute = json!({"command": ["restart"], "values": {"mode": "soft"}});
    let id = operate(&server, &["ann"], execute, json!({}));
    ends(&server, &id, "done");
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    assert_eq!(program.lines("runs"), [format!("--mode=soft|ann|2|none|tlh|none|{path}")]);
    for (execute, pointer) in [
        (json!({"command": ["restart", "--wipe"], "values": {"mode": "soft"}}), "/content/execute/command/1"),
        (json!({"command": ["restart"]}), "/content/execute/values/mode"),
        (json!({"command": ["restart"], "values": {"mode": "wild"}}), "/content/execute/values/mode"),
        (
            json!({"command": ["restart"], "values": {"mode": "soft", "who": "x"}}),
            "/content/execute/values/who",
        ),
    ] {
        let content =
            json!({"type": "pre-operation", "operation": "restart", "message": "Now.", "execute": execute});
        let refused = server.refused(&json!({"from": "boss", "to": "ann", "content": content}), 422);
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    assert_eq!(program.lines("runs").len(), 1);
}
