//! The calls there are, typed.

use std::time::Duration;

use wilco_wire::{
    Advance, Agent, AgentSpec, Clock, DelegationRow, Escalation, Event, Exchange, HookCall, Incident,
    JudgementRow, Message, Node, Nudge, NudgeTest, OperationRow, Page, Posted, Ready, Replacements, TodoList,
    ValidationRow, Verified, segment,
};

use crate::answer::Answer;
use crate::error::Error;
use crate::key::IdempotencyKey;
use crate::outgoing::Outgoing;
use crate::transport::{Client, Query};

/// Which part of an inbox.
#[derive(Debug, Clone, Default)]
pub struct InboxParameters {
    pub status: Option<String>,
    pub after: Option<String>,
    pub limit: Option<u32>,
    /// How long to wait when there is nothing yet.
    pub wait: Option<Duration>,
}

/// Which messages.
#[derive(Debug, Clone, Default)]
pub struct MessageQuery {
    pub q: Option<String>,
    /// Who sent or got it.
    pub agent: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub kind: Option<String>,
    pub after: Option<String>,
    pub limit: Option<u32>,
}

/// Which exchanges.
#[derive(Debug, Clone, Default)]
pub struct ExchangeParameters {
    pub protocol: Option<String>,
    pub state: Option<String>,
    pub open: Option<bool>,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub q: Option<String>,
    pub after: Option<String>,
    pub limit: Option<u32>,
}

type Result<T> = std::result::Result<Answer<T>, Error>;

impl Client {
    pub fn send(&self, message: &Outgoing, key: &IdempotencyKey) -> Result<Posted> {
        self.post_once("/v1/messages", message, key)
    }

    pub fn message(&self, id: &str) -> Result<Message> {
        self.get(&format!("/v1/messages/{}", segment(id)), Vec::new())
    }

    /// Messages by what they are about, newest first.
    pub fn messages(&self, query: &MessageQuery) -> Result<Page<Message>> {
        let mut pairs = paging(&query.after, query.limit);
        let texts = [
            ("q", &query.q),
            ("agent", &query.agent),
            ("from", &query.from),
            ("to", &query.to),
            ("type", &query.kind),
        ];
        pairs.extend(texts.into_iter().filter_map(|(key, text)| Some((key, text.clone()?))));
        self.get("/v1/messages", pairs)
    }

    /// Whether the server is there, and can read its store.
    pub fn ready(&self) -> Result<Ready> {
        self.get("/readyz", Vec::new())
    }

    pub fn mark_read(&self, id: &str) -> std::result::Result<(), Error> {
        self.post_empty(&format!("/v1/messages/{}/read", segment(id)))
    }

    /// It entered the agent's context.
    pub fn mark_injected(&self, id: &str) -> std::result::Result<(), Error> {
        self.post_empty(&format!("/v1/messages/{}/injected", segment(id)))
    }

    pub fn inbox(&self, agent: &str, query: &InboxParameters) -> Result<Page<Message>> {
        let mut pairs = paging(&query.after, query.limit);
        pairs.extend(query.status.clone().map(|status| ("status", status)));
        pairs.extend(query.wait.map(|wait| ("wait", format!("{}ms", wait.as_millis()))));
        let path = format!("/v1/agents/{}/inbox", segment(agent));
        self.get_within(&path, pairs, query.wait.unwrap_or_default())
    }

    /// What waits for an agent.
    pub fn todo(&self, agent: &str) -> Result<TodoList> {
        self.get(&format!("/v1/agents/{}/todo", segment(agent)), Vec::new())
    }

    /// The nodes of the server's realm; none where it is alone on a data directory.
    pub fn nodes(&self) -> Result<Page<Node>> {
        self.get("/v1/nodes", Vec::new())
    }

    pub fn nudges(&self) -> Result<Page<Nudge>> {
        self.get("/v1/nudges", Vec::new())
    }

    /// Nudges an agent once, to see whether it works.
    pub fn nudge_test(&self, agent: &str) -> Result<NudgeTest> {
        // Typing into a pane or calling somebody takes its time.
        self.post(&format!("/v1/agents/{}/nudge", segment(agent)), &serde_json::json!({}))
    }

    pub fn agents(&self) -> Result<Page<Agent>> {
        self.get("/v1/agents", Vec::new())
    }

    pub fn agent(&self, name: &str) -> Result<Agent> {
        self.get(&format!("/v1/agents/{}", segment(name)), Vec::new())
    }

    pub fn register(&self, name: &str, spec: &AgentSpec) -> Result<Agent> {
        self.put(&format!("/v1/agents/{}", segment(name)), spec)
    }

    /// Says what a hook saw; answers with the agent.
    pub fn hook(&self, name: &str, call: &HookCall) -> Result<Agent> {
        self.post(&format!("/v1/agents/{}/hook", segment(name)), call)
    }

    pub fn remove(&self, name: &str) -> std::result::Result<(), Error> {
        self.delete(&format!("/v1/agents/{}", segment(name)))
    }

    pub fn exchanges(&self, query: &ExchangeParameters) -> Result<Page<Exchange>> {
        let mut pairs = paging(&query.after, query.limit);
        let texts = [
            ("protocol", &query.protocol),
            ("state", &query.state),
            ("agent", &query.agent),
            ("task", &query.task),
            ("q", &query.q),
        ];
        pairs.extend(texts.into_iter().filter_map(|(key, text)| Some((key, text.clone()?))));
        pairs.extend(query.open.map(|open| ("open", open.to_string())));
        self.get("/v1/exchanges", pairs)
    }

    pub fn exchange(&self, id: &str) -> Result<Exchange> {
        self.get(&format!("/v1/exchanges/{}", segment(id)), Vec::new())
    }

    /// The log or a diagram of an exchange: `log.md`, `diagram.svg`, `diagram.mmd`, `diagram.txt`.
    pub fn drawn(&self, id: &str, file: &str, width: Option<usize>) -> std::result::Result<String, Error> {
        let query = width.map(|width| ("width", width.to_string())).into_iter().collect();
        self.get_text(&format!("/v1/exchanges/{}/{file}", segment(id)), query)
    }

    /// Events of an exchange behind `after`.
    pub fn events_of(&self, id: &str, after: Option<&str>) -> Result<Page<Event>> {
        let pairs = paging(&after.map(str::to_owned), Some(1000));
        self.get(&format!("/v1/exchanges/{}/events", segment(id)), pairs)
    }

    /// Events of the journal behind `after`; waits for one when there is none yet.
    pub fn events(&self, after: &str, wait: Duration) -> Result<Page<Event>> {
        let mut pairs = paging(&Some(after.to_owned()), Some(1000));
        pairs.push(("wait", format!("{}ms", wait.as_millis())));
        self.get_within("/v1/events", pairs, wait)
    }

    pub fn escalations(&self, open: Option<bool>) -> Result<Page<Escalation>> {
        self.get("/v1/escalations", open.map(|open| ("open", open.to_string())).into_iter().collect())
    }

    pub fn incidents(&self) -> Result<Page<Incident>> {
        self.get("/v1/reports/incidents", Vec::new())
    }

    pub fn delegations(&self) -> Result<Page<DelegationRow>> {
        self.get("/v1/reports/delegations", Vec::new())
    }

    pub fn judgements(&self) -> Result<Page<JudgementRow>> {
        self.get("/v1/reports/judge", vec![("limit", "1000".to_owned())])
    }

    pub fn operations(&self) -> Result<Page<OperationRow>> {
        self.get("/v1/reports/operations", Vec::new())
    }

    pub fn replacements(&self) -> Result<Replacements> {
        self.get("/v1/reports/replacements", Vec::new())
    }

    pub fn validations(&self) -> Result<Page<ValidationRow>> {
        self.get("/v1/reports/validations", Vec::new())
    }

    /// A report as text: `md`, `json` or `jsonl`.
    pub fn report(&self, name: &str, format: &str) -> std::result::Result<String, Error> {
        self.get_text(&format!("/v1/reports/{name}"), vec![("format", format.to_owned())])
    }

    /// The journal between two times or positions, in lines.
    pub fn audit(
        &self,
        from: Option<String>,
        to: Option<String>,
        format: String,
    ) -> std::result::Result<String, Error> {
        let mut pairs = vec![("format", format)];
        pairs.extend(from.map(|from| ("from", from)));
        pairs.extend(to.map(|to| ("to", to)));
        self.get_text("/v1/audit", pairs)
    }

    pub fn verify(&self) -> Result<Verified> {
        // Reads the whole journal, which may be long.
        self.get_within("/v1/audit/verify", Vec::new(), Duration::from_secs(600))
    }

    /// Moves the test clock.
    pub fn advance(&self, by: &str) -> Result<Clock> {
        self.post("/v1/test/clock", &Advance { advance: by.to_owned() })
    }
}

fn paging<'a>(after: &Option<String>, limit: Option<u32>) -> Query<'a> {
    let after = after.clone().map(|after| ("after", after));
    let limit = limit.map(|limit| ("limit", limit.to_string()));
    after.into_iter().chain(limit).collect()
}
