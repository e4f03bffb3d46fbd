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

/// Slips that make one agent's name another's.
const NAME_SLIPS: usize = 2;
/// Longer texts are nobody's name, and comparing them is dear.
const LONGEST_NAME: usize = 256;

/// The known agent that a name is probably a slip for: at most two letters of it, and less than half. Names that
/// differ only in digits are two agents.
pub fn near_name<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.trim().to_lowercase();
    let bare = |name: &str| -> String { name.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let slips = |name: &str| {
        let name = name.to_lowercase();
        let longer = name.chars().count().max(given.chars().count());
        if name == given || longer > LONGEST_NAME || name.len().abs_diff(given.len()) > 4 * NAME_SLIPS {
            return None;
        }
        let slips = strsim::damerau_levenshtein(&given, &name);
        let near = slips <= NAME_SLIPS && slips * 2 < longer && bare(&name) != bare(&given);
        near.then_some(slips)
    };
    known.into_iter().filter_map(|name| Some((slips(name)?, name))).min().map(|(_, name)| name)
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
    use super::{near_name, nearest};

    #[test]
    fn talk_40_a_name_is_near_by_two_slips_and_never_by_its_digits_alone() {
        let known = ["worker", "impl-101", "w1", "orchestrator"];
        for (given, near) in [
            ("wroker", Some("worker")),
            ("workers", Some("worker")),
            ("Worker", None),
            ("impl-102", None),
            ("imp-101", Some("impl-101")),
            ("w2", None),
            ("worker2", None),
            ("orchestratr", Some("orchestrator")),
            ("helper", None),
        ] {
            assert_eq!(near_name(given, known), near, "{given}");
        }
    }

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
