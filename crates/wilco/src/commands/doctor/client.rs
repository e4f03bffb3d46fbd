//! Is an agent's client connected: are the hooks installed and trusted, were they ever called, does MCP answer?

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wilco_clients::{AgentClient, Setup, planned, remove};
use wilco_protocol::Time;

use super::Exam;
use super::finding::Finding;
use crate::commands::hook::session::last_called;
use crate::commands::install::files;
use crate::output::age::ago;

/// Codex answers soon, or it is not asked any longer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn examine(exam: &mut Exam<'_>, client: AgentClient, answers: bool) -> anyhow::Result<()> {
    let title = client.title();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path).any(|folder| folder.join(client.program()).is_file());
    if !program {
        let text = format!("there is no program {} on the PATH of this shell", client.program());
        exam.found.push(Finding::note(title, text));
    }
    let install = format!("wilco install {}", client.word());
    let (project, user) = (standing(client, false)?, standing(client, true)?);
    for (where_, one) in [("in this directory", &project), ("for this user", &user)] {
        if one.missing.is_empty() {
            exam.found.push(Finding::fine(title, format!("is installed {where_}: {}", one.there.join(", "))));
        } else if !one.there.is_empty() {
            let text = format!("is installed only in part {where_}: missing in {}", one.missing.join(", "));
            exam.found.push(Finding::wrong(title, text).next(&install));
        }
    }
    if project.there.is_empty() && user.there.is_empty() {
        let text = "not installed, neither in this directory nor for this user";
        exam.found.push(Finding::wrong(title, text).next(&install));
        return Ok(());
    }
    match client {
        AgentClient::Codex if program => exam.found.push(codex_trust()),
        AgentClient::Gemini if !project.there.is_empty() => exam.found.push(gemini_trust()),
        AgentClient::Codex
        | AgentClient::Gemini
        | AgentClient::ClaudeCode
        | AgentClient::Qwen
        | AgentClient::Opencode => {}
    }
    exam.found.push(calls(client, exam.now));
    if answers {
        exam.found.push(mcp(exam));
    }
    Ok(())
}

/// Which files of a client hold Wilco's part.
struct Standing {
    there: Vec<String>,
    missing: Vec<String>,
}

fn standing(client: AgentClient, is_user: bool) -> anyhow::Result<Standing> {
    let base = files::base(client, is_user)?;
    let mut standing = Standing { there: Vec::new(), missing: Vec::new() };
    for file in planned(client, &Setup::default(), is_user) {
        let path = files::place(client, &base, file.path, is_user);
        let text = std::fs::read_to_string(&path).ok();
        let holds = text.is_some()
            && remove(&file.edit, text.as_deref()).is_ok_and(|without| without.as_deref() != text.as_deref());
        let shown = if is_user { path.display().to_string() } else { file.path.to_owned() };
        if holds { standing.there.push(shown) } else { standing.missing.push(shown) }
    }
    Ok(standing)
}

fn calls(client: AgentClient, now: Time) -> Finding {
    let title = client.title();
    let since = |at: std::time::SystemTime| at.duration_since(std::time::UNIX_EPOCH).ok();
    match last_called(client.word()).and_then(since) {
        Some(at) => {
            let at = Time::from_millis(at.as_millis().try_into().unwrap_or_default());
            Finding::fine(title, format!("hooks were called, last {}", ago(now, &at.to_string())))
        }
        None => {
            let text = "hooks were never called";
            let next = format!("start {} here and say something to it", client.program());
            Finding::wrong(title, text).next(next)
        }
    }
}

/// What Codex itself says of Wilco's hooks. Nothing is changed.
fn codex_trust() -> Finding {
    let next = "start codex; at \"Hooks need review\" choose \"Review hooks\" or \"Trust all and continue\"";
    let directory = std::env::current_dir().unwrap_or_default();
    let asks = [
        json!({"id": 1, "method": "initialize",
            "params": {"clientInfo": {"name": "wilco", "version": env!("CARGO_PKG_VERSION")}}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [directory]}}),
    ];
    let Some(answer) = asked(Command::new("codex").arg("app-server"), &asks, 2) else {
        return Finding::note("Codex", "does not say whether its hooks are trusted").next(next);
    };
    let mut words = Vec::new();
    trust_of(&answer, &mut words);
    let untrusted = words.iter().filter(|word| !matches!(word.as_str(), "trusted" | "managed")).count();
    match (words.len(), untrusted) {
        (0, _) => {
            Finding::wrong("Codex", "does not know the hooks: it reads .codex only in a trusted project")
                .next("start codex in this directory and trust it")
        }
        (all, 0) => Finding::fine("Codex", format!("{all} hooks are trusted")),
        (all, some) => {
            let text = format!("{some} of {all} hooks are not trusted, so Codex does not run them");
            Finding::wrong("Codex", text).next(next)
        }
    }
}

/// The trust of every hook of Wilco's, wherever it stands in the answer.
fn trust_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_ours =
                fields.get("command").and_then(Value::as_str).is_some_and(|it| it.starts_with("wilco hook "));
            match fields.get("trustStatus").and_then(Value::as_str).filter(|_| is_ours) {
                Some(word) => found.push(word.to_owned()),
                None => fields.values().for_each(|inner| trust_of(inner, found)),
            }
        }
        Value::Array(items) => items.iter().for_each(|inner| trust_of(inner, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn gemini_trust() -> Finding {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from).unwrap_or_default();
    let text = std::fs::read_to_string(home.join(".gemini/trustedFolders.json")).unwrap_or_default();
    let folders: Value = serde_json::from_str(&text).unwrap_or_default();
    let directory = std::env::current_dir().unwrap_or_default();
    let word = |folder: &std::path::Path| folders[folder.to_str()?].as_str().map(str::to_owned);
    let own = word(&directory).is_some_and(|word| word == "TRUST_FOLDER" || word == "TRUST_PARENT");
    let above =
        directory.ancestors().skip(1).any(|folder| word(folder).is_some_and(|word| word == "TRUST_FOLDER"));
    match own || above {
        true => Finding::fine("Gemini CLI", "trusts this folder"),
        false => Finding::wrong("Gemini CLI", "does not trust this folder, so it runs no hook of it")
            .next("start gemini here and run /permissions"),
    }
}

/// Asks as a client does: through `wilco mcp`, which asks the server.
fn mcp(exam: &Exam<'_>) -> Finding {
    let program = std::env::current_exe().unwrap_or_else(|_| "wilco".into());
    let mut command = Command::new(program);
    command.args(["mcp", "--tools", "agent", "--url", exam.client.url()]);
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "wilco doctor", "version": env!("CARGO_PKG_VERSION")}});
    let call = json!({"name": "list_exchanges", "arguments": {"limit": 1}});
    let asks = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    match asked(&mut command, &asks, 2) {
        Some(answer) if answer["result"]["isError"] == false => Finding::fine("MCP", "answers"),
        Some(answer) => {
            let why = answer["result"]["content"][0]["text"].as_str().unwrap_or("it refused").to_owned();
            Finding::wrong("MCP", why).next("wilco help environment")
        }
        None => Finding::wrong("MCP", "does not answer").next("wilco mcp --help"),
    }
}

/// The answer of a program that speaks JSON in lines, if it comes in time. The program is ended.
fn asked(command: &mut Command, asks: &[Value], wanted: u64) -> Option<Value> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let (mut input, output) = (child.stdin.take()?, child.stdout.take()?);
    let (lines, said) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    let until = Instant::now() + PATIENCE;
    let answer_to = |id: u64| {
        while let Ok(line) = said.recv_timeout(until.saturating_duration_since(Instant::now())) {
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            if answer["id"] == id && answer.get("method").is_none() {
                return Some(answer);
            }
        }
        None
    };
    let mut answer = None;
    for ask in asks {
        // Each waits for the one before it: some servers take nothing before their greeting is over.
        if writeln!(input, "{ask}").and_then(|()| input.flush()).is_err() {
            break;
        }
        if let Some(id) = ask["id"].as_u64() {
            answer = answer_to(id);
            if answer.is_none() {
                break;
            }
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    answer.filter(|answer| answer["id"] == wanted)
}
