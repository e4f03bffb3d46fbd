//! Nudges: tmux, webhooks, commands; how far messages get.

use crate::server;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::server::{PATIENCE, Server, Setup, pointers, said, task, text, until};
use serde_json::{Value, json};
use tempfile::TempDir;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn way(server: &Server, id: &Value) -> (String, Value) {
    let (_, message) = server.get(&format!("/v1/messages/{}", id.as_str().unwrap()));
    (message["delivery"].as_str().unwrap().to_owned(), message["nudge"].clone())
}

fn nudge_of(server: &Server, agent: &str) -> Value {
    let (status, page) = server.get("/v1/nudges");
    assert_eq!(status, 200, "{page}");
    page["items"].as_array().unwrap().iter().find(|one| one["agent"] == agent).cloned().unwrap_or(Value::Null)
}

/// A tmux server of its own, ended with its test.
pub(crate) struct Tmux(TempDir);

impl Tmux {
    pub(crate) fn start(session: &str) -> Tmux {
        let tmux = Tmux(tempfile::tempdir().unwrap());
        tmux.run(&["new-session", "-d", "-s", session, "-x", "120", "-y", "30", "cat"]);
        tmux
    }

    pub(crate) fn directory(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("TMUX_TMPDIR", self.0.path()).args(arguments);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    pub(crate) fn pane(&self, session: &str) -> String {
        self.run(&["capture-pane", "-p", "-t", &format!("={session}:")])
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn msg_21_a_fixed_line_is_typed_into_the_pane_and_entered() {
    let tmux = Tmux::start("bob-pane");
    tmux.run(&["new-session", "-d", "-s", "bob-pane-2", "-x", "120", "-y", "30", "cat"]);
    let server = Setup::new().real_clock().environment("TMUX_TMPDIR", tmux.directory()).start();
    let (status, agent) =
        server.put("/v1/agents/bob", &json!({"session": "bob-pane", "nudge": {"kind": "tmux"}}));
    assert_eq!(status, 201, "{agent}");
    let message = json!({
        "from": "ann", "to": "bob", "subject": "$(touch /tmp/x) `id`", "priority": "urgent",
        "content": {"type": "request", "message": "secret words \u{1b}[31m"},
    });
    let (_, sent) = server.post("/api/messages", &message);
    assert_eq!(sent["notified"], true);
    let id = &sent["message"]["id"];
    until("it was nudged", || way(&server, id).0 == "nudged");
    assert_eq!(way(&server, id).1, "delivered");
    let line = "wilco: 1 message (urgent), run: wilco inbox";
    // `cat` repeats a line once it was entered.
    until("it was entered", || tmux.pane("bob-pane").matches(line).count() == 2);
    assert!(!tmux.pane("bob-pane").contains("secret"), "never anything that somebody wrote");
    assert!(!tmux.pane("bob-pane-2").contains("wilco"), "exactly this session");
    assert_eq!(tmux.run(&["list-buffers"]), "", "the buffer is gone");
    assert_eq!(nudge_of(&server, "bob")["state"], "idle");
    let event = server.events().into_iter().find(|event| event["type"] == "message-nudged").unwrap();
    assert_eq!((&event["data"]["agent"], &event["data"]["kind"]), (&json!("bob"), &json!("tmux")));
}

/// Whoever has half typed a line keeps it, and nothing is entered for them.
#[test]
fn sec_15_nothing_is_typed_onto_a_line_that_holds_something() {
    let tmux = Tmux::start("bob-pane");
    let server = Setup::new().environment("TMUX_TMPDIR", tmux.directory()).start();
    server.put("/v1/agents/bob", &json!({"session": "bob-pane", "nudge": {"kind": "tmux"}}));
    tmux.run(&["send-keys", "-t", "=bob-pane:", "-l", "rm -rf precious"]);
    until("it was typed", || tmux.pane("bob-pane").contains("rm -rf precious"));
    server.send(&text("ann", "bob", "hello"));
    until("it was tried", || nudge_of(&server, "bob")["attempts"].as_u64().is_some_and(|tries| tries >= 1));
    let said = nudge_of(&server, "bob").to_string();
    assert!(said.contains("something on the line of its cursor"), "{said}");
    let pane = tmux.pane("bob-pane");
    assert_eq!((pane.matches("precious").count(), pane.contains("wilco")), (1, false), "{pane}");
    // Once the line is empty it is told, also at a prompt.
    tmux.run(&["send-keys", "-t", "=bob-pane:", "C-u"]);
    until("it is empty", || !tmux.pane("bob-pane").contains("precious"));
    let second = server.send(&text("ann", "bob", "hello again"))["message"]["id"].clone();
    until("it is told", || {
        server.advance("1m");
        way(&server, &second).0 == "nudged"
    });
}

#[test]
fn msg_21_a_session_that_is_not_there_is_tried_again_and_then_a_dead_letter() {
    let tmux = Tmux::start("other");
    let server = Setup::new().environment("TMUX_TMPDIR", tmux.directory()).start();
    server.put("/v1/agents/bob", &json!({"session": "gone", "nudge": {"kind": "tmux"}}));
    let first = server.send(&text("ann", "bob", "one"))["message"]["id"].clone();
    until("it was tried", || nudge_of(&server, "bob")["state"] == "retrying");
    let nudge = nudge_of(&server, "bob");
    assert_eq!((&nudge["kind"], &nudge["attempts"]), (&json!("tmux"), &json!(1)));
    assert!(nudge["reason"].as_str().unwrap().contains("gone"), "{nudge}");
    assert!(nudge["next_attempt"].is_string());
    assert_eq!(way(&server, &first), ("stored".to_owned(), json!("retrying")));
    assert_eq!(server.inbox("bob").len(), 1, "the message is there all the same");
    let server = server.restart();
    assert_eq!(nudge_of(&server, "bob")["attempts"], 1, "it is kept over a restart");
    server.advance("10m");
    let nudge = nudge_of(&server, "bob");
    assert_eq!((&nudge["state"], &nudge["attempts"]), (&json!("dead"), &json!(5)), "{nudge}");
    assert_eq!(way(&server, &first), ("stored".to_owned(), json!("dead")));

    tmux.run(&["new-session", "-d", "-s", "gone", "-x", "120", "-y", "30", "cat"]);
    let second = server.send(&text("ann", "bob", "two"))["message"]["id"].clone();
    until("the next one works", || way(&server, &second).0 == "nudged");
    assert_eq!(nudge_of(&server, "bob")["state"], "idle");
    server.verify();
}

#[test]
fn msg_21_what_was_read_meanwhile_is_not_announced() {
    let tmux = Tmux::start("other");
    let server = Setup::new().environment("TMUX_TMPDIR", tmux.directory()).start();
    server.put("/v1/agents/bob", &json!({"session": "late", "nudge": {"kind": "tmux"}}));
    let id = server.send(&text("ann", "bob", "one"))["message"]["id"].clone();
    until("it was tried", || nudge_of(&server, "bob")["state"] == "retrying");
    server.post(&format!("/v1/messages/{}/read", id.as_str().unwrap()), &json!({}));
    tmux.run(&["new-session", "-d", "-s", "late", "-x", "120", "-y", "30", "cat"]);
    server.advance("1m");
    assert_eq!(nudge_of(&server, "bob")["state"], "idle");
    assert_eq!(tmux.pane("late").trim(), "");
    assert_eq!(way(&server, &id).0, "read");
}

/// What a webhook got.
struct Got {
    head: String,
    body: String,
}

impl Got {
    fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value)
        });
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head)).trim()
    }
}

/// Answers one call after the other, with these statuses; the last for ever.
fn webhook(statuses: &'static [&'static str]) -> (String, Receiver<Got>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (got, calls) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            let mut bytes = Vec::new();
            let (mut chunk, mut whole) = ([0; 4096], None);
            while whole.is_none_or(|whole| bytes.len() < whole) {
                let read = stream.read(&mut chunk).unwrap();
                bytes.extend_from_slice(&chunk[..read]);
                let seen = String::from_utf8_lossy(&bytes).into_owned();
                whole = seen.find("\r\n\r\n").map(|end| {
                    let length =
                        seen.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                    end + 4 + length.unwrap_or(0usize)
                });
            }
            let seen = String::from_utf8(bytes).unwrap();
            let (head, body) = seen.split_once("\r\n\r\n").unwrap();
            let status = statuses.get(number).or(statuses.last()).unwrap();
            let answer =
                format!("HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if got.send(Got { head: head.to_owned(), body: body.to_owned() }).is_err() {
                return;
            }
        }
    });
    (address, calls)
}

fn with_webhooks(hosts: &str, private: bool) -> Server {
    let config = format!(
        "[nudge]\nwebhook_hosts = [\"{hosts}\"]\nprivate_addresses = {private}\nsecret = \"{SECRET}\""
    );
    Setup::new().config(&config).start()
}

#[test]
fn sec_8_a_webhook_that_cannot_be_called_is_refused_and_its_password_not_repeated() {
    let server = with_webhooks("127.0.0.1:1", true);
    for url in ["http://user:hunter2@127.0.0.1:1/", "file:///etc/passwd", "https://", "127.0.0.1:1"] {
        let (status, problem) =
            server.put("/v1/agents/bob", &json!({"nudge": {"kind": "webhook", "url": url}}));
        assert_eq!((status, pointers(&problem)), (422, vec!["/nudge/url"]), "{url}");
        assert!(!problem.to_string().contains("hunter2"), "{problem}");
    }
    assert_eq!(server.get("/v1/agents/bob").0, 404, "nothing was registered");
}

#[test]
fn msg_21_a_webhook_is_signed_retried_and_told_once_for_many() {
    let (address, calls) = webhook(&["500 No", "302 Found", "204 Yes"]);
    let server = with_webhooks(&address, true);
    let nudge = json!({"kind": "webhook", "url": format!("http://{address}/hook?x=1")});
    assert_eq!(server.put("/v1/agents/bob", &json!({"nudge": nudge})).0, 201);
    let first = server.send(&text("ann", "bob", "one"))["message"]["id"].clone();
    let call = calls.recv_timeout(PATIENCE).unwrap();
    assert!(call.head.starts_with("POST /hook?x=1 HTTP/1.1"), "{}", call.head);
    let (id, time) = (call.header("webhook-id").to_owned(), call.header("webhook-timestamp"));
    assert!(time.parse::<u64>().is_ok());
    assert!(call.header("webhook-signature").starts_with("v1,"));
    let body: Value = serde_json::from_str(&call.body).unwrap();
    assert_eq!((&body["type"], &body["data"]["agent"]), (&json!("inbox.unread"), &json!("bob")));
    assert_eq!(body["data"]["messages"][0]["id"], first);
    assert!(!call.body.contains("one"), "not what somebody wrote: {}", call.body);

    until("it failed", || nudge_of(&server, "bob")["attempts"] == 1);
    let second = server.send(&text("ann", "bob", "two"))["message"]["id"].clone();
    server.advance("5s");
    let again = calls.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        (again.header("webhook-id"), again.body.contains(second.as_str().unwrap())),
        (id.as_str(), false)
    );
    let nudge = nudge_of(&server, "bob");
    assert!(nudge["reason"].as_str().unwrap().contains("redirects are not followed"), "{nudge}");
    server.advance("5m");
    assert_eq!(calls.recv_timeout(PATIENCE).unwrap().header("webhook-id"), id);
    let rest = calls.recv_timeout(PATIENCE).unwrap();
    assert_ne!(rest.header("webhook-id"), id, "what came meanwhile is told by the next one");
    until("both were nudged", || way(&server, &second).0 == "nudged");
    assert_eq!(way(&server, &first).1, "delivered");
}

/// G13: as many hang as there are places for programs, and half as many again; whoever can be reached is reached.
#[test]
fn g13_webhooks_that_hang_delay_nobody() {
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let hang = hanging.local_addr().unwrap().to_string();
    let (healthy, calls) = webhook(&["204 Yes"]);
    let server = with_webhooks(&format!("{hang}\", \"{healthy}"), true);
    let names: Vec<String> = (0..96).map(|number| format!("hangs-{number}")).collect();
    let register = |name: &str, address: &str| {
        let nudge = json!({"kind": "webhook", "url": format!("http://{address}/")});
        assert_eq!(server.put(&format!("/v1/agents/{name}"), &json!({"nudge": nudge})).0, 201);
    };
    names.iter().for_each(|name| register(name, &hang));
    register("bob", &healthy);
    let mut all = text("ann", "", "hello");
    all["to"] = json!(names);
    server.send(&all);
    let began = std::time::Instant::now();
    let one = server.send(&text("ann", "bob", "hello"))["message"]["id"].clone();
    calls.recv_timeout(PATIENCE).unwrap();
    until("it is noted", || way(&server, &one).0 == "nudged");
    assert!(began.elapsed() < Duration::from_secs(10), "a call that hangs takes 20 s: {:?}", began.elapsed());
}

#[test]
fn sec_6_webhooks_go_only_where_they_may() {
    let (address, calls) = webhook(&["204 Yes"]);
    let nudge = json!({"nudge": {"kind": "webhook", "url": format!("http://{address}/")}});
    let server = with_webhooks("hooks.example", true);
    server.put("/v1/agents/bob", &nudge);
    server.send(&text("ann", "bob", "one"));
    until("it was refused", || nudge_of(&server, "bob")["attempts"] == 1);
    assert!(nudge_of(&server, "bob")["reason"].as_str().unwrap().contains("nudge.webhook_hosts"));
    let server = with_webhooks(&address, false);
    server.put("/v1/agents/bob", &nudge);
    server.send(&text("ann", "bob", "one"));
    until("it was refused", || nudge_of(&server, "bob")["attempts"] == 1);
    assert!(nudge_of(&server, "bob")["reason"].as_str().unwrap().contains("private address"));
    assert!(calls.try_recv().is_err(), "nobody was called");
}

/// A program that writes what it is told into a file.
fn teller(directory: &Path) -> (String, std::path::PathBuf) {
    let (program, out) = (directory.join("tell"), directory.join("told"));
    let script = format!("#!/bin/sh\necho \"$1|$2|$WILCO_AGENT\" >> '{0}'\ncat >> '{0}'\n", out.display());
    std::fs::write(&program, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&program, mode).unwrap();
    (program.display().to_string(), out)
}

#[test]
fn msg_21_a_command_is_told_by_arguments_environment_and_input() {
    let directory = tempfile::tempdir().unwrap();
    let (program, out) = teller(directory.path());
    let config = format!("[nudge.commands]\nbell = [\"{program}\", \"to={{agent}}\", \"{{session}}\"]");
    let server = Setup::new().config(&config).start();
    let odd = "a;b$(c)";
    let nudge = json!({"session": odd, "nudge": {"kind": "command", "command": "bell"}});
    assert_eq!(server.put("/v1/agents/bob", &nudge).0, 201);
    let id = server.send(&text("ann", "bob", "hello"))["message"]["id"].clone();
    until("it was nudged", || way(&server, &id).0 == "nudged");
    let told = std::fs::read_to_string(&out).unwrap();
    assert!(told.starts_with(&format!("to=bob|{odd}|bob\n")), "{told}");
    assert!(told.contains(id.as_str().unwrap()) && !told.contains("hello"), "{told}");
    let (status, test) = server.post("/v1/agents/bob/nudge", &json!({}));
    assert_eq!((status, &test["delivered"], &test["kind"]), (200, &json!(true), &json!("command")));
    assert_eq!(std::fs::read_to_string(&out).unwrap().matches("to=bob").count(), 2);
    let typed = |agent: &str| {
        let mut wilco = Command::new(env!("CARGO_BIN_EXE_wilco"));
        let output = wilco.args(["nudge-test", agent, "--url", &server.url]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(typed("bob"), (Some(0), "bob was nudged by command.\n".to_owned()));
    std::fs::remove_file(directory.path().join("tell")).unwrap();
    let (code, said) = typed("bob");
    assert!(code == Some(1) && said.starts_with("bob was not nudged by command: cannot start"), "{said}");
}

#[test]
fn msg_21_a_nudge_that_cannot_work_is_refused_with_its_field() {
    let server = Server::start();
    for (nudge, field) in [
        (json!({"kind": "pigeon"}), "/nudge/kind"),
        (json!({}), "/nudge/kind"),
        (json!({"kind": "webhook"}), "/nudge/url"),
        (json!({"kind": "webhook", "url": "http://x/"}), "/nudge/kind"),
        (json!({"kind": "webhook", "url": "http://x/", "secret": "s"}), "/nudge/secret"),
        (json!({"kind": "command"}), "/nudge/command"),
        (json!({"kind": "command", "command": "bell"}), "/nudge/command"),
        (json!({"kind": "tmux", "target": "-t"}), "/nudge/target"),
    ] {
        let (status, problem) = server.put("/v1/agents/bob", &json!({"nudge": nudge}));
        assert_eq!((status, server::pointers(&problem)), (422, vec![field]), "{nudge} {problem}");
        let (status, body) = server.post("/api/agents", &json!({"name": "bob", "nudge": nudge}));
        assert_eq!((status, &body["field"]), (400, &json!(field[1..].replace('/', "."))), "{body}");
    }
    server.register(&["bob"]);
    let (status, problem) = server.post("/v1/agents/bob/nudge", &json!({}));
    assert_eq!((status, server::pointers(&problem)), (422, vec!["/nudge"]));
    assert_eq!(server.post("/v1/agents/nobody/nudge", &json!({})).0, 404);
}

#[test]
fn msg_22_who_comes_back_is_told_again_of_what_it_has_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let (program, out) = teller(directory.path());
    let server = Setup::new().config(&format!("[nudge.commands]\nbell = \"{program}\"")).start();
    server.put("/v1/agents/bob", &json!({"nudge": {"kind": "command", "command": "bell"}}));
    let told = || std::fs::read_to_string(&out).unwrap_or_default().matches("inbox.unread").count();
    let settled = |times: usize| {
        until("it was told", || nudge_of(&server, "bob")["state"] == "idle" && told() == times);
    };
    let id = server.send(&text("ann", "bob", "one"))["message"]["id"].clone();
    settled(1);
    server.post("/v1/agents/bob/heartbeat", &json!({}));
    settled(2);
    server.post("/v1/agents/bob/heartbeat", &json!({}));
    server.advance("31m");
    assert_eq!(told(), 2, "it was there all the time");
    server.post("/v1/agents/bob/heartbeat", &json!({}));
    settled(3);
    server.post(&format!("/v1/messages/{}/read", id.as_str().unwrap()), &json!({}));
    server.advance("31m");
    server.post("/v1/agents/bob/heartbeat", &json!({}));
    server.advance("1s");
    assert_eq!(told(), 3, "nothing is unread");
    let (_, page) = server.as_agent("carl").get("/v1/agents/carl/inbox?wait=1ms&status=unread");
    assert_eq!(page["items"], json!([]));
    server.send(&text("ann", "carl", "hello"));
    let (_, page) = server.as_agent("carl").get("/v1/agents/carl/inbox?wait=30s&status=unread");
    assert_eq!(page["items"].as_array().unwrap().len(), 1, "the first poll has it");
}

#[test]
fn msg_31_an_escalation_reaches_a_person_by_webhook() {
    let (address, calls) = webhook(&["503 Busy", "200 Ok"]);
    let config =
        format!("[escalation]\nwebhook = \"http://{address}/pager\"\n[nudge]\nsecret = \"{SECRET}\"");
    let server = Setup::new().config(&config).start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-1"));
    server.advance("10m");
    let first = calls.recv_timeout(PATIENCE).unwrap();
    let again = calls.recv_timeout(PATIENCE).unwrap();
    assert!(again.head.starts_with("POST /pager "), "{}", again.head);
    assert_eq!(first.header("webhook-id"), again.header("webhook-id"));
    assert!(again.header("webhook-signature").starts_with("v1,"));
    let body: Value = serde_json::from_str(&again.body).unwrap();
    assert_eq!(
        (&body["type"], &body["data"]["reason"]),
        (&json!("escalation.opened"), &json!("no-acknowledgment"))
    );
    assert!(body["data"]["options"].is_array());
}

#[test]
fn sec_8_secrets_are_in_no_answer_error_or_list() {
    let server = with_webhooks("hooks.example", false);
    let shown = Command::new(env!("CARGO_BIN_EXE_wilco"))
        .args(["config", "show", "--config"])
        .arg(server.data.path().join("test-config.toml"))
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("nudge.secret") && !shown.contains(&SECRET[6..]), "{shown}");
    let (code, said) = Setup::new().config("[nudge]\nsecret = \"whsec_hunter2\"").run_to_end();
    assert!(code != Some(0) && said.contains("nudge.secret") && !said.contains("hunter2"), "{said}");
    let (code, said) = Setup::new().config("[nudge]\nsecret = 77777").run_to_end();
    assert!(code != Some(0) && said.contains("nudge.secret") && !said.contains("77777"), "{said}");
    let (_, said) = Setup::new().config("[escalation]\nwebhook = \"http://a/\"").run_to_end();
    assert!(said.contains("escalation.webhook") && said.contains("nudge.secret"), "{said}");
}

#[test]
fn op_15_an_agent_whose_nudges_all_fail_gets_one_more_reminder() {
    let tmux = Tmux::start("other");
    let server = Setup::new().environment("TMUX_TMPDIR", tmux.directory()).start();
    server.put("/v1/agents/bob", &json!({"session": "gone", "nudge": {"kind": "tmux"}}));
    server.register(&["chief", "carl"]);
    let notice = |to: &str| {
        let message = said(
            "chief",
            to,
            "pre-operation",
            json!({"operation": "restart", "message": "I will restart you"}),
        );
        server.send(&message)["exchange"]["id"].as_str().unwrap().to_owned()
    };
    let (bob, carl) = (notice("bob"), notice("carl"));
    server.advance("121s");
    assert_eq!(server.state(&carl), "authorized", "it could have answered");
    assert_eq!(server.state(&bob), "waiting", "it could not know");
    server.advance("30s");
    assert_eq!(server.state(&bob), "authorized");
}
