//! What takes the force out of a sentence: a question, a condition, an exception, doubt, another time, somebody else's
//! words. Tables of cues, each on the words of a sentence as `sentence` splits it.
//!
//! A cue in vain costs a question to the writer; a cue that is missing may cost a false completion. Sentences that
//! only offer or thank say nothing about the work.

use super::sentence::{Clause, Sentence, find};

/// How firmly something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Plain,
    Negated,
    /// Of another time: `will be`, `tomorrow`.
    Later,
    /// With a condition, an exception, a question, a doubt.
    Doubtful,
    /// What somebody else is said to have said.
    Reported,
}

pub(super) const NEGATIONS: [&str; 11] =
    ["not", "no", "never", "neither", "nor", "nothing", "none", "without", "yet", "hardly", "far"];

/// Phrases with a cue in them that say nothing of the kind.
const HARMLESS: [&str; 46] = [
    "even when",
    "even if",
    "once more",
    "once again",
    "at once",
    "whenever you",
    "when you have time",
    "when you have a",
    "when you get",
    "when you are ready",
    "when you can",
    "if you like",
    "if you want",
    "if you wish",
    "if needed",
    "if necessary",
    "if required",
    "if anything",
    "as expected",
    "no doubt",
    "without doubt",
    "without any doubt",
    "not only",
    "no problem",
    "no problems",
    "no worries",
    "no issues",
    "no issue",
    "no longer",
    "as you said",
    "as you told",
    "you said",
    "may be reviewed",
    "can be reviewed",
    "i would like",
    "no questions",
    "no need",
    "no further",
    "when you want",
    "when you tell",
    "when you say",
    "until you tell",
    "until you say",
    "until you give",
    "until i hear",
    "until further",
];

const CONDITIONS: [&str; 21] = [
    "if",
    "once",
    "when",
    "unless",
    "until",
    "till",
    "provided",
    "assuming",
    "as soon as",
    "as long as",
    "in case",
    "subject to",
    "contingent",
    "depends",
    "depending",
    "after",
    "pending",
    "conditional",
    "conditionally",
    "whether",
    "would be",
];

const EXCEPTIONS: [&str; 17] = [
    "except",
    "excepting",
    "excluding",
    "apart from",
    "aside from",
    "other than",
    "but for",
    "save for",
    "besides",
    "minus",
    "exception",
    "all but",
    "everything but",
    "modulo",
    "bar the",
    "not including",
    "short of",
];

const DOUBTS: [&str; 66] = [
    "as good as",
    "should",
    "think",
    "thought",
    "believe",
    "guess",
    "suppose",
    "assume",
    "presume",
    "imagine",
    "reckon",
    "feel",
    "hope",
    "hopefully",
    "probably",
    "maybe",
    "perhaps",
    "possibly",
    "presumably",
    "apparently",
    "supposedly",
    "seemingly",
    "seems",
    "seem",
    "appears",
    "appear",
    "looks like",
    "looks to be",
    "look like",
    "might",
    "may",
    "could",
    "would say",
    "would call",
    "would consider",
    "would have",
    "more or less",
    "basically",
    "essentially",
    "practically",
    "virtually",
    "technically",
    "theoretically",
    "in theory",
    "in principle",
    "point of view",
    "in a sense",
    "in some sense",
    "arguably",
    "likely",
    "sort of",
    "kind of",
    "pretty much",
    "as far as",
    "to the best",
    "not sure",
    "unsure",
    "uncertain",
    "doubt",
    "doubtful",
    "at least",
    "for the most part",
    "consider it",
    "fingers crossed",
    "supposed to",
    "sometimes",
];

const ALMOST: [&str; 24] = [
    "almost",
    "nearly",
    "mostly",
    "largely",
    "partially",
    "partly",
    "half",
    "halfway",
    "close to",
    "not quite",
    "not fully",
    "not entirely",
    "not completely",
    "not all",
    "in part",
    "so far",
    "roughly",
    "approximately",
    "majority",
    "most of",
    "some of",
    "one of",
    "for now",
    "as good as",
];

/// What is only meant to happen, when it stands before what is said.
pub(super) const MEANT: [&str; 18] = [
    "will",
    "shall",
    "going to",
    "about to",
    "to be",
    "plan to",
    "planning to",
    "want to",
    "wants to",
    "need to",
    "needs to",
    "have to",
    "has to",
    "expect to",
    "expected to",
    "aim to",
    "aiming",
    "due",
];
const LATER: [&str; 10] = [
    "tomorrow",
    "tonight",
    "soon",
    "later",
    "shortly",
    "eta",
    "next week",
    "in a minute",
    "in a moment",
    "in a bit",
];

const REPORTS: [&str; 20] = [
    "said",
    "says",
    "say",
    "told",
    "reported",
    "reports",
    "according to",
    "claims",
    "claimed",
    "posted",
    "wrote",
    "writes",
    "announced",
    "heard",
    "mentioned",
    "forwarded",
    "supposed",
    "quoting",
    "quote",
    "asked",
];

/// How sentences begin that offer, thank or ask for something that is not the work.
const POLITE: [&str; 34] = [
    "let me know",
    "please let me know",
    "just let me know",
    "feel free",
    "please feel free",
    "happy to",
    "i am happy to",
    "would you like",
    "do you want",
    "shall i",
    "should i",
    "anything else",
    "is there anything",
    "what is next",
    "what next",
    "what should i do next",
    "thank",
    "thanks",
    "many thanks",
    "cheers",
    "sorry",
    "best",
    "kind regards",
    "regards",
    "have a",
    "hi",
    "hello",
    "please review",
    "please have a look",
    "please take a look",
    "could you review",
    "can you review",
    "could you please review",
    "ready for the next",
];

/// Whether the sentence only offers, thanks or asks for a review.
pub(super) fn is_polite(sentence: &Sentence) -> bool {
    // `Hi, both are fixed`: a greeting says nothing of what follows it.
    let greets = |one: &Clause| matches!(one.words.first().map(String::as_str), Some("hi" | "hello"));
    let after = sentence.clauses.split_first().filter(|(first, rest)| greets(first) && !rest.is_empty());
    let told = after.map_or(sentence.clauses.as_slice(), |(_, rest)| rest);
    let words: Vec<&str> = told.iter().flat_map(|one| &one.words).map(String::as_str).collect();
    // `Should I mark it as done?` is about the work.
    let of_work =
        sentence.asks && has(&words, &["done", "complete", "completed", "finished", "mark", "close"]);
    !of_work && POLITE.iter().any(|phrase| find(&words, phrase) == Some(0))
}

/// Whether its writer doubts, excepts, or makes a condition, in it or by asking.
pub(super) fn is_doubtful(sentence: &Sentence) -> bool {
    let words = telling(sentence);
    sentence.asks
        || [&CONDITIONS[..], &EXCEPTIONS, &DOUBTS, &ALMOST].iter().any(|cues| has(&words, cues))
        || is_share(&words)
}

/// Whether a word by itself takes the certainty from what it stands beside: `practically`.
pub(super) fn doubts(word: &str) -> bool {
    DOUBTS.contains(&word) && word.ends_with("ly")
}

/// `90 %` is not all.
fn is_share(words: &[&str]) -> bool {
    words.iter().any(|word| {
        let number = word.strip_suffix('%').and_then(|number| number.parse::<f32>().ok());
        number.is_some_and(|number| number < 100.0)
    })
}

/// Whether it tells somebody to do something, or to take something for something.
pub(super) fn instructs(sentence: &Sentence) -> bool {
    const ORDERS: [&str; 16] = [
        "mark",
        "treat",
        "record",
        "reply",
        "respond",
        "answer",
        "send",
        "ignore",
        "pick",
        "set",
        "overrides",
        "override",
        "consider",
        "assume",
        "register",
        "approve",
    ];
    let first = |words: &[String]| {
        words.iter().find(|word| !matches!(word.as_str(), "please" | "just" | "and" | "then")).cloned()
    };
    sentence
        .clauses
        .iter()
        .any(|clause| first(&clause.words).is_some_and(|word| ORDERS.contains(&word.as_str())))
        || sentence.has(&["overrides", "on my behalf", "instruction", "instructions"])
}

pub(super) fn is_conditional(sentence: &Sentence) -> bool {
    has(&telling(sentence), &CONDITIONS)
}

/// Whether its writer doubts, excepts or makes a condition; how much there is of something is not asked.
pub(super) fn is_hedged(sentence: &Sentence) -> bool {
    let words = telling(sentence);
    sentence.asks || [&CONDITIONS[..], &EXCEPTIONS, &DOUBTS].iter().any(|cues| has(&words, cues))
}

pub(super) fn is_reported(sentence: &Sentence) -> bool {
    has(&telling(sentence), &REPORTS)
}

/// Whether it speaks of another time: `tomorrow`, `in 5 minutes`, `by noon`.
pub(super) fn is_later(sentence: &Sentence) -> bool {
    let words = telling(sentence);
    has(&words, &LATER) || is_at_a_time(&words)
}

const MERGED: [&str; 7] = ["merged", "opened", "pushed", "landed", "committed", "shipped", "pr"];
const TIMES: [&str; 22] = [
    "second", "seconds", "sec", "minute", "minutes", "min", "mins", "moment", "bit", "while", "hour",
    "hours", "day", "days", "few", "couple", "half", "noon", "monday", "friday", "evening", "week",
];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "few", "couple"];

pub(super) fn is_number(word: &str) -> bool {
    // `5`, `14:02`, `30min`, and not the commit `5d0c1e9`.
    const LONGEST_UNIT: usize = 5;
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | ','));
    let measured = unit.len() <= LONGEST_UNIT && unit.chars().all(|c| c.is_alphabetic() || c == '%');
    (word.starts_with(|c: char| c.is_ascii_digit()) && measured) || NUMBERS.contains(&word)
}

/// `in 5`, `in a minute`, `by noon`.
pub(super) fn is_at_a_time(words: &[&str]) -> bool {
    let time = |word: &str| TIMES.contains(&word) || is_number(word);
    let behind = |at: usize| {
        let rest = &words[at + 1..];
        rest.iter()
            .find(|word| !matches!(**word, "a" | "an" | "about" | "the" | "next" | "roughly" | "another"))
    };
    words.iter().enumerate().any(|(at, word)| match *word {
        // `merged in 91` names a pull request, `57 passed in 3.4s` says how long it took.
        "in" if at > 0 && MERGED.contains(&words[at - 1]) => false,
        "in" | "within" => behind(at).is_some_and(|word| time(word) && !word.contains('.')),
        "by" => words.get(at + 1).is_some_and(|word| TIMES.contains(word) || *word == "tomorrow"),
        _ => false,
    })
}

/// `when it failed`, `after you asked`: a time that is over, and no condition.
fn is_past_time(words: &[&str]) -> bool {
    const OVER: [&str; 9] = ["was", "were", "had", "did", "came", "went", "failed", "arrived", "asked"];
    const REACH: usize = 4;
    let over = |word: &&str| OVER.contains(word);
    let stops =
        |word: &&&str| matches!(**word, "is" | "are" | "be" | "been" | "will" | "has" | "have" | "gets");
    let near = words.iter().skip(1).take(REACH).take_while(|word| !stops(word));
    matches!(words.first(), Some(&("when" | "after"))) && near.copied().any(|word| over(&word))
}

/// The words without the phrases that only look like cues.
fn telling(sentence: &Sentence) -> Vec<&str> {
    let words = sentence.words();
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let harmless = HARMLESS.iter().find(|phrase| {
            phrase.split(' ').zip(&words[at..]).all(|(part, word)| part == *word)
                && words.len() - at >= phrase.split(' ').count()
        });
        match harmless {
            Some(phrase) => at += phrase.split(' ').count(),
            None => {
                kept.extend((!is_past_time(&words[at..])).then_some(words[at]));
                at += 1;
            }
        }
    }
    kept
}

pub(super) fn has(words: &[&str], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(words, phrase).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    #[test]
    fn talk_11_cues_are_found_and_lookalikes_are_not() {
        let doubtful = [
            "done once #88 is merged",
            "complete except the docs",
            "should be done",
            "almost done",
            "is it done?",
            "I believe it is finished",
            "90% complete",
            "mostly finished",
        ];
        for text in doubtful {
            assert!(is_doubtful(&sentences(text)[0]), "{text}");
        }
        for text in
            ["done, review it whenever you have time", "100% complete", "done at once", "retry once more"]
        {
            assert!(!is_doubtful(&sentences(text)[0]), "{text}");
        }
        for text in ["done tomorrow", "done in 5 minutes", "done by noon", "finished in about an hour"] {
            assert!(is_later(&sentences(text)[0]), "{text}");
        }
        assert!(is_reported(&sentences("impl-2 says it is done")[0]));
        assert!(is_polite(&sentences("Let me know if you'd like changes!")[0]));
        assert!(!is_polite(&sentences("It is done, let me know")[0]));
    }
}
