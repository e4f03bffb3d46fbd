//! Whether failures are the same although they were found at other lines, addresses, times or in other
//! temporary folders, and in another order.
//!
//! A fingerprint is a failure with all of that folded away. How an error is folded is `fold`'s matter.

use std::collections::BTreeSet;

use super::failures::Failure;
use super::fold;

/// Where and what, without what changes from run to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    pub location: String,
    pub error: String,
}

pub fn fingerprint(failure: &Failure) -> Fingerprint {
    Fingerprint { location: place(&failure.location), error: fold::folded(&failure.error) }
}

/// Neither order nor repeats matter.
pub fn fingerprints(failures: &[Failure]) -> BTreeSet<Fingerprint> {
    failures.iter().map(fingerprint).collect()
}

/// One word for a whole set, equal for equal sets.
pub fn digest(failures: &[Failure]) -> String {
    let mut hasher = blake3::Hasher::new();
    for Fingerprint { location, error } in fingerprints(failures) {
        for text in [location, error] {
            hasher.update(&(text.len() as u64).to_be_bytes()).update(text.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..DIGEST].to_owned()
}

/// As many hexadecimal digits are enough to tell the iterations of a loop apart.
const DIGEST: usize = 32;

/// The location without the line and column at its end. Digits in paths and names stay.
fn place(location: &str) -> String {
    let location = location.trim().trim_matches('`').trim_end_matches(':');
    let location = location.strip_prefix("./").unwrap_or(location);
    fold::rehomed(unnumbered(location).trim_end())
}

fn unnumbered(location: &str) -> &str {
    let counted = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, "0"));
        [first, last].iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    // src/a.rs:12, src/a.rs:12:5, src/a.rs:12-14
    if let Some((rest, _)) =
        location.rsplit_once(':').filter(|(rest, last)| counted(last) && !rest.is_empty())
    {
        return match rest.rsplit_once(':') {
            Some((path, line)) if counted(line) && !path.is_empty() => path,
            _ => rest,
        };
    }
    // src/a.ts(12,5)
    if let Some((path, inner)) = location.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        let position = inner.split(',').all(|part| counted(part.trim()));
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if position && !extension.is_empty() && extension.chars().all(char::is_alphanumeric) {
            return path;
        }
    }
    // src/a.py, line 12
    let words = location.trim_end_matches(')');
    if let Some((rest, _)) = words.rsplit_once(' ').filter(|(_, number)| counted(number)) {
        for word in ["line", "lines", "Line", "Lines"] {
            if let Some(path) =
                rest.strip_suffix(word).filter(|path| path.ends_with([' ', '(', ',']) && path.len() > 1)
            {
                return path.trim_end_matches([' ', '(', ',']);
            }
        }
    }
    location
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(location: &str, error: &str) -> Fingerprint {
        let failure = Failure { location: location.to_owned(), error: error.to_owned(), suggestion: None };
        fingerprint(&failure)
    }

    #[test]
    fn val_12_the_line_and_column_at_the_end_of_a_location_do_not_count() {
        let same = [
            "src/v2/a.rs",
            "src/v2/a.rs:3",
            "src/v2/a.rs:14:7",
            "./src/v2/a.rs:9:",
            "src/v2/a.rs(3,4)",
            "src/v2/a.rs, line 12",
            "src/v2/a.rs:3-9",
            "`src/v2/a.rs:3`",
        ];
        for location in same {
            assert_eq!(of(location, "x"), of("src/v2/a.rs", "x"), "{location}");
        }
        for location in
            ["src/v1/a.rs:3", "src/v2/a.rs:login", "src/v2/a2.rs:3", "src/a.rs", "test_a[3]", ":3"]
        {
            assert_ne!(of(location, "x"), of("src/v2/a.rs", "x"), "{location}");
        }
        assert_ne!(of("test_a[3]", "x"), of("test_a[4]", "x"), "digits in names stay");
        assert_ne!(of("add(1,2)", "x"), of("add(3,4)", "x"));
    }

    #[test]
    fn val_12_order_and_repeats_do_not_matter() {
        let one = |location: &str| Failure {
            location: location.to_owned(),
            error: "x 1".to_owned(),
            suggestion: None,
        };
        let (first, again) = ([one("a:1"), one("b:2")], [one("b:9"), one("a:4"), one("b:3")]);
        assert_eq!(digest(&first), digest(&again));
        assert_ne!(digest(&first), digest(&first[..1]));
        assert_ne!(digest(&[]), digest(&first));
        let hint = Failure { suggestion: Some("try harder".to_owned()), ..one("a:1") };
        assert_eq!(digest(&[hint]), digest(&first[..1]), "what might help is no part of it");
    }
}
