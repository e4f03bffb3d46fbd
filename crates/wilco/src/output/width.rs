//! How many columns a text takes. Good enough for tables; a terminal may disagree about a rare character.

pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text in at most `most` columns; what is cut off is marked.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let (mut shown, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += columns(c);
        if used >= most {
            break;
        }
        shown.push(c);
    }
    shown.push('…');
    shown
}

fn columns(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_5_wide_characters_take_two_columns() {
        assert_eq!((width("abc"), width("日本"), width("e\u{301}")), (3, 4, 1));
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語日本語", 6), "日本…");
    }
}
