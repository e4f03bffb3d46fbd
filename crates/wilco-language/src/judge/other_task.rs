//! Whether an understanding names another task than its own. Which ids are those of open tasks is the engine's to know.

use std::collections::HashSet;

use super::folded::folded;

/// How an understanding names another task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherTask {
    pub id: String,
    /// It says that it is about that one, not only that there is one.
    pub instead: bool,
}

/// Ids that a text may name, in small letters: what it begins with, and what is written like an id.
pub fn possible_ids(text: &str) -> Vec<String> {
    const MOST: usize = 40;
    let text = folded(text).to_lowercase();
    let mut seen = HashSet::new();
    let led = leading(&text).into_iter();
    let ids = led.chain(tokens(&text).filter(|word| is_written_like_one(word)));
    ids.filter(|word| seen.insert(*word)).take(MOST).map(str::to_owned).collect()
}

/// The other task that is named, if one is. `own`: what this one is called; `open`: ids of other open tasks.
pub fn other_task(own: &[&str], task: &str, understanding: &str, open: &[String]) -> Option<OtherTask> {
    let (task, said) = (folded(task).to_lowercase(), folded(understanding).to_lowercase());
    let own: Vec<String> = own.iter().map(|id| folded(id).trim().to_lowercase()).collect();
    let of_task: HashSet<&str> = tokens(&task).collect();
    let strange = |word: &str| !own.iter().any(|own| own == word) && !of_task.contains(word);
    let is_open = |word: &str| open.iter().any(|id| id.to_lowercase() == word);
    if let Some(id) = leading(&said).filter(|id| strange(id)) {
        let known = is_open(id) || own.iter().any(|own| is_numbered_like(own, id));
        let foreign = || is_written_like_one(id) && !is_of_the_words(id, &task);
        if known || foreign() {
            return Some(OtherTask { id: id.to_owned(), instead: known });
        }
    }
    let named = tokens(&said).any(|word| own.iter().any(|own| own == word));
    let words: Vec<&str> = tokens(&said).collect();
    let at = words.iter().position(|word| is_written_like_one(word) && strange(word) && is_open(word))?;
    let beside = words[..at].iter().rev().take(4).any(|word| BESIDE.contains(word));
    Some(OtherTask { id: words[at].to_owned(), instead: !named && !beside })
}

/// Who says these before an id speaks of something beside its own task.
const BESIDE: [&str; 24] = [
    "after",
    "before",
    "like",
    "unlike",
    "as",
    "than",
    "with",
    "from",
    "depends",
    "needs",
    "blocked",
    "see",
    "once",
    "until",
    "without",
    "not",
    "while",
    "similar",
    "since",
    "when",
    "if",
    "by",
    "alongside",
    "besides",
];

/// `ID:` at the beginning, also as `[ID]`, `Task ID:` or `ID -`.
fn leading(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "*#>`\"'".contains(c));
    let rest = ["task ", "re: ", "ack "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_start();
    if let Some((id, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return Some(id.trim()).filter(|id| !id.is_empty() && !id.contains(char::is_whitespace));
    }
    let (id, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let dashed = ["-", "–", "—", ":"].iter().any(|dash| {
        after.trim_start().strip_prefix(dash).is_some_and(|after| after.starts_with(char::is_whitespace))
    });
    let bare = id.trim_end_matches([':', '*', '`']);
    (bare.len() < id.len() || dashed).then_some(bare).filter(|id| id.contains(char::is_alphanumeric))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| !c.is_alphanumeric() && c != '#';
    let split = text.split(|c: char| c.is_whitespace() || "(),;:\"'`[]".contains(c));
    split.map(move |word| word.trim_matches(edge)).filter(|word| !word.is_empty())
}

/// `GH-7`, `key-rotation`, `auth_b`, `#12`: more than a word, and more than a number.
fn is_written_like_one(word: &str) -> bool {
    let parts = word.contains(['-', '_', '#', '.', '/']) || word.contains(|c: char| c.is_ascii_digit());
    parts && (word.contains(char::is_alphabetic) || word.starts_with('#')) && !EVERYDAY.contains(&word)
}

/// Whoever begins with these names no task.
const EVERYDAY: [&str; 8] =
    ["to-do", "follow-up", "step-by-step", "in-scope", "re-stated", "e.g", "i.e", "tl;dr"];

/// `GH-99` beside `GH-7`.
fn is_numbered_like(own: &str, id: &str) -> bool {
    let prefix =
        |id: &str| id.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0).map(|at| id[..at].to_owned());
    prefix(own).is_some() && prefix(own) == prefix(id)
}

/// "Rate-limit: …" of a task that speaks of rates and limits.
fn is_of_the_words(id: &str, task: &str) -> bool {
    let mut parts = id.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.any(|part| part.len() > 3 && task.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "Rate limit the login\nSixth attempt within 10 minutes returns 429\nTests pass";

    fn found(own: &str, said: &str, open: &[&str]) -> Option<(String, bool)> {
        let open: Vec<String> = open.iter().map(|id| (*id).to_owned()).collect();
        other_task(&[own], TASK, said, &open).map(|other| (other.id, other.instead))
    }

    #[test]
    fn ju_4_another_tasks_id_is_noticed_in_whatever_form() {
        let rest = "the 6th try gets a 429; all tests green";
        for (own, open, id) in [
            ("login-limit-x", "key-rotation", "key-rotation"),
            ("AUTH-A", "AUTH-B", "auth-b"),
            ("GH-7", "", "gh-99"),
            ("T-1", "payments", "payments"),
        ] {
            for form in [format!("{id}: {rest}"), format!("[{id}] {rest}"), format!("Task {id} - {rest}")] {
                assert_eq!(found(own, &form, &[open]), Some((id.to_owned(), true)), "{form}");
            }
        }
        let wide = format!("key\u{200b}-rotаtion: {rest}");
        assert_eq!(found("T-1", &wide, &["key-rotation"]), Some(("key-rotation".to_owned(), true)));
        assert_eq!(
            found("T-1", &format!("key-rotation: {rest}"), &[]),
            Some(("key-rotation".to_owned(), false))
        );
        let within = format!("I take key-rotation now, {rest}");
        assert_eq!(found("T-1", &within, &["key-rotation"]), Some(("key-rotation".to_owned(), true)));
        let after = format!("After key-rotation {rest}");
        assert_eq!(found("T-1", &after, &["key-rotation"]), Some(("key-rotation".to_owned(), false)));
    }

    #[test]
    fn ju_4_who_names_its_own_task_or_none_is_not_mistaken() {
        for said in [
            "T-1: the sixth try gets a 429; all tests green",
            "Understood: the sixth try gets a 429",
            "Rate-limit: the sixth try gets a 429, e.g. by a per-user counter in a 10-minute window",
            "429 - that is what the sixth try gets",
            "[ok] the sixth try gets a 429",
        ] {
            assert_eq!(found("T-1", said, &["key-rotation", "T-2"]), None, "{said}");
        }
    }

    #[test]
    fn ju_2_what_may_be_an_id_is_looked_up() {
        assert_eq!(possible_ids("payments: see AUTH-B, not 429 or now"), ["payments", "auth-b"]);
    }
}
