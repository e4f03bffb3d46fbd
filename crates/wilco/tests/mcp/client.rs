//! A client of the protocol, as small as it can be.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::server::{PATIENCE, Server};

pub(crate) const NEWEST: &str = "2026-07-28";
pub(crate) const OLDER: &str = "2025-11-25";

/// How a client comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The newest revision: every request stands alone.
    Stateless,
    /// An older one: a session that begins with `initialize`.
    Session,
    /// `wilco mcp`.
    Stdio,
}

impl Way {
    pub(crate) const ALL: [Way; 3] = [Way::Stateless, Way::Session, Way::Stdio];
}

pub(crate) struct Client {
    line: Line,
    asked: u64,
    /// What the server answered to `initialize`.
    pub(crate) greeting: Value,
}

enum Line {
    Http { agent: ureq::Agent, url: String, headers: Vec<(String, String)>, session: Option<String> },
    Program { child: Child, input: ChildStdin, output: Lines<BufReader<ChildStdout>>, told: Vec<Value> },
}

impl Client {
    /// A client of this agent, on a server that believes it.
    pub(crate) fn new(server: &Server, way: Way, name: &str) -> Client {
        match way {
            Way::Stateless => Client::http(server, &[("Wilco-Agent", name)]),
            Way::Session => Client::session(server, &[("Wilco-Agent", name)]),
            Way::Stdio => Client::program(server, &["--as", name], &[]),
        }
    }

    /// The newest revision, with these headers.
    pub(crate) fn http(server: &Server, headers: &[(&str, &str)]) -> Client {
        let config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build();
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let line = Line::Http { agent: config.into(), url: server.url.clone(), headers, session: None };
        Client { line, asked: 0, greeting: Value::Null }
    }

    /// A session of an older revision.
    pub(crate) fn session(server: &Server, headers: &[(&str, &str)]) -> Client {
        let mut client = Client::http(server, headers);
        if let Line::Http { session, .. } = &mut client.line {
            *session = Some(String::new());
        }
        client.greet();
        client
    }

    pub(crate) fn program(server: &Server, options: &[&str], environment: &[(&str, &str)]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wilco"));
        for name in ["WILCO_AGENT", "WILCO_TOKEN", "AI_MAESTRO_AGENT_ID", "TMUX"] {
            command.env_remove(name);
        }
        command.arg("mcp").args(options).env("WILCO_URL", &server.url);
        command.env("XDG_CONFIG_HOME", server.data.path()).env("HOME", server.data.path());
        command.envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = Line::Program { child, input, output, told: Vec::new() };
        let mut client = Client { line, asked: 0, greeting: Value::Null };
        client.greet();
        client
    }

    fn greet(&mut self) {
        let hello = json!({
            "protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
        });
        self.greeting = self.ask("initialize", hello).unwrap();
        self.tell("notifications/initialized");
    }

    fn tell(&mut self, method: &str) {
        let note = json!({"jsonrpc": "2.0", "method": method});
        match &mut self.line {
            Line::Http { .. } => {
                self.post(&note);
            }
            Line::Program { input, .. } => writeln!(input, "{note}").unwrap(),
        }
    }

    /// Asks, and returns the result or the error.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Result<Value, Value> {
        self.asked += 1;
        if matches!(self.line, Line::Http { session: None, .. }) {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEWEST,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        let answer = match &mut self.line {
            Line::Http { .. } => self.post(&request).1,
            Line::Program { input, .. } => {
                writeln!(input, "{request}").unwrap();
                self.next_answer()
            }
        };
        assert_eq!(answer["id"], self.asked, "{request} got {answer}");
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"].clone()),
        }
    }

    /// The next answer; what the server tells unasked is kept.
    fn next_answer(&mut self) -> Value {
        let Line::Program { output, told, .. } = &mut self.line else { panic!("only a program has lines") };
        loop {
            let line = output.next().expect("it has ended").unwrap();
            let said: Value = serde_json::from_str(&line).unwrap();
            if said.get("id").is_some() {
                return said;
            }
            told.push(said);
        }
    }

    /// The next thing that the program tells unasked.
    pub(crate) fn next_told(&mut self) -> Value {
        let Line::Program { output, told, .. } = &mut self.line else { panic!("only a program has lines") };
        if !told.is_empty() {
            return told.remove(0);
        }
        serde_json::from_str(&output.next().expect("it has ended").unwrap()).unwrap()
    }

    /// Sends a message over HTTP: the status, and what came back.
    pub(crate) fn post(&mut self, message: &Value) -> (u16, Value) {
        let Line::Http { agent, url, headers, session } = &mut self.line else { panic!("not over HTTP") };
        let mut request = agent.post(format!("{url}/mcp")).header("Content-Type", "application/json");
        request = request.header("Accept", "application/json, text/event-stream");
        for (name, value) in headers.iter() {
            request = request.header(name, value);
        }
        match session {
            Some(id) if !id.is_empty() => {
                request = request.header("Mcp-Session-Id", id.as_str()).header("MCP-Protocol-Version", OLDER);
            }
            Some(_) => {}
            None => {
                let method = message["method"].as_str().unwrap_or_default();
                request = request.header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", method);
                let params = &message["params"];
                if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                    request = request.header("Mcp-Name", name);
                }
            }
        }
        let mut response = request.send(message.to_string()).unwrap();
        if let (Some(given), Some(id)) = (response.headers().get("mcp-session-id"), session) {
            *id = given.to_str().unwrap().to_owned();
        }
        let (status, text) = (response.status().as_u16(), response.body_mut().read_to_string().unwrap());
        (status, read(&text))
    }

    /// The id of the session.
    pub(crate) fn id(&self) -> String {
        match &self.line {
            Line::Http { session: Some(id), .. } => id.clone(),
            Line::Http { .. } | Line::Program { .. } => panic!("there is no session"),
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).unwrap()
    }

    /// Calls a tool that must do its work; returns the server's answer.
    pub(crate) fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        assert!(!words(&result).is_empty());
        result["structuredContent"].clone()
    }

    /// Calls a tool that must refuse; returns what the model reads.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        words(&result).to_owned()
    }
}

/// What the model reads of a result.
pub(crate) fn words(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// A body: JSON, the last event of a stream, or nothing.
fn read(text: &str) -> Value {
    let event = || text.lines().rev().find_map(|line| line.strip_prefix("data: {"));
    match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => event().map_or(json!(text), |rest| serde_json::from_str(&format!("{{{rest}")).unwrap()),
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Line::Program { child, .. } = &mut self.line {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
