//! Texts of others on a terminal. A message may hold anything; what reaches the screen can neither move the
//! cursor nor hide, reorder or colour what is beside it.

use std::borrow::Cow;

use wilco_language::render::fence::{escaped, is_invisible};

/// The text with its control characters made visible; only line ends and tabs stay as they are.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The same on one line, for cells and headings.
pub(crate) fn one_line(text: &str) -> String {
    visible(text.trim()).replace("\\r\n", " ").replace(['\n', '\t'], " ")
}

/// JSON that means the same and holds nothing hidden: inside strings such characters have an escaped form,
/// and outside of them there are none.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\r' => shown.push('\n'),
            c if is_hidden(c) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// What cannot be seen. People write emoji that are joined or chosen by such characters; those stay.
fn is_hidden(c: char) -> bool {
    is_invisible(c) && !matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_4_control_characters_are_shown_and_never_reach_the_terminal() {
        for (text, shown) in [
            ("plain text, ümläut, 日本, 👩\u{200d}💻", "plain text, ümläut, 日本, 👩\u{200d}💻"),
            ("\x1b[2Jgone", "\\x1b[2Jgone"),
            ("title\x07\x00", "title\\x07\\x00"),
            ("over\rwritten", "over\\rwritten"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("turned \u{202e}txt", "turned \\u{202e}txt"),
            ("two\n\tlines", "two\n\tlines"),
            ("\x7f", "\\x7f"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn sec_4_nothing_below_a_space_survives_but_line_ends_and_tabs() {
        let every: String = (0..=0x10ffff).filter_map(char::from_u32).collect();
        let shown = visible(&every);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    }

    #[test]
    fn sec_4_json_keeps_its_meaning_and_hides_nothing() {
        let value = serde_json::json!({"text": "a\u{9b}b\u{7f}c\u{202e}d\u{e0041}"});
        let shown = json(&value.to_string()).into_owned();
        assert!(!shown.chars().any(is_hidden), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn cli_5_a_cell_is_one_line() {
        assert_eq!(one_line("  a\r\nb\n\tc \x1b "), "a b  c \\x1b");
    }
}
