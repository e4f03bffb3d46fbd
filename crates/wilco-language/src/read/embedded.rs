//! A JSON object that stands in a text: a known type there counts as if it were the content itself.
//!
//! Only as the only block, and only when the words around it neither ask, deny nor give an example. Quoted or in a list
//! it is shown. Whether its fields are right is `parse`'s matter.

use serde_json::{Map, Value};

use super::mood;
use super::sentence::{is_disguised, sentences};
use super::text::{self, Line};

/// The one object in a text.
pub fn object(body: &str) -> Option<Map<String, Value>> {
    if !text::has(body, [b'{']) || is_disguised(body) {
        return None;
    }
    let lines = text::lines(body);
    let (blocks, prose) = blocks(&lines);
    let [block] = blocks.as_slice() else { return None };
    let Ok(Value::Object(object)) = serde_json::from_str(block) else { return None };
    leads(&prose).then_some(object)
}

/// The only fenced block of a text that says nothing else.
pub(super) fn only_block(body: &str) -> Option<String> {
    if !text::has(body, [b'`', b'~']) || is_disguised(body) {
        return None;
    }
    let lines = text::lines(body);
    lines.iter().any(|line| line.fence.is_some()).then_some(())?;
    let (mut blocks, prose) = blocks(&lines);
    let block = blocks.pop().filter(|_| blocks.is_empty())?;
    leads(&prose).then_some(block)
}

/// The blocks of a text, fenced or between braces, and the words around them.
fn blocks(lines: &[Line<'_>]) -> (Vec<String>, String) {
    let (mut blocks, mut prose) = (Vec::<String>::new(), String::new());
    let mut fence = None;
    let mut depth = 0i64;
    for line in lines {
        let text = line.text.trim();
        match line.fence {
            Some(number) if fence != Some(number) => {
                fence = Some(number);
                blocks.push(String::new());
            }
            Some(_) => {
                let marker = text.chars().all(|c| matches!(c, '`' | '~'));
                if let Some(last) = blocks.last_mut().filter(|_| !marker) {
                    last.push_str(line.text);
                    last.push('\n');
                }
            }
            None => {
                if depth == 0 && !line.quoted && text.starts_with('{') {
                    blocks.push(String::new());
                    depth = 1;
                }
                let opens = text.matches('{').count() as i64 - text.matches('}').count() as i64;
                match blocks.last_mut().filter(|_| depth > 0) {
                    Some(last) => {
                        last.push_str(line.text);
                        last.push('\n');
                        let begun = last.lines().nth(1).is_none();
                        depth = if begun { opens } else { depth + opens };
                    }
                    None => {
                        prose.push_str(line.text);
                        prose.push('\n');
                    }
                }
            }
        }
    }
    (blocks, prose)
}

/// Whether words lead to what is said, rather than show it.
fn leads(prose: &str) -> bool {
    const SHOWS: [&str; 20] = [
        "example", "e.g", "would", "template", "if", "when", "will", "should", "could", "format", "schema",
        "not", "never", "no", "instead", "wrong", "said", "wrote", "sent", "once",
    ];
    let quoted = text::lines(prose).iter().any(|line| line.quoted);
    let read = sentences(prose);
    !quoted && read.iter().all(|one| !one.asks && (mood::is_polite(one) || !one.has(&SHOWS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_3_an_object_counts_alone_or_as_the_only_block() {
        let yes = [
            r#"{"type": "task-complete"}"#,
            "Here it is:\n\n```json\n{\"type\": \"task-complete\"}\n```\nLet me know if it works.",
            "Done.\n{\n  \"type\": \"task-complete\"\n}\nThanks!",
            "```\n{\"type\": \"task-complete\"}\n```",
        ];
        for body in yes {
            assert_eq!(
                object(body).and_then(|object| object["type"].as_str().map(str::to_owned)).as_deref(),
                Some("task-complete"),
                "{body}"
            );
        }
        let no = [
            "> {\"type\": \"task-complete\"}",
            "- {\"type\": \"task-complete\"}",
            "For example:\n{\"type\": \"task-complete\"}",
            "Should I send this?\n{\"type\": \"task-complete\"}",
            "I did not send this:\n{\"type\": \"task-complete\"}",
            "```\n{\"type\": \"task-complete\"}\n```\n```\n{\"type\": \"task-complete\"}\n```",
            "{\"type\": \"task-complete\"} is what I would send",
            "[{\"type\": \"task-complete\"}]",
            "{type: done}",
        ];
        for body in no {
            assert_eq!(object(body), None, "{body}");
        }
    }
}
