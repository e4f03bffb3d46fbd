//! A model on this machine for agents' clients: it says what a script says, in the format that it is asked in, and
//! remembers every request. Formats: Responses, Chat Completions, Gemini and Anthropic.

mod format;
mod http;

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use format::Format;

/// What the model does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    Say(String),
    /// Runs a line in a shell, with the tool that the client has for it.
    Shell(String),
    /// Calls a tool of the MCP server `wilco`.
    Wilco(&'static str, Value),
}

/// What a client asked.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub path: String,
    pub body: Value,
    /// The names of the tools that it offered.
    pub tools: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct ModelServer {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    turns: VecDeque<Turn>,
    requests: Vec<ModelRequest>,
}

impl ModelServer {
    /// A server that ends with the program.
    pub fn start() -> io::Result<ModelServer> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = ModelServer { address: listener.local_addr()?, state: Arc::default() };
        let own = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = own.clone();
                std::thread::spawn(move || http::serve(&stream, |path, body| server.answer(path, body)));
            }
        });
        Ok(server)
    }

    /// What it says from now on. When the script is over it says `END`.
    pub fn play(&self, turns: impl IntoIterator<Item = Turn>) {
        let mut state = self.state();
        state.turns = turns.into_iter().collect();
        state.requests.clear();
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state().requests.clone()
    }

    /// Held for a moment, never while something is sent.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kind of the answer and its body; none for what is no question to a model.
    fn answer(&self, path: &str, body: &Value) -> Option<(&'static str, String)> {
        let format = Format::of(path)?;
        let tools = format::offered(body);
        let turn = {
            let mut state = self.state();
            state.requests.push(ModelRequest {
                path: path.to_owned(),
                body: body.clone(),
                tools: tools.clone(),
            });
            // Titles, routes and summaries are asked for without tools, and are no turn.
            match tools.is_empty() {
                true => Turn::Say("SIDE".to_owned()),
                false => state.turns.pop_front().unwrap_or_else(|| Turn::Say("END".to_owned())),
            }
        };
        Some(format.said(path, body, &turn, &tools))
    }
}
