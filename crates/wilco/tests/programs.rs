//! The two programs that the courier runs: the judge of understandings, and the one that reaches a person.
//! Real programs, started by the real server. Tests and programs meet at pipes, so nobody waits by the clock.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use crate::server::{PATIENCE, Server, Setup, ack, pointers, said, task, task_with};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with a shell script, and the pipes and files that it knows by their names.
struct Program {
    home: TempDir,
}

impl Program {
    fn new(script: &str) -> Program {
        let program = Program { home: tempfile::tempdir().unwrap() };
        program.becomes(script);
        program
    }

    /// From the next start on it does this.
    fn becomes(&self, script: &str) {
        let script = format!("cd '{}'\n{script}\n", self.home.path().display());
        fs::write(self.path("script"), script).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn argv(&self) -> String {
        json!(["/bin/sh", self.path("script")]).to_string()
    }

    fn pipe(self, name: &str) -> Program {
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        self
    }

    /// What it writes into a pipe, up to the moment when nobody holds the pipe open any more.
    fn written_to(&self, pipe: &str) -> Receiver<String> {
        let (path, (sender, receiver)) = (self.path(pipe), channel());
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            sender.send(text)
        });
        receiver
    }

    /// Waits until it says that it runs.
    fn runs(&self) {
        assert_eq!(self.written_to("started").recv_timeout(PATIENCE).unwrap(), "started\n");
    }

    /// Lets it go on.
    fn go(&self) {
        fs::write(self.path("go"), "go\n").unwrap();
    }

    /// The lines that it has written into a file.
    fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

fn judged_by(program: &Program, more: &str) -> Server {
    let server = Setup::new().config(&format!("[delegation]\njudge = {}\n{more}", program.argv())).start();
    server.register(&["boss", "worker"]);
    server
}

/// A task that the program judges, acknowledged.
fn acknowledged(server: &Server, task_id: &str) -> String {
    let id = server.begin(&task_with(task_id, json!({"understanding": "command", "max_corrections": 9})));
    assert_eq!(server.send(&ack(task_id))["exchange"]["state"], "in-review");
    id
}

/// A program may print more than a pipe holds and ignore what it is given, and its verdict still counts.
#[test]
fn del_21_a_judge_may_talk_much_and_not_listen() {
    let judge = Program::new("head -c 300000 /dev/zero >&2\nprintf '{\"verdict\": \"correct\"}'\n");
    let server = judged_by(&judge, "");
    let mut long = task_with("T-1", json!({"understanding": "command"}));
    long["content"]["description"] = json!("word ".repeat(60_000));
    let id = server.begin(&long);
    server.send(&ack("T-1"));
    server.advance("1s");
    assert_eq!(server.state(&id), "working");
}

fn printing(verdict: &Value) -> String {
    format!("cat > input\ncat <<'END'\n{verdict}\nEND")
}

#[test]
fn del_21_a_judge_that_says_correct_sets_the_agent_to_work() {
    let judge = Program::new(&printing(&json!({"verdict": "correct", "note": "fine"})));
    let server = judged_by(&judge, "");
    let id = acknowledged(&server, "T-1");
    server.advance("1s");
    assert_eq!(server.state(&id), "working");
    assert_eq!(server.newest("worker")["content"]["type"], "begin-now");
    let input: Value = serde_json::from_slice(&fs::read(judge.path("input")).unwrap()).unwrap();
    assert_eq!(input["task"]["task_id"], "T-1");
    assert_eq!(input["task"]["acceptance_criteria"][0], "Sixth attempt returns 429");
    let mut whole = ack("T-1")["content"].clone();
    whole["agent"] = json!("worker");
    assert_eq!(input["acknowledgment"], whole);
    assert_eq!(server.exchange(&id)["data"]["understanding"]["verdict"], "correct");
}

#[test]
fn del_20_what_the_judge_finds_wrong_is_told_to_the_agent() {
    let judge = Program::new(&printing(&json!({"verdict": "wrong-summary", "correction": "Only the API"})));
    let server = judged_by(&judge, "");
    let id = acknowledged(&server, "T-1");
    server.advance("1s");
    assert_eq!(server.state(&id), "awaiting-ack");
    let told = server.newest("worker")["content"].clone();
    let stated = ack("T-1")["content"]["understanding"].as_str().unwrap().to_owned();
    assert_eq!(told["type"], "task-correction");
    let text = told["message"].as_str().unwrap();
    assert!(text.starts_with(&format!("Your understanding: {stated}. Correct understanding: Only the API")));
    judge.becomes(&printing(&json!({"verdict": "partial", "missing": ["The counter", "A test"]})));
    server.send(&ack("T-1"));
    server.advance("1s");
    let told = server.newest("worker")["content"].clone();
    assert_eq!(
        (&told["type"], &told["missing"]),
        (&json!("task-supplement"), &json!(["The counter", "A test"]))
    );
    let understood = server.exchange(&id)["data"]["understanding"].clone();
    assert_eq!(understood["missing"], json!(["The counter", "A test"]), "{understood}");
    judge.becomes(&printing(&json!({"verdict": "wrong-task"})));
    server.send(&ack("T-1"));
    server.advance("1s");
    let told = server.newest("worker")["content"].clone();
    assert_eq!((&told["type"], server.state(&id).as_str()), (&json!("task-assignment"), "awaiting-ack"));
    assert!(told["message"].as_str().unwrap().contains("This task's id is exactly: T-1"), "{told}");
}

/// Whatever the program does wrong, the initiator is asked and its verdict counts.
#[test]
fn del_21_a_judge_that_fails_leaves_the_verdict_to_the_initiator() {
    let judge = Program::new("");
    let server = judged_by(&judge, "");
    let failures = [
        ("echo looks good to me", "did not print a verdict"),
        ("true", "did not print a verdict"),
        ("echo '{\"verdict\": \"correct\"}'; echo no model >&2; exit 3", "no model"),
        ("echo '{\"verdict\": \"maybe\"}'", "did not print a verdict"),
        ("echo '{\"verdict\": \"wrong-summary\", \"correction\": \" \"}'", "lacks a correction"),
        ("echo '{\"verdict\": \"partial\"}'", "lacks what is missing"),
        ("kill -9 $$", "ended with"),
        ("head -c 200000 /dev/zero", "did not print a verdict"),
    ];
    for (number, (script, reason)) in failures.into_iter().enumerate() {
        judge.becomes(script);
        let task_id = format!("T-{number}");
        let id = acknowledged(&server, &task_id);
        server.advance("1s");
        assert_eq!(server.state(&id), "in-review", "{script}");
        let asked = server.newest("boss")["content"].clone();
        assert_eq!((&asked["reason"], &asked["task_id"]), (&json!("verdict-needed"), &json!(task_id)));
        let events = server.events();
        let failed = events.iter().rfind(|event| event["type"] == "judge-failed").unwrap();
        let said = failed["data"]["reason"].as_str().unwrap();
        assert!(failed["exchange"] == *id && said.contains(reason), "{script}: {said}");
        let verdict = said_verdict(&task_id, json!({"verdict": "correct"}));
        assert_eq!(server.send(&verdict)["exchange"]["state"], "working", "{script}");
    }
}

fn said_verdict(task_id: &str, mut fields: Value) -> Value {
    fields["task_id"] = json!(task_id);
    said("boss", "worker", "verdict", fields)
}

#[test]
fn del_21_a_judge_that_is_not_there_leaves_the_verdict_to_the_initiator() {
    let server = Setup::new().config("[delegation]\njudge = [\"/no/such/judge\"]\n").start();
    server.register(&["boss", "worker"]);
    let id = acknowledged(&server, "T-1");
    server.advance("1s");
    assert_eq!(server.state(&id), "in-review");
    assert_eq!(server.newest("boss")["content"]["reason"], "verdict-needed");
}

const WAITS: &str = "echo started > started\nread word < go\n";

#[test]
fn del_21_the_initiators_verdict_wins_over_a_judge_that_still_runs() {
    let wrong = printing(&json!({"verdict": "wrong-task"}));
    let judge = Program::new(&format!("{WAITS}{wrong}")).pipe("started").pipe("go");
    let server = judged_by(&judge, "");
    let id = acknowledged(&server, "T-1");
    judge.runs();
    let verdict = said_verdict("T-1", json!({"verdict": "correct"}));
    assert_eq!(server.send(&verdict)["exchange"]["state"], "working");
    judge.go();
    // The clock waits for the judge, so its verdict has come when this returns.
    server.advance("1s");
    assert_eq!(server.state(&id), "working");
    assert_eq!(server.newest("worker")["content"]["type"], "begin-now");
}

#[test]
fn del_21_a_judge_that_hangs_is_ended_with_all_it_started() {
    let hanging = "exec 9> held\n(sleep 40; echo survived >&9) &\nsleep 40\necho survived >&9";
    let judge = Program::new(hanging).pipe("held");
    let server = judged_by(&judge, "judge_timeout = \"300ms\"\n");
    let held = judge.written_to("held");
    let id = acknowledged(&server, "T-1");
    server.advance("1s");
    assert_eq!(server.state(&id), "in-review");
    assert_eq!(server.newest("boss")["content"]["reason"], "verdict-needed");
    assert_eq!(
        held.recv_timeout(PATIENCE).unwrap(),
        "",
        "whoever holds the pipe was ended, and wrote nothing"
    );
    let events = server.events();
    let failed = events.iter().rfind(|event| event["type"] == "judge-failed").unwrap();
    assert!(failed["data"]["reason"].as_str().unwrap().contains("within 300ms"), "{failed}");
}

#[test]
fn del_21_after_a_crash_the_judge_is_run_again() {
    let correct = printing(&json!({"verdict": "correct"}));
    let judge =
        Program::new(&format!("echo run >> runs\n[ -e seen ] || {{ touch seen\n{WAITS}}}\n{correct}"));
    let judge = judge.pipe("started").pipe("go");
    let server = judged_by(&judge, "");
    let id = acknowledged(&server, "T-1");
    judge.runs();
    let server = server.restart();
    server.advance("1s");
    assert_eq!(server.state(&id), "working");
    assert_eq!(server.newest("worker")["content"]["type"], "begin-now");
    assert_eq!(judge.lines("runs").len(), 2);
    // The first one outlived its server; it may end now.
    judge.go();
}

#[test]
fn del_21_without_a_judge_its_policy_is_refused() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let problem = server.refused(&task_with("T-1", json!({"understanding": "command"})), 422);
    assert_eq!(pointers(&problem), ["/content/policy/understanding"]);
    assert_eq!(server.inbox("worker"), Vec::<Value>::new());
}

fn escalated(program: &Program) -> (Server, String) {
    let server = Setup::new().config(&format!("[escalation]\ncommand = {}\n", program.argv())).start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    (server, id)
}

fn retry(id: &str) -> Value {
    let content = json!({"type": "decision", "option": "retry"});
    json!({"from": "boss", "to": "wilco", "exchange": id, "content": content})
}

#[test]
fn msg_31_the_command_gets_the_escalation_and_is_tried_again_until_it_succeeds() {
    let caller = Program::new("cat >> calls; echo >> calls\n[ -e fine ]");
    let (server, id) = escalated(&caller);
    server.advance("6m59s");
    assert_eq!(caller.lines("calls"), Vec::<String>::new(), "nothing is wrong yet");
    for (step, calls) in [("1s", 1), ("4s", 1), ("1s", 2), ("9s", 2), ("1s", 3)] {
        server.advance(step);
        assert_eq!(caller.lines("calls").len(), calls, "after {step}");
    }
    fs::write(caller.path("fine"), "").unwrap();
    server.advance("20s");
    server.advance("20m");
    let calls = caller.lines("calls");
    assert_eq!(calls.len(), 4, "it was reached, so nobody is called again");
    let told: Value = serde_json::from_str(&calls[0]).unwrap();
    assert_eq!((&told["exchange"], &told["escalation"]), (&json!(id), &json!(format!("{id}-e1"))));
    assert_eq!(told["reason"], "no-acknowledgment");
    assert!(told["text"].as_str().unwrap().contains("worker has not acknowledged T-1"), "{told}");
    let shown = server.get("/v1/escalations?open=true").1["items"][0].clone();
    assert_eq!(shown["evidence"]["attempts"], 2, "{shown}");
    for field in ["exchange", "reason", "text", "evidence", "addressee", "opened", "options"] {
        assert_eq!(told[field], shown[field], "{field}: it is told what everybody is shown");
    }
    assert!(calls.iter().all(|call| *call == calls[0]), "every try says the same");
}

#[test]
fn msg_31_a_command_that_fails_or_runs_on_does_not_hold_up_the_exchange() {
    let caller =
        Program::new(&format!("echo call >> calls\n[ -e seen ] && exit 1\ntouch seen\n{WAITS}exit 1"));
    let caller = caller.pipe("started").pipe("go");
    let (server, id) = escalated(&caller);
    // The clock stands while the program runs, so it is moved by somebody who can wait.
    let clock = server.caller();
    let advanced = std::thread::spawn(move || clock.advance("7m"));
    caller.runs();
    assert_eq!(server.state(&id), "escalated");
    assert_eq!(server.send(&retry(&id))["exchange"]["state"], "awaiting-ack");
    caller.go();
    advanced.join().unwrap();
    assert_eq!(server.send(&ack("T-1"))["exchange"]["state"], "working");
    server.advance("1h");
    assert_eq!(caller.lines("calls").len(), 6, "it is given up in the end");
    assert_eq!(server.state(&id), "working");
}

#[test]
fn cfg_1_a_judge_needs_a_time_above_zero() {
    let config = "[delegation]\njudge = [\"/bin/true\"]\njudge_timeout = \"0s\"\n";
    let (code, said) = Setup::new().config(config).run_to_end();
    assert_ne!(code, Some(0));
    assert!(said.contains("delegation.judge_timeout: expected a duration longer than zero"), "{said}");
}
