//! Numbers with what they count: 24 hours is one day and not 24 minutes.
//!
//! Reads them out of words and says whether one text's numbers are the other's; how much a missing
//! number weighs is left to the scorer.

use std::rc::Rc;

use super::words::{Word, Words};

/// A number and what it measures.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    value: f64,
    unit: Unit,
}

#[derive(Debug, Clone, PartialEq)]
enum Unit {
    Bare,
    /// In milliseconds.
    Time,
    /// In bytes.
    Size,
    Percent,
    /// Counts what the next word names, by its stem.
    Of(Rc<str>),
}

impl Quantity {
    /// The same for equal amounts, whatever they are written in.
    pub(super) fn key(&self) -> Rc<str> {
        let unit = match &self.unit {
            Unit::Bare | Unit::Of(_) => "",
            Unit::Time => "ms",
            Unit::Size => "B",
            Unit::Percent => "%",
        };
        format!("{}{unit}", self.value).into()
    }
}

/// Every quantity of a text, in its order.
pub(super) fn quantities(words: &Words) -> Vec<Quantity> {
    (0..words.list.len()).filter_map(|at| quantity_at(words, at)).collect()
}

/// The quantity that begins with this word.
pub(super) fn quantity_at(words: &Words, at: usize) -> Option<Quantity> {
    quantity(words.list.get(at)?, words.list.get(at + 1))
}

/// Whether each number said is one of the task's, counting the same thing.
pub(super) fn agree(task: &[Quantity], said: &[Quantity]) -> bool {
    said.iter().all(|said| task.iter().any(|task| same(task, said)) && !rebound(task, said))
}

/// Whether the task's number is among those said.
pub(super) fn is_said(task: &Quantity, said: &[Quantity]) -> bool {
    said.iter().any(|said| same(task, said))
}

/// Whether the word is a measure: `hours`, `MB`.
pub(super) fn is_unit(lower: &str) -> bool {
    unit(lower).is_some()
}

fn same(task: &Quantity, said: &Quantity) -> bool {
    let near = (task.value - said.value).abs() <= f64::EPSILON * task.value.abs().max(1.0);
    near && match (&task.unit, &said.unit) {
        (Unit::Bare | Unit::Of(_), Unit::Bare | Unit::Of(_)) => true,
        (task, said) => task == said,
    }
}

/// "5 retries" where the task counts 30 of them.
fn rebound(task: &[Quantity], said: &Quantity) -> bool {
    let Unit::Of(_) = &said.unit else {
        return false;
    };
    let counted = task.iter().filter(|task| task.unit == said.unit);
    let mut counted = counted.peekable();
    counted.peek().is_some() && counted.all(|task| !same(task, said))
}

fn quantity(word: &Word, next: Option<&Word>) -> Option<Quantity> {
    let digits = word.lower.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, suffix) = word.lower.split_at(digits.unwrap_or(word.lower.len()));
    let value = if number.is_empty() { spelled(&word.lower)? } else { number.parse().ok()? };
    if !suffix.is_empty() && !number.is_empty() {
        let (factor, unit) = unit(suffix)?;
        return Some(Quantity { value: value * factor, unit });
    }
    let next = next.filter(|next| next.clause == word.clause);
    let (factor, unit) = match next {
        Some(next) => unit(&next.lower).unwrap_or_else(|| {
            let of = if next.tells() { Unit::Of(next.stem.clone()) } else { Unit::Bare };
            (1.0, of)
        }),
        None => (1.0, Unit::Bare),
    };
    Some(Quantity { value: value * factor, unit })
}

fn unit(word: &str) -> Option<(f64, Unit)> {
    const SECOND: f64 = 1000.0;
    Some(match word {
        "ms" | "millisecond" | "milliseconds" => (1.0, Unit::Time),
        "s" | "sec" | "secs" | "second" | "seconds" => (SECOND, Unit::Time),
        "m" | "min" | "mins" | "minute" | "minutes" => (60.0 * SECOND, Unit::Time),
        "h" | "hr" | "hrs" | "hour" | "hours" => (3600.0 * SECOND, Unit::Time),
        "d" | "day" | "days" => (86_400.0 * SECOND, Unit::Time),
        "w" | "week" | "weeks" => (604_800.0 * SECOND, Unit::Time),
        "month" | "months" => (2_629_800.0 * SECOND, Unit::Time),
        "year" | "years" => (31_557_600.0 * SECOND, Unit::Time),
        "b" | "byte" | "bytes" => (1.0, Unit::Size),
        "kb" | "kib" | "kilobytes" => (1e3, Unit::Size),
        "mb" | "mib" | "megabytes" => (1e6, Unit::Size),
        "gb" | "gib" | "gigabytes" => (1e9, Unit::Size),
        "tb" | "tib" | "terabytes" => (1e12, Unit::Size),
        "percent" | "pct" => (1.0, Unit::Percent),
        _ => return None,
    })
}

fn spelled(word: &str) -> Option<f64> {
    Some(match word {
        "two" => 2.0,
        "three" => 3.0,
        "four" => 4.0,
        "five" => 5.0,
        "six" => 6.0,
        "seven" => 7.0,
        "eight" => 8.0,
        "nine" => 9.0,
        "ten" => 10.0,
        "eleven" => 11.0,
        "twelve" => 12.0,
        _ => return None,
    })
}
