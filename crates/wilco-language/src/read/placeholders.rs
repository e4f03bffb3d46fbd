//! Blanks to fill: `{word}`, `<word>`, `[word]`, `____`.
//!
//! Most things in brackets are no blanks, so this file is chiefly about what does not count: links,
//! tags, generics, code spans, footnotes, log levels, paths.

use super::text::{Line, has};

/// How many blanks make a text a template.
const ENOUGH: usize = 2;
/// No blank is longer than this.
const LONGEST: usize = 60;

/// Whether the writer's own lines hold a template to fill.
pub(super) fn template(lines: &[Line<'_>]) -> bool {
    // Most lines have no blank; whether one asks or shows is dear to find out.
    let marked = lines.iter().filter(|line| has(line.text, [b'{', b'<', b'[', b'_']));
    let blanks = marked.filter(|line| !asks_or_shows(line.text));
    blanks.map(|line| count(line.text)).sum::<usize>() >= ENOUGH
}

/// A question about blanks, a usage line, a table of links and the form of an ACK are no template.
fn asks_or_shows(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    line.ends_with('?')
        || ["usage:", "$ ", "> "].iter().any(|start| line.starts_with(start))
        || line.contains("[ack]")
        || line.contains("[verdict]")
}

fn count(line: &str) -> usize {
    let line = without_code(line);
    let chars: Vec<char> = line.chars().collect();
    let mut found = underscores(&chars);
    let mut at = 0;
    while at < chars.len() {
        let close = match chars[at] {
            '{' => '}',
            '<' => '>',
            '[' => ']',
            _ => {
                at += 1;
                continue;
            }
        };
        let Some(length) = chars[at + 1..].iter().take(LONGEST).position(|&c| c == close) else {
            at += 1;
            continue;
        };
        let end = at + 1 + length;
        if blank(&chars, at, end) {
            found += 1;
            at = end;
        }
        at += 1;
    }
    found
}

/// The line without what stands between backticks.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    let closed = parts.len() % 2 == 1;
    let kept = parts.iter().enumerate().filter(|(at, _)| !closed || at % 2 == 0);
    kept.map(|(_, part)| *part).collect::<Vec<_>>().join(" ")
}

/// Runs of underscores that stand apart; a line of nothing else is a rule.
fn underscores(chars: &[char]) -> usize {
    if chars.iter().all(|&c| c == '_' || c.is_whitespace()) {
        return 0;
    }
    let mut found = 0;
    let mut at = 0;
    while at < chars.len() {
        let run = chars[at..].iter().take_while(|&&c| c == '_').count();
        let before = at.checked_sub(1).is_some_and(|b| chars[b].is_alphanumeric());
        let after = chars.get(at + run).is_some_and(|c| c.is_alphanumeric());
        if run >= 3 && !before && !after {
            found += 1;
        }
        at += run.max(1);
    }
    found
}

fn blank(chars: &[char], open: usize, close: usize) -> bool {
    let inner: String = chars[open + 1..close].iter().collect();
    let before = open.checked_sub(1).map(|at| chars[at]);
    let after = chars.get(close + 1).copied();
    let inside_a_word = before.is_some_and(|c| {
        c.is_alphanumeric()
            || matches!(c, '$' | '/' | '\\' | '{' | '[' | '<' | ']' | '_' | '#' | '!' | '%' | '@')
    });
    let linked = matches!(after, Some('(' | '[' | ':' | '/' | '}' | ']' | '>')) && chars[open] == '[';
    let doubled = matches!(after, Some('/' | '}' | '>'));
    if inside_a_word || linked || doubled || !worded(&inner) {
        return false;
    }
    let lower = inner.to_lowercase();
    match chars[open] {
        '<' => !TAGS.contains(&lower.as_str()),
        '[' => !LABELS.contains(&lower.as_str()) && !lower.contains(' '),
        _ => true,
    }
}

/// A word or a few: letters first, then letters, digits, `-`, `_` and spaces.
fn worded(inner: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    inner.chars().next().is_some_and(char::is_alphabetic)
        && inner.chars().nth(1).is_some()
        && inner.chars().all(allowed)
        && !inner.ends_with(' ')
        && inner.split(' ').count() <= 5
}

/// HTML and the XML-like tags that models write around their thoughts.
const TAGS: [&str; 72] = [
    "abbr",
    "article",
    "aside",
    "audio",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "center",
    "code",
    "col",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "option",
    "picture",
    "pre",
    "script",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "th",
    "thead",
    "tr",
    "ul",
    "video",
];

/// Words that people put in brackets as labels.
const LABELS: [&str; 40] = [
    "ack",
    "verdict",
    "todo",
    "wip",
    "info",
    "warn",
    "warning",
    "error",
    "debug",
    "trace",
    "fatal",
    "ok",
    "fail",
    "failed",
    "pass",
    "passed",
    "sic",
    "done",
    "urgent",
    "note",
    "rfc",
    "draft",
    "fyi",
    "important",
    "critical",
    "bug",
    "feature",
    "fix",
    "question",
    "update",
    "status",
    "optional",
    "required",
    "deprecated",
    "new",
    "closed",
    "open",
    "merged",
    "skip",
    "tip",
];
