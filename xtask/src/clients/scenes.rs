//! What is played with each client, in order: each scene goes on with what the one before left.

use std::time::Duration;

use serde_json::{Value, json};
use wilco_testkit::model_server::Turn;

use super::checks::{Check, Seen, Tmux};
use super::program::run;
use super::world::{LONGEST, World};

const UNDERSTANDING: &str = "I add a login page; wrong passwords are refused";
/// What is sent: while a tool runs, before a prompt, while nothing runs, and to somebody with a token.
const MEANWHILE: &str = "The colour changed to green.";
const BEFORE: &str = "The logo changed too.";
const IDLE: &str = "Are you still there, bob?";
const SECRET: &str = "Only for bob.";
/// A turn of a client may be so much longer when its hooks find no server.
const MOST_SLOWED: Duration = Duration::from_millis(300);
/// A wake has failed when no hook took it within a minute.
const WAKE: Duration = Duration::from_secs(60);

impl World {
    pub(super) fn play(mut self, shows: bool) -> anyhow::Result<Vec<Check>> {
        let mut checks = self.task(shows)?;
        checks.push(self.over_mcp_by_http()?);
        checks.extend(self.idle(shows)?);
        checks.push(self.by_prompt()?);
        checks.extend(self.with_token()?);
        checks.extend(self.down()?);
        Ok(checks)
    }

    /// A task from its arrival to its end.
    fn task(&mut self, shows: bool) -> anyhow::Result<Vec<Check>> {
        self.delegate("GH-1")?;
        let (wilco, url) = (World::program(), &self.url);
        let wilco = wilco.display();
        let meanwhile = format!(
            "{wilco} read --as bob --url {url}; {wilco} send bob '{MEANWHILE}' --as anna --url {url}"
        );
        self.model.play([
            Turn::Shell(meanwhile),
            Turn::Say("I looked at it.".to_owned()),
            acknowledge("GH-1"),
            Turn::Wilco(
                "checkpoint",
                json!({"task_id": "GH-1", "checkpoint": 1, "summary": "The form is there"}),
            ),
            Turn::Wilco("complete_task", json!({"task_id": "GH-1"})),
            Turn::Say("It is done.".to_owned()),
        ]);
        let well = match self.client {
            // Its one-shot mode ends with the turn, whatever is owed.
            "opencode" => {
                self.in_terminal("hello", |_| self.state("GH-1").is_ok_and(|state| state == "completed"))?
            }
            _ => self.prompt("hello")?.success,
        };
        let seen = Seen::of(&self.model.requests());
        if shows {
            println!("{}", seen.about_wilco());
        }
        let journal = self.output(&["audit", "export", "--as", "operator"])?;
        let noted = |event: &str| journal.contains(&format!("\"type\":\"{event}\""));
        let tool = "Call the tool acknowledge_task of the MCP server wilco with";
        Ok(vec![
            Check::that("the turn ends well", well),
            Check::that(
                "a task arrives when the session begins, fenced",
                seen.is_fenced("wrong passwords are refused"),
            ),
            Check::that(
                "with how to answer it, by tool and by command",
                seen.outside(tool) && seen.outside("wilco ack GH-1 received --as bob"),
            ),
            Check::that("what comes while a tool runs arrives after it, fenced", seen.is_fenced(MEANWHILE)),
            Check::that(
                "the stop is held up for what is owed, with a command that runs",
                seen.outside("before you stop") && seen.runs("wilco ack GH-1 received --as bob"),
            ),
            Check::that(
                "the model acknowledges, reports and completes it through MCP",
                self.state("GH-1")? == "completed",
            ),
            Check::that(
                "the server shows that it was injected, read, acknowledged and completed",
                ["message-injected", "message-read", "acknowledged", "ended"].into_iter().all(noted),
            ),
        ])
    }

    /// A prompt in a terminal, until what is wanted has come.
    fn in_terminal(&self, words: &str, wanted: impl Fn(&Seen) -> bool) -> anyhow::Result<bool> {
        let tmux = Tmux::start(&self.folder)?;
        tmux.begin(&self.interactive(), &self.environment())?;
        tmux.type_when_ready(words)?;
        let came = self.until(LONGEST, wanted);
        if !came {
            println!("{}", tmux.shown());
        }
        Ok(came && tmux.is_still())
    }

    fn state(&self, task: &str) -> anyhow::Result<Value> {
        Ok(self.json(&["show", task, "--as", "anna", "--json"])?["state"].clone())
    }

    fn over_mcp_by_http(&mut self) -> anyhow::Result<Check> {
        let changed = self.over_http()?;
        let words = "By HTTP too.";
        self.model.play([
            Turn::Wilco("send_message", json!({"to": "anna", "message": words})),
            Turn::Say("It is sent.".to_owned()),
        ]);
        let ended = self.prompt("tell anna")?;
        drop(changed);
        let arrived = self.output(&["search", "--to", "anna", "--as", "anna", "--json"])?.contains(words);
        Ok(Check::that("its MCP works over HTTP too", ended.success && arrived))
    }

    /// An idle session is woken by what comes.
    fn idle(&mut self, shows: bool) -> anyhow::Result<Vec<Check>> {
        self.model.play([Turn::Say("I am here.".to_owned())]);
        let tmux = Tmux::start(&self.folder)?;
        tmux.begin(&self.interactive(), &self.environment())?;
        tmux.type_when_ready("hello")?;
        let begun = self.until(LONGEST, |seen| seen.turns >= 1) && tmux.is_still();
        self.wilco(&["send", "bob", IDLE, "--as", "anna"])?;
        let woken = begun && self.until(WAKE, |seen| seen.is_fenced(IDLE));
        if shows {
            println!("{}", Seen::of(&self.model.requests()).about_wilco());
        }
        if !woken {
            println!("{}\n{}", tmux.shown(), self.output(&["nudges"])?);
        }
        self.tidy_up();
        let journal = self.output(&["audit", "export", "--as", "operator"])?;
        let id = self.json(&["search", IDLE, "--to", "bob", "--json"])?["items"][0]["id"].clone();
        let injected = journal
            .lines()
            .any(|line| line.contains("\"type\":\"message-injected\"") && line.contains(&id.to_string()));
        Ok(vec![
            Check::that("an idle session is woken and told, fenced", woken),
            Check::that("and the server shows that it was injected", injected),
        ])
    }

    /// Codex leaves a daemon behind, which it ends itself when it is asked.
    fn tidy_up(&self) {
        if self.client == "codex" {
            let mut stop = self.started();
            let _ = run(stop.args(["app-server", "daemon", "stop"]), Duration::from_secs(10));
        }
    }

    /// Without the hook of a session's beginning that of the prompt tells everything.
    fn by_prompt(&mut self) -> anyhow::Result<Check> {
        let changed = self.only_prompts()?;
        self.wilco(&["send", "bob", BEFORE, "--as", "anna"])?;
        self.model.play([Turn::Say("I see.".to_owned())]);
        let ended = self.prompt("hello")?;
        let seen = Seen::of(&self.model.requests());
        drop(changed);
        Ok(Check::that("a message arrives with a prompt, fenced", ended.success && seen.is_fenced(BEFORE)))
    }

    /// Where every call needs a token, the client has that of its agent in its environment.
    fn with_token(&mut self) -> anyhow::Result<Vec<Check>> {
        self.require_tokens()?;
        self.delegate("GH-2")?;
        self.wilco(&["send", "bob", SECRET, "--as", "anna"])?;
        self.model.play([acknowledge("GH-2"), Turn::Say("It is mine.".to_owned())]);
        let ended = self.prompt("hello")?;
        let seen = Seen::of(&self.model.requests());
        let state = self.state("GH-2")?;
        let own = self.token.replace("wlc_nobody".to_owned());
        self.wilco(&["send", "bob", MEANWHILE, "--as", "anna"])?;
        self.model.play([Turn::Say("Nothing.".to_owned())]);
        let refused = self.prompt("hello")?;
        let silent = Seen::of(&self.model.requests()).about_wilco().is_empty();
        self.token = own;
        Ok(vec![
            Check::that(
                "with a token it is told, and answers through MCP",
                ended.success && seen.is_fenced(SECRET) && state == "working",
            ),
            Check::that("with a wrong one nothing is said", refused.success && silent),
        ])
    }

    /// Without a server nothing is disturbed, and all hooks of a turn together take no time that anybody notices.
    fn down(&mut self) -> anyhow::Result<Vec<Check>> {
        self.stop_server();
        self.time_hooks()?;
        self.model.play([Turn::Shell("echo OK".to_owned()), Turn::Say("It is done.".to_owned())]);
        let ended = self.prompt("hello again")?;
        let silent = Seen::of(&self.model.requests()).about_wilco().is_empty();
        let took = self.hooks_took()?;
        let sum: Duration = took.iter().sum();
        println!("  ({}: without a server {} hooks of a turn took {sum:.0?})", self.client, took.len());
        Ok(vec![
            Check::that(
                "without a server the turn ends as ever, and nothing is said",
                ended.success && silent,
            ),
            Check::that("and is not slowed by more than 300 ms", took.len() >= 3 && sum <= MOST_SLOWED),
        ])
    }

    fn delegate(&self, task: &str) -> anyhow::Result<()> {
        let criterion = ["--criterion", "wrong passwords are refused"];
        let words = ["delegate", "bob", "--as", "anna", "--task", task, "--title", "Add a login page"];
        self.wilco(&[&words[..], &criterion[..]].concat())
    }
}

fn acknowledge(task: &str) -> Turn {
    Turn::Wilco(
        "acknowledge_task",
        json!({"task_id": task, "status": "received", "understanding": UNDERSTANDING}),
    )
}
