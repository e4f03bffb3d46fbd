//! Did you mean: the known word that a mistyped one is nearest to.

/// A word with more slips than this is another word.
const SLIPS: usize = 3;

/// The word that was probably meant: at most three slips away, and of a short word less than half. Letter case, `_`,
/// `-` and spaces make no difference.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = fold(given);
    let near = known.into_iter().filter_map(|word| Some((slips(&given, &fold(word))?, word))).min();
    near.map(|(_, word)| word)
}

fn fold(word: &str) -> String {
    word.trim().to_lowercase().replace(['_', ' '], "-")
}

/// How far the one is from the other, if it can be a slip for it.
fn slips(given: &str, known: &str) -> Option<usize> {
    let most = (known.len() / 2).min(SLIPS);
    // Only words of about its length can be near, and comparing a long one is dear.
    let alike = known.len().abs_diff(given.len()) <= most;
    alike.then(|| strsim::damerau_levenshtein(given, known)).filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn msg_3_a_slip_hears_of_the_nearest_word_and_another_word_of_none() {
        let known = ["limit", "after", "task_id", "no"];
        for (given, near) in [
            ("limt", Some("limit")),
            ("TASK-ID", Some("task_id")),
            ("aftre", Some("after")),
            ("q", None),
            ("elsewhere", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), near, "{given}");
        }
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
