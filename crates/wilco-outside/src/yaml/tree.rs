//! A YAML text as a tree whose nodes know where they stand.

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use super::Wrong;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Bytes of the text; an anchor or a tag stands before them.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) line: usize,
    /// Where it begins in its line, in characters.
    pub(crate) column: usize,
    /// 0: none.
    pub(crate) anchor: usize,
    pub(crate) kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Scalar { text: String, style: ScalarStyle },
    List { items: Vec<Node>, flow: bool },
    Map { entries: Vec<(Node, Node)>, flow: bool },
    Alias(usize),
}

/// Deeper texts are refused: nobody writes them by hand.
const MAX_DEPTH: usize = 64;

/// The one document of a text; none when it holds nothing but comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, Wrong> {
    let mut reading = Reading { parser: Parser::new_from_str(text) };
    let mut root = None;
    while let Some((event, span)) = reading.next()? {
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {}
            _ if root.is_some() => {
                return Err(Wrong::at(span.start.line(), "expected one document, got a second"));
            }
            event => root = Some(reading.node(event, span, 0)?),
        }
    }
    Ok(root)
}

struct Reading<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
}

impl<'a> Reading<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Wrong> {
        let next = self.parser.next_event().transpose();
        next.map_err(|error| Wrong::at(error.marker().line(), error.info()))
    }

    fn more(&mut self, line: usize) -> Result<(Event<'a>, Span), Wrong> {
        self.next()?.ok_or_else(|| Wrong::at(line, "the text ends too early"))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Wrong> {
        let (line, column) = (span.start.line(), span.start.col());
        if depth > MAX_DEPTH {
            return Err(Wrong::at(line, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let range = span.byte_range().ok_or_else(|| Wrong::at(line, "its place is not known"))?;
        let (mut start, mut end) = (range.start, range.end);
        let (anchor, kind) = match event {
            Event::Scalar(text, style, anchor, _) => {
                // A value that is left out is null.
                let text = if start == end && style == ScalarStyle::Plain { "~".into() } else { text };
                (anchor, NodeKind::Scalar { text: text.into_owned(), style })
            }
            Event::Alias(id) => (0, NodeKind::Alias(id)),
            Event::SequenceStart(style, anchor, _) => {
                let items = self.items(line, depth, &mut end)?;
                start =
                    items.first().filter(|_| style == StructureStyle::Block).map_or(start, |one| one.start);
                (anchor, NodeKind::List { items, flow: style == StructureStyle::Flow })
            }
            Event::MappingStart(style, anchor, _) => {
                let entries = self.entries(line, depth, &mut end)?;
                (anchor, NodeKind::Map { entries, flow: style == StructureStyle::Flow })
            }
            _ => return Err(Wrong::at(line, "expected a value")),
        };
        Ok(Node { start, end, line, column, anchor, kind })
    }

    fn items(&mut self, line: usize, depth: usize, end: &mut usize) -> Result<Vec<Node>, Wrong> {
        let mut items: Vec<Node> = Vec::new();
        loop {
            match self.more(line)? {
                (Event::SequenceEnd, span) => {
                    *end = closed(span, items.last());
                    return Ok(items);
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn entries(&mut self, line: usize, depth: usize, end: &mut usize) -> Result<Vec<(Node, Node)>, Wrong> {
        let mut entries: Vec<(Node, Node)> = Vec::new();
        loop {
            let key = match self.more(line)? {
                (Event::MappingEnd, span) => {
                    *end = closed(span, entries.last().map(|(_, value)| value));
                    return Ok(entries);
                }
                (event, span) => self.node(event, span, depth + 1)?,
            };
            if let Some(name) = key.text()
                && name != MERGE
                && entries.iter().any(|(known, _)| known.text() == Some(name))
            {
                return Err(Wrong::at(key.line, format!("the key {name:?} stands here twice")));
            }
            let (event, span) = self.more(line)?;
            let value = self.node(event, span, depth + 1)?;
            entries.push((key, value));
        }
    }
}

/// Where a collection ends: with its bracket, or with its last child.
fn closed(span: Span, last: Option<&Node>) -> usize {
    match span.byte_range() {
        Some(bracket) if !bracket.is_empty() => bracket.end,
        _ => last.map_or(0, |last| last.end),
    }
}

/// The key that takes over what another mapping holds.
const MERGE: &str = "<<";

impl Node {
    /// What a scalar says.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Some(text),
            NodeKind::List { .. } | NodeKind::Map { .. } | NodeKind::Alias(_) => None,
        }
    }

    /// A number or a flag, as it is written.
    pub(crate) fn number_or_flag(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, style: ScalarStyle::Plain } => {
                let is = text.parse::<f64>().is_ok() || ["true", "false"].contains(&text.as_str());
                is.then_some(text)
            }
            NodeKind::Scalar { .. } | NodeKind::List { .. } | NodeKind::Map { .. } | NodeKind::Alias(_) => {
                None
            }
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        match &self.kind {
            NodeKind::Scalar { text, style } => {
                let none = ["~", "null", "Null", "NULL", ""].contains(&text.as_str());
                *style == ScalarStyle::Plain && none
            }
            NodeKind::List { .. } | NodeKind::Map { .. } | NodeKind::Alias(_) => false,
        }
    }

    /// The value that stands under a key itself.
    pub(crate) fn own(&self, key: &str) -> Option<&Node> {
        let NodeKind::Map { entries, .. } = &self.kind else { return None };
        entries.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// The value of a key, taken over or by alias too.
    pub(crate) fn get<'a>(&'a self, key: &str, root: &'a Node) -> Option<&'a Node> {
        let own = self.own(key).or_else(|| match &self.own(MERGE)?.kind {
            NodeKind::Alias(id) => root.anchored(*id)?.own(key),
            NodeKind::List { items, .. } => items.iter().find_map(|item| match &item.kind {
                NodeKind::Alias(id) => root.anchored(*id)?.own(key),
                NodeKind::Scalar { .. } | NodeKind::List { .. } | NodeKind::Map { .. } => None,
            }),
            NodeKind::Scalar { .. } | NodeKind::Map { .. } => None,
        });
        own.and_then(|value| value.followed(root))
    }

    /// The node itself, or what its alias stands for.
    pub(crate) fn followed<'a>(&'a self, root: &'a Node) -> Option<&'a Node> {
        match &self.kind {
            NodeKind::Alias(id) => root.anchored(*id),
            NodeKind::Scalar { .. } | NodeKind::List { .. } | NodeKind::Map { .. } => Some(self),
        }
    }

    fn children(&self) -> Box<dyn Iterator<Item = &Node> + '_> {
        match &self.kind {
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => Box::new(std::iter::empty()),
            NodeKind::List { items, .. } => Box::new(items.iter()),
            NodeKind::Map { entries, .. } => Box::new(entries.iter().flat_map(|(key, value)| [key, value])),
        }
    }

    fn anchored(&self, id: usize) -> Option<&Node> {
        if self.anchor == id {
            return Some(self);
        }
        self.children().find_map(|child| child.anchored(id))
    }

    /// Whether an alias stands for the node with this anchor.
    pub(crate) fn mentions(&self, id: usize) -> bool {
        self.kind == NodeKind::Alias(id) || self.children().any(|child| child.mentions(id))
    }
}
