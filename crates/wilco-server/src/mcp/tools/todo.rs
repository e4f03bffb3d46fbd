//! `todo`.

use super::{Does, Plan, Tool};
use crate::mcp::arguments::{FieldKind, optional};

pub(super) const WAITING: Tool = Tool {
    name: "todo",
    title: "What waits for you",
    about: "Lists everything that waits for you, most urgent first: tasks to acknowledge, questions, reviews, \
            escalations, operations, checks, fixes, handoffs, stops to confirm and work without a report; each with \
            its deadline and how to answer.",
    does: Does::Look,
    fields: &[optional(
        "agent",
        FieldKind::Text,
        "Your name, where neither a token, Wilco-Agent nor --as says it",
    )],
    examples: &["{}", r#"{"agent": "bob"}"#],
    plan: |mut given| Plan::Todo { agent: given.text("agent") },
};
