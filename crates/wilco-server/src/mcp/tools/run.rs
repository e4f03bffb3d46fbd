//! Carrying a plan out.

use std::time::Duration;

use rmcp::model::CallToolResult;
use serde_json::{Map, Value, json};
use wilco_wire::{FieldProblem, Problem, segment};

use super::{Plan, Say, Tool};
use crate::mcp::arguments::{Given, check};
use crate::mcp::find::{Named, find};
use crate::mcp::native::{Native, refusal};
use crate::mcp::outcome::{ToolOutcome, refused, result};
use crate::mcp::request::Request;

/// A server holds an inbox back no longer than this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Calls a tool. Whatever is wrong is said in the result, where the model sees it.
pub(crate) async fn run<S: Native>(server: &S, tool: &Tool, arguments: Map<String, Value>) -> CallToolResult {
    let errors = check(tool.fields, &arguments);
    if !errors.is_empty() {
        return refused(tool, invalid(errors));
    }
    match carry_out(server, (tool.plan)(Given::new(arguments))).await {
        Ok(outcome) => result(outcome),
        Err(problem) => refused(tool, problem),
    }
}

fn invalid(errors: Vec<FieldProblem>) -> Box<Problem> {
    let details: Vec<_> = errors.iter().map(|error| format!("{}: {}", error.pointer, error.detail)).collect();
    let mut problem = refusal(422, "validation", details.join("; "));
    problem.errors = errors;
    problem
}

async fn carry_out<S: Native>(server: &S, plan: Plan) -> Result<ToolOutcome, Box<Problem>> {
    match plan {
        Plan::Inbox { agent, query } => {
            let agent = agent.or_else(|| server.me().map(str::to_owned)).ok_or_else(unnamed)?;
            let request = Request::get(format!("/v1/agents/{}/inbox", segment(&agent)), &query);
            let page = server.ask(request.within(LONGEST_WAIT)).await?;
            Ok(ToolOutcome::Inbox { agent, page })
        }
        Plan::Todo { agent } => {
            let agent = agent.or_else(|| server.me().map(str::to_owned)).ok_or_else(unnamed)?;
            let list = server.ask(Request::get(format!("/v1/agents/{}/todo", segment(&agent)), &[])).await?;
            Ok(ToolOutcome::Todo { agent, list })
        }
        Plan::Read { id, keep_unread } => read(server, &id, keep_unread).await,
        Plan::List(request) => server.ask(request).await.map(ToolOutcome::Exchanges),
        Plan::Show { exchange } => {
            let found = find(server, None, &Named::Any(exchange)).await?;
            let path = format!("/v1/exchanges/{}", segment(&found.id));
            server.ask(Request::get(path, &[])).await.map(ToolOutcome::Exchange)
        }
        Plan::Send(message) => send(server, message).await,
        Plan::Say(say) => said(server, say).await,
        Plan::SayEach(all) => {
            let mut each = Vec::new();
            for (about, say) in all {
                each.push((about, posted(server, say).await));
            }
            Ok(ToolOutcome::Each(each))
        }
        Plan::Wrong(error) => Err(invalid(vec![error])),
    }
}

fn unnamed() -> Box<Problem> {
    let detail = "who are you? Name yourself in `agent`, or let your client send a token or the header Wilco-Agent, \
                  or start it as `wilco mcp --as NAME`";
    refusal(422, "validation", detail)
}

/// A message as its recipient sees it. Whoever looks at a message of others has no inbox to mark it in.
async fn read<S: Native>(server: &S, id: &str, keep_unread: bool) -> Result<ToolOutcome, Box<Problem>> {
    let path = format!("/v1/messages/{}", segment(id));
    let message = server.ask(Request::get(path.clone(), &[])).await?;
    if keep_unread || message["status"] != "unread" {
        return Ok(ToolOutcome::Message(message));
    }
    match server.ask(Request::post(format!("{path}/read"), json!({}))).await {
        Ok(_) => server.ask(Request::get(path, &[])).await.map(ToolOutcome::Message),
        Err(problem) if matches!(problem.status, 403 | 404) => Ok(ToolOutcome::Message(message)),
        Err(problem) => Err(problem),
    }
}

async fn send<S: Native>(server: &S, message: Map<String, Value>) -> Result<ToolOutcome, Box<Problem>> {
    post(server, message).await.map(ToolOutcome::Posted)
}

async fn post<S: Native>(server: &S, message: Map<String, Value>) -> Result<Value, Box<Problem>> {
    server.ask(Request::post("/v1/messages".to_owned(), Value::Object(message))).await
}

async fn said<S: Native>(server: &S, say: Say) -> Result<ToolOutcome, Box<Problem>> {
    posted(server, say).await.map(ToolOutcome::Posted)
}

/// The server's answer to what is said.
async fn posted<S: Native>(server: &S, say: Say) -> Result<Value, Box<Problem>> {
    let Say { from, named, content } = say;
    let me = from.clone().or_else(|| server.me().map(str::to_owned));
    let exchange = find(server, me.as_deref(), &named).await?;
    let content = content(&exchange, me.as_deref());
    let mut message = Map::new();
    message.extend(from.map(|from| ("from".to_owned(), Value::String(from))));
    message.insert("exchange".to_owned(), json!(exchange.id));
    message.insert("content".to_owned(), Value::Object(content));
    post(server, message).await
}
