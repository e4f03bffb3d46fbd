//! Rows as a Markdown table.

use serde_json::{Map, Value};

/// A heading and a table; values stay values, whatever is in them.
pub fn markdown(title: &str, columns: &[&str], rows: &[Map<String, Value>]) -> String {
    let mut out = format!("# {title}\n\n{}", self::rows(columns, rows));
    if rows.is_empty() {
        out.push_str("\nNone.\n");
    }
    out
}

/// The table alone.
pub(crate) fn rows(columns: &[&str], rows: &[Map<String, Value>]) -> String {
    let mut out = format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for row in rows {
        let cells: Vec<_> =
            columns.iter().map(|column| cell(row.get(*column).unwrap_or(&Value::Null))).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

/// The same with counts above the table.
pub fn counted(title: &str, counts: &[(&str, u64)], columns: &[&str], rows: &[Map<String, Value>]) -> String {
    let counts: String = counts.iter().map(|(name, count)| format!("- {name}: {count}\n")).collect();
    let table = markdown(title, columns, rows);
    let (heading, rest) = table.split_once("\n\n").unwrap_or(("", &table));
    format!("{heading}\n\n{counts}\n{rest}")
}

/// One line, without tags, and no cell ends early.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let visible = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control());
    let text = visible.collect::<String>().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('\\', "\\\\").replace('|', "\\|").replace('`', "\\`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn api_7_a_table_keeps_its_shape_whatever_is_in_it() {
        let row = json!({"a": "x | y\n<b>", "b": 3, "c": null});
        let table = markdown("things", &["a", "b", "c"], &[row.as_object().unwrap().clone()]);
        assert_eq!(table, "# things\n\n| a | b | c |\n|---|---|---|\n| x \\| y &lt;b&gt; | 3 |  |\n");
        assert!(markdown("things", &["a"], &[]).ends_with("None.\n"));
    }
}
