//! Lines between two marks, in a file of any kind.

use std::ops::Range;

use crate::edit::{append, cut, line_end};

/// The lines around a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    pub(crate) begin: String,
    pub(crate) end: String,
}

/// How a block of instructions begins, for whichever client.
const OTHER: &str = "<!-- wilco ";

pub(crate) fn insert(marks: &Marks, lines: &[String], before: Option<&str>) -> String {
    append(&whole(marks, lines), before)
}

fn whole(marks: &Marks, lines: &[String]) -> Vec<String> {
    let ends = |mark: &String| std::iter::once(mark.clone());
    ends(&marks.begin).chain(lines.iter().cloned()).chain(ends(&marks.end)).collect()
}

pub(crate) fn remove(marks: &Marks, lines: &[String], text: &str) -> Option<String> {
    let mut text = text.to_owned();
    while let Some(range) = find(marks, lines, &text) {
        let is_first = range.start == 0;
        text = cut(&text, range)?;
        // Wilco made the file, and what it has there for another client is now the first of it.
        let next = text.strip_prefix(line_end(&text)).filter(|next| is_first && next.starts_with(OTHER));
        if let Some(next) = next {
            text = next.to_owned();
        }
    }
    Some(text)
}

pub(crate) fn is_installed(marks: &Marks, lines: &[String], text: &str) -> bool {
    let found = find(marks, lines, text).map(|range| &text[range]);
    let end = line_end(text);
    let wanted = whole(marks, lines).join(end);
    found.is_some_and(|found| found.trim_end_matches(['\r', '\n']) == wanted)
        && text.matches(&marks.begin).count() == 1
}

/// The lines of the first block, marks included. When its end mark is lost, these are only the begin mark and
/// what is known to be Wilco's after it.
fn find(marks: &Marks, known: &[String], text: &str) -> Option<Range<usize>> {
    let mut begun: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
        let skipped = line.len() - line.trim_start_matches('\u{feff}').len();
        if bare == marks.begin {
            match begun {
                // The end mark of the one before is lost.
                Some(_) => break,
                None => begun = Some((at + skipped, at + line.len())),
            }
        } else if let Some((start, _)) = begun
            && bare == marks.end
        {
            return Some(start..at + line.len());
        }
        at += line.len();
    }
    let (start, mut end) = begun?;
    for line in text[end..].split_inclusive('\n') {
        if !known.iter().any(|known| known == line.trim_end_matches(['\r', '\n'])) || line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-30: Codex and opencode read the same file. Whichever leaves first, nothing is left.
    #[test]
    fn cli_30_a_file_of_two_clients_is_gone_when_both_are() {
        let marks = |client: &str| Marks {
            begin: format!("<!-- wilco {client} begin -->"),
            end: format!("<!-- wilco {client} end -->"),
        };
        let (codex, opencode, lines) = (marks("codex"), marks("opencode"), ["text".to_owned()]);
        for before in [None, Some(""), Some("own\n"), Some("own\r\n")] {
            let both = insert(&opencode, &lines, Some(&insert(&codex, &lines, before)));
            for (first, second) in [(&codex, &opencode), (&opencode, &codex)] {
                let one = remove(first, &lines, &both).unwrap();
                assert_eq!(remove(second, &lines, &one).as_deref(), before, "{both:?}");
            }
        }
    }
}
