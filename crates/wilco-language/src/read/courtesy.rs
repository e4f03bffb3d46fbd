//! Plain courtesy: thanks, greetings, a thumb up. It moves nothing, and nobody is told.
//!
//! Every clause must be one of these phrases, perhaps with what the thanks are for. A word that could be meant as an
//! answer (`ok`, `got it`, `will do`) is no courtesy.

use super::sentence::{Clause, find, sentences};
use super::text;

/// How a clause of thanks or greeting begins.
const OPENERS: [&str; 48] = [
    "merci",
    "danke",
    "vielen dank",
    "gracias",
    "muchas gracias",
    "thank",
    "thanks",
    "thx",
    "ty",
    "tysm",
    "cheers",
    "many thanks",
    "much appreciated",
    "appreciated",
    "appreciate it",
    "i appreciate",
    "much obliged",
    "you are welcome",
    "welcome",
    "no worries",
    "my pleasure",
    "good morning",
    "good evening",
    "good afternoon",
    "good night",
    "good day",
    "good catch",
    "good job",
    "good work",
    "nice work",
    "nice one",
    "great work",
    "great job",
    "well done",
    "hi",
    "hello",
    "hey",
    "bye",
    "have a",
    "enjoy",
    "best regards",
    "kind regards",
    "best wishes",
    "regards",
    "see you",
    "take care",
    "congratulations",
    "congrats",
];
/// What may stand alone beside them.
const ALONE: [&str; 16] = [
    "great",
    "nice",
    "awesome",
    "perfect",
    "cool",
    "lovely",
    "excellent",
    "wonderful",
    "brilliant",
    "best",
    "boss",
    "team",
    "all",
    "everyone",
    "again",
    "and",
];
/// Whoever says one of these says something of their own.
const OWN: [&str; 15] = [
    "i", "we", "will", "am", "not", "but", "done", "ready", "can", "could", "should", "please", "start",
    "starting", "now",
];

/// Whether the text is nothing but courtesy: kind words, or signs without words.
pub fn is_courtesy(body: &str) -> bool {
    let own = text::lines(body).into_iter().filter(|line| line.own() && !line.blank());
    let signs = own.flat_map(|line| line.text.chars()).filter(|c| !c.is_whitespace()).count();
    let read = sentences(body);
    let quiet = read.iter().all(|one| one.clauses.is_empty());
    if quiet {
        return signs > 0
            && signs <= 16
            && !body.contains(['?', '>', '`'])
            && !body.contains(['✅', '❌', '🛑', '⛔', '✔']);
    }
    read.iter().all(|one| {
        !one.asks
            && one
                .clauses
                .iter()
                .enumerate()
                .all(|(at, clause)| is_kind(clause) || (at > 0 && is_called(clause)))
    })
}

/// Whoever is thanked: `Thanks, Wilco!`
fn is_called(clause: &Clause) -> bool {
    matches!(clause.words.as_slice(), [name] if name == "wilco" || (name.contains('-') && name.contains(|c: char| c.is_ascii_digit())))
}

/// The same with a word of assent beside it, where nothing is awaited that it could answer: `Understood, thanks.`
pub fn is_assent(body: &str) -> bool {
    const ASSENT: [&str; 14] = [
        "understood",
        "will do",
        "noted",
        "sure",
        "no problem",
        "of course",
        "ok",
        "okay",
        "got it",
        "acknowledged",
        "roger",
        "on it",
        "alright",
        "thanks will do",
    ];
    let assents = |clause: &Clause| {
        let words = clause.words.join(" ");
        ASSENT.contains(&words.as_str()) || is_kind(clause)
    };
    let read = sentences(body);
    !read.is_empty()
        && read.iter().all(|one| !one.asks && !one.clauses.is_empty() && one.clauses.iter().all(assents))
}

fn is_kind(clause: &Clause) -> bool {
    const LONGEST: usize = 12;
    let words: Vec<_> = clause.words.iter().map(String::as_str).collect();
    let opener = OPENERS.iter().find(|phrase| find(&words, phrase) == Some(0));
    let behind = opener.map(|phrase| &words[phrase.split(' ').count()..]);
    let alone = words.iter().all(|word| ALONE.contains(word));
    let kind =
        behind.is_some_and(|rest| rest.len() <= LONGEST && !rest.iter().any(|word| OWN.contains(word)));
    alone || kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_1_thanks_and_signs_are_courtesy_and_answers_are_not() {
        let kind = [
            "Thanks!",
            "👍",
            "🙂👍",
            "ty :)",
            "Thank you, boss 🙏",
            "Cheers, have a good one!",
            "Good morning! 👋",
            "**Thank you!** 🎉",
            "Much appreciated.",
            "You're welcome!",
            "Great, thank you very much.",
            "Good catch 👏",
            "No worries, thanks for letting me know!",
            "Thanks for the quick answer!",
            "Hi boss!",
            "Well done, thanks",
            "Thanks, Wilco!",
            "Thank you, tester-9!",
        ];
        for body in kind {
            assert!(is_courtesy(body), "{body}");
        }
        let meant = [
            "ok",
            "Got it",
            "thanks, will do!",
            "Thanks, I'm done",
            "No.",
            "yes",
            "Great, starting now",
            "",
            "Thanks? For what?",
            "> thanks",
            "Understood",
            "✅",
            "Thanks. GH-1 is done.",
        ];
        for body in meant {
            assert!(!is_courtesy(body), "{body}");
        }
    }
}
