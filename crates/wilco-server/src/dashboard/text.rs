//! Words of others as a page shows them: nothing invisible, nothing that turns the line round.

use std::borrow::Cow;

use wilco_language::render::fence::{escaped, is_invisible};

/// What would hide something or turn the direction is shown by its number; line breaks and tabs stay, and so do the
/// characters that join emoji.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_invisible(c) && !matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}'))
}

/// The same on one line, cut to so many characters.
pub(super) fn line(text: &str, most: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = visible(&joined);
    if line.chars().count() <= most {
        return line.into_owned();
    }
    format!("{}…", line.chars().take(most.saturating_sub(1)).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_8_what_is_hidden_is_shown_by_its_number() {
        assert_eq!(visible("a\u{202e}b\u{7}\nc"), "a\\u{202e}b\\x07\nc");
        assert_eq!(visible("plain ä"), "plain ä");
        assert_eq!(line("one\n two\u{2066}", 40), "one two\\u{2066}");
        assert_eq!(line("abcdef", 4), "abc…");
    }
}
