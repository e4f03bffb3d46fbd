//! How deeply a JSON text is nested, without parsing it.

/// `content` is level 1; a level beyond this is refused.
pub const MAX_DEPTH: usize = 32;
/// No limit is higher: JSON is read by recursion, and stored messages are JSON inside JSON.
pub const DEEPEST: usize = 100;

/// Whether brackets outside strings nest deeper than `most`.
pub(crate) fn deeper_than(json: &str, most: usize) -> bool {
    // Most texts have fewer brackets than they may nest, and counting them is quick.
    if opened(json) <= most {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in json.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// How many brackets open anywhere, in strings too. Counted in bytes, as many at a time as fit: so the compiler makes
/// it many at once.
fn opened(json: &str) -> usize {
    let opens = |byte: &u8| u8::from(matches!(byte, b'{' | b'['));
    json.as_bytes().chunks(255).map(|part| usize::from(part.iter().map(opens).sum::<u8>())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn msg_4_level_33_is_too_deep() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!deeper_than(&nested(32), MAX_DEPTH));
        assert!(deeper_than(&nested(33), MAX_DEPTH));
        assert!(
            !deeper_than(&format!("[{:?}]", "[".repeat(99)), MAX_DEPTH),
            "brackets in strings do not nest"
        );
    }
}
