//! The lines of a body and the Markdown around them: what is quoted, what is fenced, what is a
//! heading, a list item or bold.
//!
//! This is no Markdown parser. It knows as much as the readers need to tell what somebody says from
//! what somebody shows; what the words mean is left to the readers.

/// One line of a body, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub text: &'a str,
    /// Starts with `>`: somebody else's words.
    pub quoted: bool,
    /// Which code fence of the body it belongs to, its marker lines included.
    pub fence: Option<usize>,
}

impl<'a> Line<'a> {
    /// Said by the writer in their own voice: neither quoted nor fenced.
    pub fn own(&self) -> bool {
        !self.quoted && self.fence.is_none()
    }

    pub fn blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// How far the text is indented; a tab counts as four.
    pub fn indent(&self) -> usize {
        self.text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
    }
}

/// Splits a body into lines. CRLF and LF are the same; an unclosed fence runs to the end.
pub fn lines(body: &str) -> Vec<Line<'_>> {
    let body = body.strip_prefix('\u{feff}').unwrap_or(body);
    let mut open: Option<(char, usize)> = None;
    let mut fences = 0;
    let mut cited: Option<String> = None;
    let mut lines: Vec<Line<'_>> = Vec::new();
    let all: Vec<&str> = body.split('\n').map(|text| text.trim_end_matches('\r')).collect();
    let tagged = has(body, [b'<']);
    let mut spoken = false;
    for (at, text) in all.iter().copied().enumerate() {
        if tagged && cited.is_none() {
            cited = cites(text, &all[at + 1..], spoken);
        }
        let bare = text.trim_start();
        let mut line = Line {
            text,
            quoted: cited.is_some()
                || bare.starts_with(['>'])
                || bare.starts_with("<!--")
                || (bare.starts_with("~~") && !bare.starts_with("~~~")),
            fence: None,
        };
        spoken |= !line.quoted && !line.blank();
        cited = cited.filter(|name| !ends_citing(text, name));
        match open {
            Some(fence) => {
                line.fence = Some(fences);
                if closes(text, fence) {
                    open = None;
                    fences += 1;
                }
            }
            None => {
                open = opening(text);
                line.fence = open.map(|_| fences);
            }
        }
        lines.push(line);
    }
    lines
}

/// Tags around somebody else's words, and around what is not said yet.
const CITING: [&str; 12] = [
    "quote",
    "blockquote",
    "quoted",
    "example",
    "cite",
    "template",
    "instructions",
    "instruction",
    "plan",
    "draft",
    "proposal",
    "forwarded",
];
/// Tags around the thoughts that some models print before they speak.
const THINKING: [&str; 2] = ["think", "thinking"];

/// The tag that a line opens, alone on it: from there to its end nothing is said. A tag that never ends holds nothing,
/// and thoughts come before the first word.
fn cites(text: &str, rest: &[&str], spoken: bool) -> Option<String> {
    let tag = text.trim().strip_prefix('<')?.strip_suffix('>')?;
    let name = tag.split_whitespace().next()?.to_ascii_lowercase();
    let known = CITING.contains(&name.as_str()) || (THINKING.contains(&name.as_str()) && !spoken);
    let ends = rest.iter().any(|line| ends_citing(line, &name));
    (known && ends && !tag.contains(['<', '>'])).then_some(name)
}

fn ends_citing(text: &str, name: &str) -> bool {
    let tag = text.trim().strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    tag.is_some_and(|tag| tag.trim().eq_ignore_ascii_case(name))
}

/// Whether one of these ASCII characters is there. Most texts have none, so it looks at many bytes at a time before it
/// asks what it saw; whoever needs such a character asks this first.
pub(super) fn has<const N: usize>(text: &str, marks: [u8; N]) -> bool {
    let is_mark = |byte: u8| marks.iter().fold(false, |is, mark| is | (*mark == byte));
    let seen = |bytes: &[u8]| bytes.iter().fold(false, |seen, byte| seen | is_mark(*byte));
    let (chunks, rest) = text.as_bytes().as_chunks::<32>();
    chunks.iter().any(|chunk| seen(chunk)) || seen(rest)
}

fn opening(text: &str) -> Option<(char, usize)> {
    let text = list_item(text).map_or(text.trim_start(), |(_, rest)| rest);
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|&c| c == mark).count();
    // "```code``` in one line" is a code span, not a fence.
    let span = mark == '`' && text[length..].contains('`');
    (length >= 3 && !span).then_some((mark, length))
}

fn closes(text: &str, (mark, length): (char, usize)) -> bool {
    let text = text.trim();
    text.chars().count() >= length && text.chars().all(|c| c == mark)
}

/// The text of a Markdown heading: `## Task: GH-42 ##` gives `Task: GH-42`.
pub fn heading(text: &str) -> Option<&str> {
    let text = text.trim();
    let level = text.chars().take_while(|&c| c == '#').count();
    if !(1..=6).contains(&level) {
        return None;
    }
    let rest = &text[level..];
    rest.starts_with(char::is_whitespace).then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// The underline of a heading in the older style, or a rule between parts of a body.
pub fn ruled(text: &str) -> bool {
    let text = text.trim();
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '-' | '=' | '*' | '_')) else {
        return false;
    };
    text.chars().all(|c| c == mark || c == ' ') && text.matches(mark).count() >= 3
}

/// How an item of a list is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Bullet,
    Number,
}

/// The text of a list item: `- a`, `* a`, `• a`, `1. a`, `2) a`, `(3) a`, `Q4: a`.
pub fn list_item(text: &str) -> Option<(Mark, &str)> {
    let text = text.trim_start();
    bullet(text).map(|rest| (Mark::Bullet, rest)).or_else(|| number(text).map(|rest| (Mark::Number, rest)))
}

fn bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['-', '*', '+', '•', '◦', '▪', '‣', '·', '–', '—'])?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

fn number(text: &str) -> Option<&str> {
    let text = text.strip_prefix('(').unwrap_or(text);
    let text = text.strip_prefix(['Q', 'q']).unwrap_or(text);
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let rest = text[digits..].strip_prefix(['.', ')', ':'])?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// An item of a checklist: whether it is ticked, and its text.
pub fn checkbox(text: &str) -> Option<(bool, &str)> {
    let (_, item) = list_item(text)?;
    let rest = item.strip_prefix('[')?;
    let ticked = rest.chars().next()?;
    let rest = rest[ticked.len_utf8()..].strip_prefix(']')?;
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    match ticked {
        ' ' if apart => Some((false, rest.trim())),
        'x' | 'X' | '✓' | '✔' if apart => Some((true, rest.trim())),
        _ => None,
    }
}

/// The text between the bold marks when the whole line is bold; a colon may stand outside.
pub fn bold(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_suffix(':').unwrap_or(text);
    ["**", "__"].iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.trim().is_empty() && !inner.contains(mark)).then(|| inner.trim())
    })
}

/// The text without emphasis and code marks, with single spaces.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word = word.replace("**", "").replace(['`'], "");
        let word = word.strip_prefix("__").unwrap_or(&word);
        let word = word.strip_suffix("__").unwrap_or(word);
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Letter case, `-`, `_` and spaces do not tell two words apart.
pub fn fold(text: &str) -> String {
    let spaced = text.replace(['-', '_', '‐', '‑'], " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Marks a writer may put before what they say: emoji and other symbols, but no quotation marks.
pub fn ornament(c: char) -> bool {
    !c.is_ascii()
        && !c.is_alphanumeric()
        && !matches!(c, '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '‹' | '›' | '…' | '–' | '—')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_hold_their_lines_and_close() {
        let body = "a\r\n```rust\r\n> b\r\n```\r\n> c\n~~~\n```\n";
        let fences: Vec<_> = lines(body).iter().map(|l| (l.fence, l.quoted)).collect();
        assert_eq!(
            fences,
            [
                (None, false),
                (Some(0), false),
                (Some(0), true),
                (Some(0), false),
                (None, true),
                (Some(1), false),
                (Some(1), false),
                (Some(1), false),
            ]
        );
    }

    #[test]
    fn a_character_is_found_wherever_it_stands() {
        for length in [0, 1, 31, 32, 33, 64, 100] {
            let plain = "a".repeat(length);
            assert!(!has(&plain, [b'[', b'_']), "{length}");
            for at in 0..=length {
                let marked = format!("{}_{}", &plain[..at], &plain[at..]);
                assert!(has(&marked, [b'[', b'_']) && !has(&marked, [b'[']), "{at} of {length}");
            }
        }
    }

    #[test]
    fn marks_are_told_apart() {
        assert_eq!(heading("## Task: GH-42 ##"), Some("Task: GH-42"));
        assert_eq!(heading("#hashtag"), None);
        assert_eq!(list_item("  2) b"), Some((Mark::Number, "b")));
        assert_eq!(list_item("2nd"), None);
        assert_eq!(checkbox("- [ ] do it"), Some((false, "do it")));
        assert_eq!(checkbox("* [x] done"), Some((true, "done")));
        assert_eq!(checkbox("- [link](x)"), None);
        assert_eq!(bold("**Acceptance Criteria**:"), Some("Acceptance Criteria"));
        assert_eq!(bold("**a** and **b**"), None);
        assert!(ruled("---") && ruled("* * *") && !ruled("--"));
        assert_eq!(fold("Clarification_NEEDED"), "clarification-needed");
    }
}
