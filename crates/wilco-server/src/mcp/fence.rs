//! What others wrote, on its way into a model: fenced, so that it cannot be taken for anything but data.

use std::hash::{BuildHasher, RandomState};

use wilco_language::render::fence::{self, Fenced};

/// The text in a fence of its own.
pub(crate) fn fenced(whose: Fenced<'_>, text: &str) -> String {
    fence::fenced(random(), whose, text)
}

/// 64 bits from the system's randomness, which also seeds hash maps.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// The text, or its beginning and how to get the rest.
pub(crate) fn at_most(text: &str, most: usize, rest: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…\n({rest})", &text[..end]),
        None => text.to_owned(),
    }
}

/// What stands outside of every fence of a text.
#[cfg(test)]
pub(crate) fn outside(text: &str) -> String {
    let (mut outside, mut open) = (String::new(), None::<String>);
    for line in text.split('\n') {
        match &open {
            None => match line.split_once("] begin: ").and_then(|(mark, _)| mark.strip_prefix('[')) {
                Some(mark) => {
                    outside += line;
                    open = Some(format!("[{mark}] end"));
                }
                None => outside += line,
            },
            Some(end) if line == end => open = None,
            Some(_) => {}
        }
        outside.push('\n');
    }
    assert_eq!(open, None, "a fence does not end: {text}");
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOSE: Fenced<'_> = Fenced::Message { id: "msg-1", from: "anna" };

    #[test]
    fn sec_4_a_fence_names_its_sender_and_has_another_boundary_every_time() {
        let (one, other) = (fenced(WHOSE, "Hi"), fenced(WHOSE, "Hi"));
        assert_ne!(one, other);
        let boundary = one.split(']').next().unwrap();
        assert!(one.ends_with(&format!("Hi\n{boundary}] end")), "{one}");
        assert!(one.contains("from anna"));
    }

    #[test]
    fn cli_24_a_long_text_is_cut_and_says_where_the_rest_is() {
        assert_eq!(at_most("aäb", 3, "more"), "aäb");
        assert_eq!(at_most("aäb", 2, "more"), "aä…\n(more)");
    }
}
