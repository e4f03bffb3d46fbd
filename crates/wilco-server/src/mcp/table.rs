//! The tools as a table, for the documentation.

use crate::mcp::tools::{ALL, For};

/// One row for each tool, in Markdown.
fn table() -> String {
    let mut lines =
        vec!["| tool | for | what it does | arguments |".to_owned(), "|---|---|---|---|".to_owned()];
    for (whom, tool) in ALL {
        let whom = match whom {
            For::Agents => "agents",
            For::Initiators => "initiators",
        };
        let name = |field: &crate::mcp::arguments::Field| match field.required {
            true => format!("**{}**", field.name),
            false => field.name.to_owned(),
        };
        let arguments: Vec<_> = tool.fields.iter().map(name).collect();
        lines.push(format!("| `{}` | {whom} | {} | {} |", tool.name, tool.about, arguments.join(", ")));
    }
    lines.join("\n")
}

#[test]
fn mcp_1_the_documented_tools_are_the_tools_there_are() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp.md");
    let documented = std::fs::read_to_string(path).unwrap();
    assert!(documented.contains(&table()), "docs/mcp.md must hold this table:\n\n{}\n", table());
}
