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
        "For whom. Leave it out when your token, the header Wilco-Agent or `wilco mcp --as NAME` says who you are",
    )],
    examples: &["{}", r#"{"agent": "bob"}"#],
    plan: |mut given| Plan::Todo { agent: given.text("agent") },
};
