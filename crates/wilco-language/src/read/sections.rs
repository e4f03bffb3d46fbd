//! The sections of a body: which lines are titles, and what stands below each.
//!
//! Knows Markdown headings, bold lines and lines that end in a colon. Which titles mean something is
//! left to whoever asks.

use super::text::{self, Line, Mark};

/// A title and the lines up to the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'a> {
    /// Without Markdown, numbering, ornaments and the closing colon.
    pub(super) title: String,
    pub(super) heading: bool,
    pub(super) lines: Vec<Line<'a>>,
}

/// Every section of the writer's own lines.
pub(super) fn sections<'a>(lines: &[Line<'a>]) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match title(line, &lines[at + 1..]) {
            Some((title, heading)) => {
                sections.push(Section { title: tidy(title), heading, lines: Vec::new() })
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    section.lines.push(*line);
                }
            }
        }
    }
    sections
}

/// The entries of a section: its list items, or its plain lines when it has no list.
pub(super) fn entries(lines: &[Line<'_>]) -> Vec<String> {
    let listed = lines.iter().any(|line| text::list_item(line.text).is_some());
    let mut entries: Vec<String> = Vec::new();
    let mut gap = true;
    for line in lines {
        let item = text::checkbox(line.text)
            .map(|(_, item)| item)
            .or_else(|| text::list_item(line.text).map(|(_, item)| item));
        let text = line.text.trim();
        match (item, entries.last_mut()) {
            (Some(item), _) => entries.push(item.trim().to_owned()),
            (None, _) if text.is_empty() || text::ruled(text) => gap = true,
            (None, Some(last)) if listed && !gap => {
                last.push(' ');
                last.push_str(text);
            }
            (None, _) if !listed => entries.push(text.to_owned()),
            (None, _) => {}
        }
        if !text.is_empty() && !text::ruled(text) {
            gap = item.is_none() && gap;
        }
    }
    entries.iter().map(|entry| text::plain(entry)).filter(|entry| !entry.is_empty()).collect()
}

fn title<'a>(line: &Line<'a>, rest: &[Line<'_>]) -> Option<(&'a str, bool)> {
    if let Some(heading) = text::heading(line.text) {
        return Some((heading, true));
    }
    let item = text::list_item(line.text);
    let bare = item.map_or(line.text.trim(), |(_, item)| item);
    if bare.is_empty() || text::ruled(line.text) {
        return None;
    }
    let next = rest.first();
    let underlined = next.is_some_and(|next| text::ruled(next.text) && next.text.trim().len() >= 3);
    if item.is_none() && underlined && next.is_some_and(|n| n.text.starts_with(['-', '='])) {
        return Some((bare, true));
    }
    let deeper = || {
        let below = rest.iter().find(|line| !line.blank());
        below.is_some_and(|below| below.indent() > line.indent())
    };
    let titled = match item {
        None => text::bold(bare).is_some() || bare.ends_with(':'),
        // A bold item with items below it is a title; an agenda's entry is not.
        Some((Mark::Bullet, _)) => text::bold(bare).is_some() && deeper(),
        Some((Mark::Number, _)) => text::bold(bare).is_some(),
    };
    titled.then_some((bare, false))
}

fn tidy(title: &str) -> String {
    let title = text::plain(title);
    let title = text::list_item(&title).map_or(title.as_str(), |(_, rest)| rest);
    let title = title.trim_start_matches(|c: char| text::ornament(c) || c.is_whitespace());
    title.trim_end_matches([':', '*', '_']).trim().to_owned()
}
