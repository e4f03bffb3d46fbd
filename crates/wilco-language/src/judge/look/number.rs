//! Numbers and ids that the task does not have. An amount is the same in digits and in letters, and in another unit.

use super::count::TaskCounts;
use super::text::LookWord;

/// An amount as it was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amount {
    pub(super) value: f64,
    pub(super) measure: Measure,
    pub(super) place_in_a_row: bool,
}

/// What an amount is of, with the amount in the smallest unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measure {
    None,
    Millis(f64),
    Bytes(f64),
    Percent,
    /// Things with this stem.
    Things(String),
}

/// A number that the task does not have, or has of something else.
pub(super) fn other_number(asked: &[LookWord], said: &[LookWord], criteria: usize) -> Option<String> {
    let (own, counts) = (task_amounts(asked), TaskCounts::of(asked));
    let (mut at, mut point) = (0, 0.0);
    let told: Vec<Amount> = amounts(said).into_iter().map(|(_, amount)| amount).collect();
    while at < said.len() {
        let Some((amount, next)) = amount_at(said, at) else {
            at += 1;
            continue;
        };
        let word = &said[at];
        let marks = word.numbers_a_point && amount.value == point + 1.0;
        point = if marks { amount.value } else { point };
        let counted = said.get(next).is_some_and(|next| COUNTED.contains(&next.lower.as_str()));
        let harmless = marks
            || is_article(word, &amount)
            || (at > 0 && STANDARDS.contains(&said[at - 1].lower.as_str()))
            || names_a_step(said, at, &amount)
            || (counted && amount.value == criteria as f64)
            || is_one_less(&own, &told, &amount)
            || counts.is_harmless(said, [at, next], &amount);
        if !harmless && (!own.iter().any(|own| same(own, &amount)) || is_rebound(&own, &amount)) {
            return Some(word.lower.clone());
        }
        at = next;
    }
    None
}

const COUNTED: [&str; 8] =
    ["criteria", "criterion", "acceptance", "requirements", "points", "things", "items", "parts"];

/// "One" is an article as well, and "first" begins a list.
fn is_article(word: &LookWord, amount: &Amount) -> bool {
    let measured = matches!(amount.measure, Measure::Millis(_) | Measure::Bytes(_) | Measure::Percent);
    ["one", "first", "once", "single"].contains(&word.lower.as_str()) && !measured
}

/// "Step 1", "criteria 1, 2 and 3".
fn names_a_step(said: &[LookWord], at: usize, amount: &Amount) -> bool {
    const STEPS: [&str; 10] =
        ["step", "steps", "phase", "part", "criterion", "criteria", "point", "points", "item", "no"];
    let chained = |word: &&LookWord| word.lower == "and" || word.lower.parse::<u8>().is_ok();
    let leader = said[..at].iter().rev().take(20).find(|word| !chained(word));
    amount.value < 10.0 && leader.is_some_and(|word| STEPS.contains(&word.lower.as_str()))
}

/// "Five are let in, the sixth is not": fits a task that names the sixth, if the sixth is named here too.
fn is_one_less(own: &[Amount], told: &[Amount], amount: &Amount) -> bool {
    let next = |one: &Amount| one.place_in_a_row && one.value == amount.value + 1.0;
    let said_too = |one: &Amount| one.value == amount.value + 1.0;
    !amount.place_in_a_row
        && matches!(amount.measure, Measure::None | Measure::Things(_))
        && own.iter().any(next)
        && told.iter().any(said_too)
}

/// "8 cores" where the task has 4 of them, whatever else it has 8 of.
fn is_rebound(own: &[Amount], said: &Amount) -> bool {
    let Measure::Things(_) = &said.measure else { return false };
    let mut counted = own.iter().filter(|own| own.measure == said.measure && !own.place_in_a_row).peekable();
    !said.place_in_a_row && counted.peek().is_some() && counted.all(|own| own.value != said.value)
}

fn same(own: &Amount, said: &Amount) -> bool {
    let near = |one: f64, other: f64| (one - other).abs() <= 0.02 * one.abs().max(other.abs());
    match (&own.measure, &said.measure) {
        (Measure::Millis(own), Measure::Millis(said)) => near(*own, *said),
        (Measure::Bytes(own), Measure::Bytes(said)) => own == said,
        (Measure::Percent, Measure::None | Measure::Things(_)) if said.value < 1.0 => {
            own.value == said.value * 100.0
        }
        (Measure::None | Measure::Things(_), Measure::Percent) if own.value < 1.0 => {
            own.value * 100.0 == said.value
        }
        (Measure::Millis(_) | Measure::Bytes(_), Measure::Bytes(_) | Measure::Millis(_)) => false,
        (Measure::Percent, Measure::Bytes(_) | Measure::Millis(_))
        | (Measure::Bytes(_) | Measure::Millis(_), Measure::Percent) => false,
        // A number of seconds or milliseconds without its unit.
        (Measure::None, Measure::Millis(millis)) => {
            own.value == said.value || own.value * 1000.0 == *millis || own.value == *millis
        }
        _ => own.value == said.value,
    }
}

/// More numbers of a task are not compared.
pub(super) const MOST_NUMBERS: usize = 2000;

/// What the task has, read generously: digits inside of names, classes of status codes, units without a number.
fn task_amounts(words: &[LookWord]) -> Vec<Amount> {
    let mut found: Vec<Amount> = amounts(words).into_iter().map(|(_, amount)| amount).collect();
    let bare = |value: f64| Amount { value, measure: Measure::None, place_in_a_row: false };
    for (at, word) in words.iter().enumerate() {
        let name = !word.lower.starts_with(|c: char| c.is_ascii_digit());
        let runs = word.lower.split(|c: char| !c.is_ascii_digit()).filter_map(|run| run.parse().ok());
        found.extend(runs.filter(|_| name).map(bare));
        if let Some(class) = word.lower.strip_suffix("xx").and_then(|digit| digit.parse::<f64>().ok()) {
            found.extend((0..100).map(|code| bare(class * 100.0 + f64::from(code))));
        }
        let numbered = at > 0 && amount_at(words, at - 1).is_some();
        if let Some(Measure::Millis(millis)) =
            measure(&word.lower, 1.0).filter(|_| !numbered && word.lower.len() > 3)
        {
            let value = 1.0;
            found.push(Amount { value, measure: Measure::Millis(millis), place_in_a_row: false });
        }
        let afternoon = words.get(at + 1).is_some_and(|next| next.lower == "pm");
        found.extend(word.lower.parse::<f64>().ok().filter(|_| afternoon).map(|hour| bare(hour + 12.0)));
        let hour = word.lower.split_once(':').and_then(|(hour, _)| hour.parse::<f64>().ok());
        found.extend(hour.filter(|hour| *hour > 12.0).map(|hour| bare(hour - 12.0)));
    }
    found.truncate(MOST_NUMBERS);
    found
}

pub(super) fn amounts(words: &[LookWord]) -> Vec<(usize, Amount)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        match amount_at(words, at) {
            Some((amount, next)) => {
                found.push((at, amount));
                at = next;
            }
            None => at += 1,
        }
    }
    found
}

/// The amount that begins with this word, and where it ends.
fn amount_at(words: &[LookWord], at: usize) -> Option<(Amount, usize)> {
    let word = words.get(at)?.lower.as_str();
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(in_digits(words, at, word));
    }
    if let Some(hour) = past_an_hour(words, at) {
        return Some((Amount { value: hour, measure: Measure::None, place_in_a_row: false }, at + 3));
    }
    let (mut value, row) = spelled(word)?;
    let mut next = at + 1;
    // "Forty-two", "two hundred", "three thousand".
    while let Some((more, last)) = words.get(next).and_then(|word| spelled(&word.lower)) {
        let joins = words[next].clause == words[at].clause;
        match more {
            100.0 | 1000.0 | 1_000_000.0 if joins && value < more => value *= more,
            1.0..10.0 if joins && value >= 20.0 && value % 10.0 == 0.0 => value += more,
            _ => break,
        }
        next += 1;
        if last {
            return Some((Amount { value, measure: Measure::None, place_in_a_row: true }, next));
        }
    }
    let (measure, next) = measured(words, at, next, value);
    Some((Amount { value, measure, place_in_a_row: row }, next))
}

/// "Half past two" is 2:30.
fn past_an_hour(words: &[LookWord], at: usize) -> Option<f64> {
    let word = |ahead: usize| words.get(at + ahead).map_or("", |word| word.lower.as_str());
    let minutes = match word(0) {
        "half" => 0.30,
        "quarter" => 0.15,
        _ => return None,
    };
    let hour = word(2).parse().ok().or_else(|| spelled(word(2)).map(|(hour, _)| hour));
    (word(1) == "past").then_some(())?;
    hour.map(|hour: f64| hour + minutes)
}

fn in_digits(words: &[LookWord], at: usize, word: &str) -> (Amount, usize) {
    let end = word.find(|c: char| !c.is_ascii_digit() && !".,:".contains(c)).unwrap_or(word.len());
    let (digits, suffix) = word.split_at(end);
    let plain = match digits.split_once(':') {
        // A time of the day; full hours are their number.
        Some((hour, "00")) => hour.to_owned(),
        Some((hour, minute)) => format!("{hour}.{minute}"),
        None => thousands(digits),
    };
    let mut parts = plain.splitn(3, '.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or("0"));
    let value = format!("{first}.{second}").parse().unwrap_or(f64::NAN);
    let place_in_a_row = ["st", "nd", "rd", "th"].contains(&suffix);
    if suffix.is_empty() {
        let (measure, next) = measured(words, at, at + 1, value);
        return (Amount { value, measure, place_in_a_row }, next);
    }
    let value = if suffix == "k" { value * 1000.0 } else { value };
    let measure = measure(suffix, value).unwrap_or(Measure::None);
    (Amount { value, measure, place_in_a_row }, at + 1)
}

/// "48,210" is one number.
fn thousands(digits: &str) -> String {
    let mut groups = digits.split(',');
    let first = groups.next().unwrap_or_default();
    match groups.clone().all(|group| group.len() == 3) && !first.is_empty() {
        true => digits.replace(',', ""),
        false => digits.replace(',', "."),
    }
}

fn measured(words: &[LookWord], at: usize, next: usize, value: f64) -> (Measure, usize) {
    // "Half a minute", "a quarter of an hour".
    let skipped = words[next.min(words.len())..]
        .iter()
        .take(2)
        .take_while(|word| value < 1.0 && ["a", "an", "of"].contains(&word.lower.as_str()));
    let unit = next + skipped.count();
    let Some(word) = words.get(unit).filter(|word| word.clause == words[at].clause) else {
        return (Measure::None, next);
    };
    match measure(&word.lower, value) {
        Some(measure) => (measure, unit + 1),
        None if word.tells => (Measure::Things(word.stem.clone()), next),
        None => (Measure::None, next),
    }
}

fn measure(unit: &str, value: f64) -> Option<Measure> {
    const SECOND: f64 = 1000.0;
    Some(match unit {
        "ms" | "millisecond" | "milliseconds" => Measure::Millis(value),
        "s" | "sec" | "secs" | "second" | "seconds" => Measure::Millis(value * SECOND),
        "m" | "min" | "mins" | "minute" | "minutes" => Measure::Millis(value * 60.0 * SECOND),
        "h" | "hr" | "hrs" | "hour" | "hours" | "hourly" => Measure::Millis(value * 3600.0 * SECOND),
        "d" | "day" | "days" | "daily" => Measure::Millis(value * 86_400.0 * SECOND),
        "w" | "week" | "weeks" | "weekly" => Measure::Millis(value * 604_800.0 * SECOND),
        "month" | "months" | "monthly" => Measure::Millis(value * 2_629_800.0 * SECOND),
        "year" | "years" | "yearly" => Measure::Millis(value * 31_557_600.0 * SECOND),
        "b" | "byte" | "bytes" => Measure::Bytes(value),
        "kb" | "kib" | "kilobyte" | "kilobytes" => Measure::Bytes(value * 1e3),
        "mb" | "mib" | "megabyte" | "megabytes" => Measure::Bytes(value * 1e6),
        "gb" | "gib" | "gigabyte" | "gigabytes" => Measure::Bytes(value * 1e9),
        "tb" | "tib" | "terabyte" | "terabytes" => Measure::Bytes(value * 1e12),
        "%" | "percent" | "pct" => Measure::Percent,
        _ => return None,
    })
}

/// The value of a word, and whether it is a place in a row. "Second" is a unit, "zero" a denial.
fn spelled(word: &str) -> Option<(f64, bool)> {
    const SMALL: [[&str; 2]; 19] = [
        ["one", "first"],
        ["two", ""],
        ["three", "third"],
        ["four", "fourth"],
        ["five", "fifth"],
        ["six", "sixth"],
        ["seven", "seventh"],
        ["eight", "eighth"],
        ["nine", "ninth"],
        ["ten", "tenth"],
        ["eleven", "eleventh"],
        ["twelve", "twelfth"],
        ["thirteen", "thirteenth"],
        ["fourteen", "fourteenth"],
        ["fifteen", "fifteenth"],
        ["sixteen", "sixteenth"],
        ["seventeen", "seventeenth"],
        ["eighteen", "eighteenth"],
        ["nineteen", "nineteenth"],
    ];
    const TENS: [[&str; 2]; 8] = [
        ["twenty", "twentieth"],
        ["thirty", "thirtieth"],
        ["forty", "fortieth"],
        ["fifty", "fiftieth"],
        ["sixty", "sixtieth"],
        ["seventy", "seventieth"],
        ["eighty", "eightieth"],
        ["ninety", "ninetieth"],
    ];
    let place = |names: &[[&str; 2]]| {
        names.iter().enumerate().find_map(|(at, [count, row])| {
            (word == *count || word == *row).then_some((at as f64, word == *row))
        })
    };
    let small = place(&SMALL).map(|(at, row)| (at + 1.0, row));
    let tens = || place(&TENS).map(|(at, row)| ((at + 2.0) * 10.0, row));
    let other = || match word {
        "half" => Some(0.5),
        "quarter" => Some(0.25),
        "once" => Some(1.0),
        "twice" => Some(2.0),
        "thrice" => Some(3.0),
        "dozen" => Some(12.0),
        "hundred" => Some(100.0),
        "thousand" => Some(1000.0),
        "million" => Some(1_000_000.0),
        _ => None,
    };
    small.or_else(tens).or_else(|| other().map(|value| (value, false)))
}

/// An id such as `PAY-8`, `#381` or `v3` that the task does not have, where it has another of that kind or none at all.
pub(super) fn other_id(asked: &str, said: &str) -> Option<String> {
    let asked = asked.to_lowercase();
    let known: Vec<(String, String)> = ids(&asked).collect();
    ids(said)
        .find(|(prefix, number)| {
            let same_kind = known.iter().any(|(own, _)| own == prefix);
            let strange = prefix.ends_with(['-', '#']) && !STANDARDS.contains(&prefix.trim_end_matches('-'));
            !known.iter().any(|(own, value)| own == prefix && value == number)
                && (same_kind || (strange && !asked.contains(&format!("{prefix}{number}"))))
        })
        .map(|(prefix, number)| format!("{prefix}{number}"))
}

/// What is written like an id and names a format.
const STANDARDS: [&str; 14] =
    ["utf", "sha", "iso", "rfc", "aes", "tls", "http", "md", "rsa", "base", "top", "day", "tier", "level"];

/// Letters with a number behind them: what stands before the number, and the number.
fn ids(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let edge = |c: char| !c.is_alphanumeric() && c != '#';
    let split = text.split(|c: char| c.is_whitespace() || "(),;:\"'`/".contains(c));
    split.map(move |word| word.trim_matches(edge)).filter_map(|word| {
        let at = word.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0)?;
        let (prefix, number) = word.split_at(at);
        let letters = prefix.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '#');
        let digits = number.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '.');
        let counts = prefix.trim_end_matches('-').chars().all(|c| c.is_ascii_alphabetic());
        let spelled = counts && spelled(prefix.trim_end_matches('-')).is_some();
        (letters && digits && !spelled).then(|| (prefix.to_owned(), number.to_owned()))
    })
}
