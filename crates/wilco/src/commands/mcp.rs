//! `wilco mcp`: an agent's client starts it and speaks the Model Context Protocol with it.

use std::process::ExitCode;

use http::request::Parts;
use serde_json::Value;
use wilco_client::{Client, Error};
use wilco_protocol::directory::Interface;
use wilco_server::mcp::{Native, NativeRequest, ToolSet, stdio};
use wilco_wire::Problem;

use crate::caller::Caller;
use crate::values::expected;

/// Speak MCP on stdin and stdout, for an agent's client
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco mcp --as bob\n  \
    WILCO_AGENT=bob wilco mcp\n\n\
    A client starts it by itself. In a file .mcp.json:\n  \
    {\"mcpServers\": {\"wilco\": {\"command\": \"wilco\", \"args\": [\"mcp\", \"--as\", \"bob\"]}}}\n\n\
    A server must run; clients that speak HTTP use its address with /mcp instead.")]
pub(crate) struct Args {
    /// Act as this agent; else WILCO_AGENT, AI_MAESTRO_AGENT_ID or the tmux session says who
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The server; else WILCO_URL, else http://127.0.0.1:23000
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// agent: only what an agent needs who works for others; all: every tool
    #[arg(long, value_name = "SET", default_value = "all", value_parser = tool_set)]
    pub(crate) tools: ToolSet,
}

fn tool_set(word: &str) -> Result<ToolSet, String> {
    ToolSet::from_word(word).ok_or_else(|| expected(word, &ToolSet::WORDS))
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let caller = Caller { name: args.name, url: args.url, json: false, new: true };
    let far = Far { client: caller.client().speaking(Interface::Mcp.word()), name: caller.identity() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(stdio(far, env!("CARGO_PKG_VERSION"), args.tools));
    // A call that is still on its way is nobody's business any more.
    runtime.shutdown_background();
    served.map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}

/// A server that is reached over HTTP.
#[derive(Debug, Clone)]
struct Far {
    client: Client,
    name: Option<String>,
}

impl Native for Far {
    fn for_caller(&self, _: Option<&Parts>) -> Far {
        self.clone()
    }

    fn me(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn is_allowed(&self) -> bool {
        // The server refuses the next call when it is not.
        true
    }

    fn position(&self) -> Option<u64> {
        None
    }

    async fn ask(&self, request: NativeRequest) -> Result<Value, Box<Problem>> {
        let client = self.client.clone();
        let called = tokio::task::spawn_blocking(move || {
            client.ask(&request.target, request.body.as_ref(), request.wait)
        });
        match called.await {
            Ok(Ok(text)) => Ok(serde_json::from_str(&text).unwrap_or(Value::String(text))),
            Ok(Err(Error::Problem { problem, .. })) => Err(problem),
            Ok(Err(error)) => Err(unreachable(error.to_string())),
            Err(error) => Err(unreachable(error.to_string())),
        }
    }
}

fn unreachable(detail: String) -> Box<Problem> {
    Box::new(Problem {
        kind: "tag:wilco,2026:unreachable".to_owned(),
        title: "Service Unavailable".to_owned(),
        status: 503,
        detail,
        errors: Vec::new(),
        exchange: None,
    })
}
