//! Every key of the configuration in one place: its kind, its default, what it means.

use serde_json::{Value, json};
use wilco_language::parse::MAX_DEPTH;

pub(crate) struct Key {
    pub(crate) path: &'static str,
    pub(crate) kind: ValueKind,
    pub(crate) default: fn() -> Value,
    /// What it means: in the sample file and in `docs/configuration.md`.
    pub(crate) meaning: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    /// A text that is never shown.
    Secret,
    Flag,
    Whole,
    /// A list of texts.
    List,
    /// A program, or a list of it and its arguments.
    Program,
    /// The name of a variable; an error does not repeat what is none, because it may be a secret.
    Variable,
    /// A text such as `5m`, or a number of seconds.
    Span,
}

const fn key(path: &'static str, kind: ValueKind, default: fn() -> Value, meaning: &'static str) -> Key {
    Key { path, kind, default, meaning }
}

pub(crate) const KEYS: &[Key] = &[
    key("data", ValueKind::Text, || json!(""), "the data directory; by default in the user's data directory"),
    key(
        "auth",
        ValueKind::Text,
        || json!("local"),
        "\"local\": callers on this machine are believed; \"required\": every call needs a token",
    ),
    key(
        "authority.conversation",
        ValueKind::List,
        || json!(["agent", "orchestrator"]),
        "who may write to others: token roles and names of agents; operators always may",
    ),
    key(
        "authority.delegation",
        ValueKind::List,
        || json!(["agent", "orchestrator"]),
        "who may give tasks, likewise",
    ),
    key(
        "authority.operation",
        ValueKind::List,
        || json!(["orchestrator"]),
        "who may begin operations, likewise",
    ),
    key(
        "authority.handoff",
        ValueKind::List,
        || json!(["agent", "orchestrator"]),
        "who may hand over the tasks that it began; only for orchestrators and names the replaced agent becomes inactive",
    ),
    key(
        "authority.validation",
        ValueKind::List,
        || json!(["agent", "orchestrator"]),
        "who may begin validations, likewise; commands need more",
    ),
    key(
        "store.url",
        ValueKind::Secret,
        || json!(""),
        "postgres://USER@HOST/DATABASE, for several nodes; none: the data is in the data directory",
    ),
    key("store.schema", ValueKind::Text, || json!("wilco"), "the schema there that holds the data"),
    key(
        "store.ca_file",
        ValueKind::Text,
        || json!(""),
        "authorities in PEM that the database's certificate is of",
    ),
    key(
        "store.password_file",
        ValueKind::Text,
        || json!(""),
        "a file that holds the password and nothing else",
    ),
    key(
        "store.cluster_secret",
        ValueKind::Secret,
        || json!(""),
        "what nodes prove their calls to each other with, at least 32 letters; none: made once, kept in the schema",
    ),
    key(
        "store.patience",
        ValueKind::Span,
        || json!("10s"),
        "how long a database or a writer that is not there is waited for",
    ),
    key(
        "store.lease",
        ValueKind::Span,
        || json!("6s"),
        "after so long without a sign of life another node writes",
    ),
    key("server.listen", ValueKind::Text, || json!("127.0.0.1:23000"), "the address to listen on"),
    key("server.url", ValueKind::Text, || json!(""), "the address that agents use, if it is another one"),
    key("server.hosts", ValueKind::List, || json!([]), "further Host headers to answer to, with their ports"),
    key(
        "server.origins",
        ValueKind::List,
        || json!([]),
        "web pages that may call, such as https://ops.example",
    ),
    key(
        "agents.auto_register",
        ValueKind::Text,
        || json!("conversations"),
        "who is registered by being written to: conversations, all or none",
    ),
    key(
        "agents.default_sender",
        ValueKind::Text,
        || json!("operator"),
        "who sends a message that names nobody",
    ),
    key(
        "agents.commands.hibernate",
        ValueKind::Program,
        || json!([]),
        "the program that puts an agent to sleep; {agent} and {session} are filled in",
    ),
    key(
        "agents.commands.wake",
        ValueKind::Program,
        || json!([]),
        "the program that wakes an agent; {agent} and {session} are filled in",
    ),
    key(
        "commands.env",
        ValueKind::List,
        || json!(["HOME", "LANG", "USER"]),
        "what programs inherit of the server's environment, besides a fixed PATH",
    ),
    key(
        "delegation.auto_enrol",
        ValueKind::Flag,
        || json!(true),
        "whether plain texts that are tasks become delegations",
    ),
    key(
        "delegation.judge",
        ValueKind::List,
        || json!([]),
        "the program that judges understandings where a policy says so, with its arguments; see judge.command",
    ),
    key(
        "delegation.judge_timeout",
        ValueKind::Span,
        || json!("30s"),
        "the older name of judge.timeout, which wins",
    ),
    key(
        "judge.provider",
        ValueKind::Text,
        || json!(""),
        "who judges understandings before the initiator is asked: openai, anthropic, gemini or command; none: nobody",
    ),
    key(
        "judge.url",
        ValueKind::Text,
        || json!(""),
        "the provider's base address, with or without its version; none: its public one",
    ),
    key("judge.model", ValueKind::Text, || json!(""), "the model's name, as the provider knows it"),
    key(
        "judge.key_env",
        ValueKind::Variable,
        || json!(""),
        "the environment variable that holds the key; none: no key is sent",
    ),
    key(
        "judge.command",
        ValueKind::Program,
        || json!([]),
        "with provider command: the program that judges, with its arguments",
    ),
    key(
        "judge.timeout",
        ValueKind::Span,
        || json!("30s"),
        "how long one question may take; after twice that the initiator is asked in any case",
    ),
    key("judge.concurrency", ValueKind::Whole, || json!(4), "questions to the judge at the same time"),
    key(
        "judge.per_hour",
        ValueKind::Whole,
        || json!(600),
        "questions to the judge within an hour; beyond it the initiator is asked",
    ),
    key(
        "judge.shadow",
        ValueKind::Flag,
        || json!(false),
        "whether the judge is only asked and recorded, and the initiator decides",
    ),
    key(
        "judge.insecure",
        ValueKind::Flag,
        || json!(false),
        "whether the key may go over plain http to another machine",
    ),
    key(
        "escalation.reminder",
        ValueKind::Span,
        || json!("30m"),
        "how often the notice of an open escalation is repeated",
    ),
    key("escalation.controller", ValueKind::Text, || json!(""), "the agent that gets copies of escalations"),
    key(
        "escalation.command",
        ValueKind::List,
        || json!([]),
        "the program that reaches a person, with its arguments",
    ),
    key(
        "escalation.webhook",
        ValueKind::Text,
        || json!(""),
        "the address that is called to reach a person; signed with nudge.secret",
    ),
    key(
        "nudge.webhook_hosts",
        ValueKind::List,
        || json!([]),
        "hosts whose webhooks may be called, with or without a port",
    ),
    key(
        "nudge.private_addresses",
        ValueKind::Flag,
        || json!(false),
        "whether webhooks may be on this machine or in a private network",
    ),
    key("nudge.secret", ValueKind::Secret, || json!(""), "what webhooks are signed with: whsec_ and base64"),
    key(
        "nudge.ca_file",
        ValueKind::Text,
        || json!(""),
        "authorities in PEM, besides the system's, whose certificates webhooks over https may have",
    ),
    key(
        "handoff.controller",
        ValueKind::Text,
        || json!("ecos-controller"),
        "the agent that is told of handoffs and decides their escalations",
    ),
    key(
        "handoff.documents",
        ValueKind::Text,
        || json!("{data}/handoffs"),
        "where the documents of handoffs are saved; {data} is the data directory; with PostgreSQL they are there",
    ),
    key(
        "handoff.template",
        ValueKind::Text,
        || json!(""),
        "the template that documents are written from, instead of the built-in one",
    ),
    key(
        "handoff.state_file",
        ValueKind::Text,
        || json!(""),
        "the orchestrator's state file in YAML, in which assignments move; none: that step does not apply",
    ),
    key(
        "handoff.host",
        ValueKind::Text,
        || json!(""),
        "the node that has the state file, where there are several; none: the one that writes",
    ),
    key(
        "handoff.audit_file",
        ValueKind::Text,
        || json!("{data}/replacement_audit.yaml"),
        "the file that gets an entry for every handoff; with PostgreSQL it is a table there",
    ),
    key(
        "handoff.audit_rotate_bytes",
        ValueKind::Whole,
        || json!(10_485_760),
        "the size above which that file is rotated and compressed",
    ),
    key(
        "github.base_url",
        ValueKind::Text,
        || json!("https://api.github.com"),
        "the address of GitHub's API; http only on this machine",
    ),
    key(
        "github.token_env",
        ValueKind::Text,
        || json!("GITHUB_TOKEN"),
        "the environment variable that holds the token",
    ),
    key(
        "github.repository",
        ValueKind::Text,
        || json!(""),
        "owner/repo, whose issues handoffs comment on and change; none: GitHub is left alone",
    ),
    key("limits.body_bytes", ValueKind::Whole, || json!(1 << 20), "the largest request body"),
    key(
        "limits.depth",
        ValueKind::Whole,
        || json!(MAX_DEPTH),
        "how deep a message may be nested, at most 100",
    ),
    key("limits.header_timeout", ValueKind::Span, || json!("10s"), "how long the head of a request may take"),
    key("limits.body_timeout", ValueKind::Span, || json!("30s"), "how long the body of a request may take"),
    key("limits.idle_timeout", ValueKind::Span, || json!("75s"), "how long a connection may rest"),
    key("limits.connections", ValueKind::Whole, || json!(1024), "connections at the same time"),
    key("limits.waiting_readers", ValueKind::Whole, || json!(4096), "readers that wait at the same time"),
    key("limits.wait", ValueKind::Span, || json!("60s"), "the longest wait of a reader"),
    key(
        "limits.stream_bytes",
        ValueKind::Whole,
        || json!(1 << 20),
        "bytes that a stream may be behind before it is cut",
    ),
    key(
        "limits.stream_events",
        ValueKind::Whole,
        || json!(1000),
        "events that a stream may be behind before it is cut",
    ),
    key(
        "limits.streams_bytes",
        ValueKind::Whole,
        || json!(64 << 20),
        "bytes that all streams together may be behind; then the one that holds most is cut",
    ),
    key(
        "limits.owner_streams",
        ValueKind::Whole,
        || json!(64),
        "streams of one token, else of one name, else of one address",
    ),
    key(
        "limits.owner_names",
        ValueKind::Whole,
        || json!(1000),
        "agents that are registered for one owner in a day by being written to or by writing",
    ),
    key(
        "limits.broadcast_bytes",
        ValueKind::Whole,
        || json!(16 << 20),
        "recipients of a message times the bytes of its body",
    ),
    key("limits.inbox_unread", ValueKind::Whole, || json!(100_000), "unread messages in one inbox"),
];

/// The name of a key in the environment: `WILCO_SERVER_LISTEN`.
pub(crate) fn environment_name(path: &str) -> String {
    format!("WILCO_{}", path.to_uppercase().replace('.', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cfg_1_every_key_stands_in_the_documentation() {
        let documentation = include_str!("../../../../docs/configuration.md");
        for key in KEYS {
            let row = format!("| `{}` | `{}` | {} |", key.path, (key.default)(), key.meaning);
            assert!(documentation.contains(&row), "docs/configuration.md lacks this row:\n{row}");
        }
    }
}
