//! What somebody decides about an escalation in words: `[DECISION] GH-42 retry`, "reassign it to impl-101".
//!
//! One option, said plainly. Two options, a question, a condition, a wish that something not happen decide nothing.

use serde_json::{Map, Value};
use wilco_protocol::delegation::AckStatus;
use wilco_protocol::time::Span;

use super::ack::exact_status;
use super::claim::About;
use super::mood::{self, is_polite};
use super::sentence::{Clause, Sentence, find, is_disguised, sentences};
use super::status_object;
use super::text;
use super::turns::{Turn, turn_of};
use super::words::{Word, words};

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDecision {
    pub option: String,
    pub agent: Option<String>,
    pub time: Option<Span>,
    pub status: Option<AckStatus>,
}

/// How the options are said; `*` is any word.
const SAID: [(&str, &str); 11] = [
    (
        "retry",
        "retry, try again, try it again, retry it, one more try, one more time, * try again, restart it, run it again, \
         send * the message, ask * again, ping him, ping her, ping it, ping them",
    ),
    (
        "reassign",
        "reassign, reassigned, give it to, give the task to, give * to, hand it to, hand the task to, hand it over to, assign it to, \
         pass it to, * should take over, * takes over, * do it",
    ),
    ("accept-as", "accept-as, accept as, take it as"),
    ("accept", "accept, accept it"),
    (
        "extend",
        "extend, extend it, give it more time, give him more time, give them more time, more time, give it another, \
         give them another, give * * more minutes, give * * more hours, it have * more minutes, it have * more hours, give it 30, allow another, \
         give it * more minutes, give it * more hours",
    ),
    (
        "abort",
        "abort, abort it, cancel it, cancel the task, give up on it, drop it, call it off, kill it, forget about it",
    ),
    ("proceed", "proceed, go ahead"),
    ("manual-fix", "manual-fix, manual fix, fixed it by hand, fixed by hand, fixed it manually"),
    ("skip", "skip, skip it"),
    ("override", "override, override it"),
    ("provide_alternative_agent", "provide_alternative_agent, provide-alternative-agent, alternative agent"),
];
/// What may follow an option that is ordered, for those that are words of everyday talk too: `abort it`, and not
/// `abort criteria`, `accept my apologies`, `retry limits`.
const BEHIND: [(&str, &str); 3] = [
    ("abort", "it this that gh-* del-* the task now please immediately work delegation"),
    ("accept", "it this the as understanding"),
    ("retry", "it this that with once the now please again gh-* del-* impl-* after please"),
];
/// And what may not come after a `the`: `retry the link`.
const THINGS: [&str; 9] =
    ["link", "invite", "meeting", "deploy", "call", "page", "request", "task force", "login"];

/// Whoever says so has not decided.
const UNDECIDED: [&str; 12] = [
    "let me think",
    "what do you think",
    "before i decide",
    "recommendation",
    "recommend",
    "either",
    "i would have",
    "not decided",
    "undecided",
    "your choice",
    "you decide",
    "not sure",
];

/// The decision that a text makes among these options.
pub fn decision(body: &str, options: &[&str], about: &About<'_>) -> Option<ReadDecision> {
    if is_disguised(body) {
        return None;
    }
    let spoken: Vec<_> = words(body).into_iter().filter(|one| one.word == Word::Decision).collect();
    if !spoken.is_empty() {
        if takes_back(body) || spoken.iter().any(|one| unsettles(&one.rest)) {
            return None;
        }
        let own = spoken.iter().filter(|one| one.id.as_ref().is_none_or(|id| about.is_own(id)));
        let mut read: Vec<_> = own.map(|one| by_word(&one.rest, options)).collect();
        read.dedup();
        return read.pop().filter(|_| read.is_empty()).flatten();
    }
    if let Some(stated) = status_object::stated(body, about) {
        let plain = status_object::is_decided(&stated.object);
        return by_object(&stated.status, &stated.object, options).filter(|_| plain);
    }
    if let Some((option, object)) = status_object::unnamed(body, &["decision", "option"]) {
        return by_object(&option, &object, options);
    }
    let read: Vec<_> = sentences(body).into_iter().filter(|one| !is_polite(one)).collect();
    if read.iter().any(|one| one.has(&UNDECIDED) || one.asks) {
        return None;
    }
    let mut found: Vec<(&'static str, &Sentence)> = Vec::new();
    let mut refused = Vec::new();
    for sentence in &read {
        for (at, clause) in sentence.clauses.iter().enumerate() {
            for option in named(clause, options) {
                let answer = sentence.clauses.get(at + 1).filter(|next| next.keyed);
                if doubted(clause)
                    || answer.is_some_and(doubted)
                    || mood::is_conditional(sentence)
                    || mood::is_reported(sentence)
                {
                    return None;
                }
                if denied(clause) || answer.is_some_and(denied) {
                    refused.push(option);
                } else {
                    // Told of, of another time or of another task: `the retry failed`, `abort GH-7`.
                    if !is_led_to(clause, option) || is_of_other(sentence, option, about) {
                        return None;
                    }
                    found.push((option, sentence));
                }
            }
        }
    }
    if read.iter().any(|one| turn_of(one, &[Turn::TakenBack]).is_some()) {
        return None;
    }
    let (option, sentence) = *found.first()?;
    let only = found.iter().all(|(other, _)| *other == option) && !refused.contains(&option);
    let turned = turn_of(sentence, &[Turn::TakenBack, Turn::Undone, Turn::Foreign]).is_some();
    let later = turn_of(sentence, &[Turn::Later]).is_some();
    // The work itself is nobody who could take it.
    let words: Vec<_> = sentence.words().into_iter().filter(|word| !about.is_own(word)).collect();
    let one = option != "reassign" || !chooses(&words);
    // `I will accept it` decides.
    let some_time =
        mood::is_at_a_time(&words) || mood::has(&words, &["tomorrow", "later", "soon", "tonight", "next"]);
    let will = matches!(words.as_slice(), ["i" | "we", "will", ..]) && !some_time;
    (only && one && !turned && (!later || will) && (option == "extend" || will || !mood::is_later(sentence)))
        .then(|| filled(option, &words))
}

/// Something behind the option that leaves it open: `abort is not an option`, `abort unless impl-2 is free`.
fn unsettles(rest: &str) -> bool {
    const OPEN: [&str; 15] = [
        "not", "no", "would", "unless", "if", "pending", "draft", "tomorrow", "later", "until", "once",
        "when", "maybe", "wrong", "confirm",
    ];
    // A reason stands behind a dash or a dot: `retry - the network was down`.
    let head = rest.split([';', '.', ',']).next().unwrap_or(rest);
    let head = head.split_once(" - ").map_or(head, |(head, _)| head);
    let reason = rest.get(head.len()..).unwrap_or_default();
    let open = |text: &str, cues: &[&str]| sentences(text).iter().any(|one| one.has(cues));
    open(head, &OPEN) || open(reason, &["wait", "draft", "confirm", "unless", "kidding", "else"])
}

/// Another sentence that takes a decision back, or asks about it.
fn takes_back(body: &str) -> bool {
    let read = sentences(body);
    read.iter().any(|one| turn_of(one, &[Turn::TakenBack]).is_some() || (one.asks && !is_polite(one)))
}

/// Whether another piece of work is named. Whoever takes a task over has a name of its own.
fn is_of_other(sentence: &Sentence, option: &str, about: &About<'_>) -> bool {
    let words = sentence.words();
    let id = |word: &&str| {
        let digits = word
            .rsplit('-')
            .next()
            .is_some_and(|end| !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit()));
        word.contains('-') && digits && !about.is_own(word)
    };
    about.names_other(&words) || (option == "abort" && words.iter().any(id))
}

/// `impl-101 or impl-102`, and `impl-101 is free, reassign it to him`: whoever is meant stands elsewhere.
fn chooses(words: &[&str]) -> bool {
    let behind = &words[words.iter().position(|word| *word == "to").unwrap_or(words.len())..];
    let elsewhere = behind.get(1).is_some_and(|word| matches!(*word, "it" | "him" | "her" | "them"));
    elsewhere || behind.iter().any(|word| matches!(*word, "or" | "either"))
}

/// `{"decision": "extend", "task_id": "GH-42", "time": "30m"}`
fn by_object(status: &str, object: &Map<String, Value>, options: &[&str]) -> Option<ReadDecision> {
    let option = options.iter().find(|option| text::fold(option) == *status)?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| object.get(*key)?.as_str());
    Some(ReadDecision {
        option: (*option).to_owned(),
        agent: text(&["agent", "to", "assignee"]).map(str::to_owned),
        time: text(&["time", "by", "duration"]).and_then(|time| time.trim().parse().ok()),
        // The status of the object itself is the decision; which ACK is meant is said in the form.
        status: None,
    })
}

/// What follows an option that is told of: `retry failed`.
const TELLS: &str = "failed did was is has had does count worked succeeded will would button logic loop later \
        tomorrow yesterday already fails on into in locally";

/// Whether a clause begins with the option, perhaps behind words that lead to it.
fn is_led_to(clause: &Clause, option: &str) -> bool {
    const LEADS: &str = "ok okay yes no my our decision decide decided to we want you can will option is now → please \
        just so then rather instead and but have let us go with i choose therefore";
    let words: Vec<_> = clause.words.iter().map(String::as_str).collect();
    let start = words.iter().position(|word| !listed(LEADS, word)).unwrap_or(words.len());
    let said = SAID.iter().filter(|(known, _)| *known == option).flat_map(|(_, said)| said.split(", "));
    let fits = |word: &&str| {
        let known = |row: &str| {
            row.split(' ')
                .any(|one| one.strip_suffix('*').map_or(one == *word, |stem| word.starts_with(stem)))
        };
        BEHIND.iter().find(|(known, _)| *known == option).is_none_or(|(_, row)| known(row))
    };
    let thing = THINGS.iter().any(|thing| mood::has(&words, &[thing]));
    let me = mood::has(&words, &["to me", "give me", "me the message", "me again"]);
    let leads = |phrase: &str| {
        let behind = words.get(start + phrase.split(' ').count());
        let place = phrase.split(' ').position(|part| part == "*");
        let someone = |word: &&str| is_agent(word) || matches!(*word, "him" | "her" | "it" | "them");
        let counted = phrase.contains("more");
        let named = counted || place.is_none_or(|place| words.get(start + place).is_some_and(someone));
        let taken = phrase != "give * to" || words.get(start + 3).is_some_and(|word| is_agent(word));
        let single = !phrase.contains(' ');
        find(&words[start..], phrase) == Some(0)
            && named
            && taken
            && behind.is_none_or(|word| !listed(TELLS, word) && (!single || fits(word)))
    };
    if thing || me {
        return false;
    }
    said.into_iter().any(leads)
}

fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// A name with a number, as agents have.
fn is_agent(word: &str) -> bool {
    word.contains('-') && word.contains(|c: char| c.is_ascii_digit())
}

/// `retry`, `reassign impl-101`, `extend 30m - the suite is slow`.
fn by_word(rest: &str, options: &[&str]) -> Option<ReadDecision> {
    let folded = rest.to_lowercase().replace([',', ';', '*', '`', ':'], " ");
    let words: Vec<_> = folded.split_whitespace().collect();
    let first = words.iter().find(|word| !matches!(**word, "-" | "–" | "—" | "to"))?;
    let is = |option: &&&str| text::fold(option) == text::fold(first);
    let option = options.iter().find(is).map(|option| (*option).to_owned())?;
    let other = words
        .iter()
        .skip_while(|word| *word != first)
        .nth(1)
        .is_some_and(|next| matches!(*next, "or" | "/" | "|"));
    (!other && !rest.contains('|')).then(|| ReadDecision { option, ..filled("", &words) })
}

fn named(clause: &Clause, options: &[&str]) -> Vec<&'static str> {
    let possible = |option: &str| options.contains(&option);
    let mut named: Vec<_> = SAID
        .iter()
        .filter(|(option, said)| possible(option) && said.split(", ").any(|phrase| clause.has(&[phrase])))
        .map(|(option, _)| *option)
        .collect();
    named.dedup();
    named
}

fn denied(clause: &Clause) -> bool {
    clause.has(&["not", "no", "never", "neither", "nor", "pointless", "useless", "instead of", "rather than"])
}

fn doubted(clause: &Clause) -> bool {
    let takes = clause.has(&["* should take over", "* should take it"]);
    clause.has(&["would", "could", "might", "may", "maybe", "perhaps", "think", "probably"])
        || (clause.has(&["should"]) && !takes)
}

/// What an option needs, from the words around it.
fn filled(option: &str, words: &[&str]) -> ReadDecision {
    ReadDecision { option: option.to_owned(), agent: agent(words), time: time(words), status: status(words) }
}

/// The one status of an ACK that is named.
fn status(words: &[&str]) -> Option<AckStatus> {
    let mut named: Vec<_> = words.iter().filter_map(|word| exact_status(word)).collect();
    named.dedup();
    named.pop().filter(|_| named.is_empty())
}

/// The name behind `to`, `reassign` or `agent`, when it looks like one or nothing else can be meant.
fn agent(words: &[&str]) -> Option<String> {
    const NOBODY: &str = "whom whomever whoever you i someone somebody anyone anybody another the a an next other who \
        it this be me us them whichever any please to in with on for from that and now do able";
    // `impl-101 should take over`
    let takes = ["* should take", "* takes over", "* do it"].iter().find_map(|phrase| find(words, phrase));
    let taker = takes.map(|at| words[at]).filter(|word| word.contains('-') && !listed(NOBODY, word));
    if let Some(taker) = taker {
        return Some(taker.to_owned());
    }
    let named = |at: usize| {
        let word = words.get(at + 1)?;
        let leads = matches!(words[at], "to" | "agent" | "reassign");
        let name = !listed(NOBODY, word)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'));
        (leads && name && word.contains(char::is_alphabetic)).then(|| (*word).to_owned())
    };
    (0..words.len()).find_map(named)
}

/// `30m`, `30 minutes`, `half an hour`.
fn time(words: &[&str]) -> Option<Span> {
    if mood::has(words, &["half an hour"]) {
        return "30m".parse().ok();
    }
    if mood::has(words, &["an hour", "one hour"]) {
        return "1h".parse().ok();
    }
    let unit = |word: &str| match word {
        "s" | "sec" | "second" | "seconds" => Some("s"),
        "m" | "min" | "mins" | "minute" | "minutes" | "minuten" | "minutos" | "more" => Some("m"),
        "h" | "hour" | "hours" | "stunde" | "stunden" | "hora" | "horas" => Some("h"),
        "d" | "day" | "days" => Some("d"),
        _ => None,
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
        let given = || word.starts_with(|c: char| c.is_ascii_digit()).then(|| word.parse().ok()).flatten();
        // `2 more hours`
        let skip = usize::from(
            words.get(at + 1) == Some(&"more") && words.get(at + 2).is_some_and(|next| unit(next).is_some()),
        );
        let behind = words.get(at + 1 + skip).and_then(|next| unit(next)).filter(|_| digits);
        behind.and_then(|unit| format!("{word}{unit}").parse().ok()).or_else(|| given().filter(|_| !digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: [&str; 5] = ["retry", "reassign", "accept-as", "extend", "abort"];

    #[test]
    fn talk_14_one_option_said_plainly_decides() {
        let about = About { ids: &["GH-210"], title: "" };
        let table = [
            ("[DECISION] GH-210 retry", Some("retry")),
            ("[DECISION] retry", Some("retry")),
            ("[DECISION] GH-210 - abort, not needed", Some("abort")),
            ("abort", Some("abort")),
            ("Abort it, please.", Some("abort")),
            ("Please try again.", Some("retry")),
            ("reassign it to impl-101", Some("reassign impl-101")),
            ("Give it to impl-2.", Some("reassign impl-2")),
            ("Extend by 30 minutes", Some("extend 30m")),
            ("extend it by half an hour, please", Some("extend 30m")),
            ("[DECISION] GH-210 accept-as received", Some("accept-as received")),
            ("[DECISION] accept-as CLARIFICATION_NEEDED", Some("accept-as needs-clarification")),
            ("[DECISION] GH-210 accept-as received or rejected", Some("accept-as")),
            ("Take it as rejected.", Some("accept-as rejected")),
            ("[DECISION] GH-211 abort", None),
            ("[DECISION] GH-210 retry|abort", None),
            ("[DECISION] GH-210 retry or abort", None),
            ("[DECISION] GH-210 whatever", None),
            ("Don't abort it", None),
            ("retry or abort?", None),
            ("Either retry or reassign.", None),
            ("If it hangs, abort.", None),
            ("> [DECISION] GH-210 abort", None),
            ("I would abort it", None),
            ("More time won't help.\n\n**Reassign to impl-101**, please", Some("reassign impl-101")),
            ("Don't retry, abort.", Some("abort")),
            ("No retry. Please reassign it to impl-2.", Some("reassign impl-2")),
            ("- retry: no, enough\n- abort: no\n- **→ reassign**, you choose the agent", Some("reassign")),
            ("- extend: no\n- retry", Some("retry")),
            ("Gib ihm noch 30 Minuten (extend), der Server war langsam.", Some("extend 30m")),
            (r#"{"decision": "retry", "task_id": "GH-210", "comment": "network was down"}"#, Some("retry")),
            (r#"{"decision": "extend", "task_id": "GH-210", "time": "30m"}"#, Some("extend 30m")),
            (r#"{"decision": "retry", "task_id": "GH-211"}"#, None),
            (r#"{"decision": "whatever", "task_id": "GH-210"}"#, None),
            ("Don't abort, a retry is pointless too.", None),
            ("Don't abort, I'll retry it myself later.", None),
            ("Don't abort before you retry.", None),
            ("- retry: no\n- abort: no\n- reassign: no", None),
            ("- retry: no\n- abort: maybe", None),
            ("Not abort. Everybody else would say abort.", None),
            ("ok", None),
            ("skip it", None),
        ];
        for (body, expected) in table {
            let read = decision(body, &OPTIONS, &about).map(|read| {
                let time = read.time.map(|time| time.to_string());
                let status = read.status.map(|status| status.word().to_owned());
                [Some(read.option), read.agent, time, status]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            assert_eq!(read.as_deref(), expected, "{body}");
        }
    }
}
