//! Instants and lengths of time as Wilco writes them. Nothing here reads a clock.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::stamp;
use crate::text::{Short, from_text};

/// An instant, in milliseconds since 1970. Written as RFC 3339 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(i64);

/// The last instant that RFC 3339 can write with four digits of a year.
const LAST_MILLIS: i64 = 253_402_300_799_999;

impl Time {
    pub const ZERO: Time = Time(0);
    /// The last one that can be written.
    pub const LAST: Time = Time(LAST_MILLIS);

    pub fn from_millis(millis: i64) -> Time {
        Time(millis.clamp(0, LAST_MILLIS))
    }

    pub fn millis(self) -> i64 {
        self.0
    }

    pub fn plus(self, span: Span) -> Time {
        Time::from_millis(self.0.saturating_add_unsigned(span.0))
    }

    /// How long ago `earlier` was; zero if it lies ahead.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0).max(0).unsigned_abs())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&stamp::written(self.0)).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        // Nearly all are read as they were written here.
        if let Some(millis) = stamp::read(text.as_bytes()) {
            return Ok(Time(millis));
        }
        let stamp: jiff::Timestamp =
            text.parse().map_err(|_| format!("expected an RFC 3339 time, got {text:?}"))?;
        match stamp.as_millisecond() {
            millis @ 0..=LAST_MILLIS => Ok(Time(millis)),
            _ => Err(format!("expected a time between the years 1970 and 9999, got {text:?}")),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let written = stamp::written(self.0);
        out.serialize_str(std::str::from_utf8(&written).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Time, D::Error> {
        from_text(input, str::parse)
    }
}

/// A length of time in milliseconds. Written as `250ms`, `90s`, `5m`, `1h30m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span(u64);

/// Longer spans than ten years are mistakes.
const MAX_SPAN_MILLIS: u64 = 10 * 366 * 24 * 3600 * 1000;

impl Span {
    pub const ZERO: Span = Span(0);

    pub const fn millis(millis: u64) -> Span {
        Span(millis)
    }

    pub const fn seconds(seconds: u64) -> Span {
        Span(seconds.saturating_mul(1000))
    }

    pub const fn minutes(minutes: u64) -> Span {
        Span::seconds(minutes.saturating_mul(60))
    }

    pub const fn as_millis(self) -> u64 {
        self.0
    }

    pub const fn as_seconds(self) -> u64 {
        self.0 / 1000
    }

    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self` times two to the power of `exponent`, without overflow.
    pub fn doubled(self, exponent: u32) -> Span {
        Span(self.0.saturating_mul(1u64.checked_shl(exponent).unwrap_or(u64::MAX)))
    }

    /// A span from a number of seconds, as JSON numbers and plain digits are read.
    pub fn from_seconds_f64(seconds: f64) -> Result<Span, SpanError> {
        if seconds.is_nan() || seconds < 0.0 {
            return Err(SpanError::Negative(seconds.to_string()));
        }
        let millis = (seconds * 1000.0).round();
        if millis > MAX_SPAN_MILLIS as f64 {
            return Err(SpanError::TooLong(seconds.to_string()));
        }
        Ok(Span(millis as u64))
    }
}

/// Why a text is no span.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    #[error("expected a duration such as 250ms, 90s, 5m, 1h30m or a number of seconds, got {0:?}")]
    Form(String),
    #[error("expected a duration that is not negative, got {0}; write it as 90s, 5m or a number of seconds")]
    Negative(String),
    #[error("expected a duration of ten years at the most, got {0}")]
    TooLong(String),
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Span, SpanError> {
        let trimmed = text.trim();
        if trimmed.starts_with('-') && trimmed.len() > 1 {
            return Err(SpanError::Negative(text.to_owned()));
        }
        if !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit()) {
            let seconds: f64 = trimmed.parse().map_err(|_| SpanError::Form(text.to_owned()))?;
            return Span::from_seconds_f64(seconds).map_err(|_| SpanError::TooLong(text.to_owned()));
        }
        units(trimmed, text)
    }
}

/// Reads `1h30m`: numbers with units, each unit smaller than the one before.
fn units(mut rest: &str, whole: &str) -> Result<Span, SpanError> {
    const UNITS: [(&str, u64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
    let form = || SpanError::Form(whole.to_owned());
    let (mut total, mut allowed) = (0u64, 0);
    if rest.is_empty() {
        return Err(form());
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let number: u64 = rest[..digits].parse().map_err(|_| form())?;
        let unit = &rest[digits..digits + letters];
        let at = UNITS[allowed..].iter().position(|(name, _)| *name == unit).ok_or_else(form)? + allowed;
        total = number
            .checked_mul(UNITS[at].1)
            .and_then(|part| total.checked_add(part))
            .filter(|sum| *sum <= MAX_SPAN_MILLIS)
            .ok_or_else(|| SpanError::TooLong(whole.to_owned()))?;
        allowed = at + 1;
        rest = &rest[digits + letters..];
    }
    Ok(Span(total))
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written().as_str())
    }
}

impl Span {
    fn written(self) -> Short {
        let (hours, minutes) = (self.0 / 3_600_000, self.0 / 60_000 % 60);
        let (seconds, millis) = (self.0 / 1000 % 60, self.0 % 1000);
        if self.0 == 0 {
            return Short::new().before("0s");
        }
        let parts = [(millis, "ms"), (seconds, "s"), (minutes, "m"), (hours, "h")];
        let parts = parts.into_iter().filter(|(amount, _)| *amount > 0);
        parts.fold(Short::new(), |text, (amount, unit)| text.before(unit).number_before(amount))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.written().as_str())
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Span, D::Error> {
        input.deserialize_any(SpanVisitor)
    }
}

struct SpanVisitor;

impl Visitor<'_> for SpanVisitor {
    type Value = Span;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as 250ms, 90s, 5m, 1h30m or a number of seconds")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Span, E> {
        Span::from_seconds_f64(seconds as f64).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Span, E> {
        Span::from_seconds_f64(seconds as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Span, E> {
        Span::from_seconds_f64(seconds).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_9_times_are_rfc_3339_with_milliseconds() {
        let time = Time::from_millis(1_767_150_000_007);
        assert_eq!(time.to_string(), "2025-12-31T03:00:00.007Z");
        assert_eq!("2025-12-31T04:00:00.007+01:00".parse(), Ok(time));
        assert!("yesterday".parse::<Time>().is_err());
    }

    #[test]
    fn api_9_durations_are_read_in_every_accepted_form() {
        for (text, millis) in
            [("250ms", 250), ("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("7", 7000), ("0s", 0)]
        {
            assert_eq!(text.parse::<Span>().map(Span::as_millis), Ok(millis), "{text}");
        }
        assert_eq!(serde_json::from_str::<Span>("1.5").map(Span::as_millis).ok(), Some(1500));
    }

    #[test]
    fn api_9_illegal_durations_say_what_would_be_right() {
        for text in ["", "five", "5 m", "30m1h", "5m5m", "1e3", "m", "5x", "99999999999999999999s"] {
            assert!(text.parse::<Span>().is_err(), "{text:?} must be refused");
        }
        assert!("-5m".parse::<Span>().unwrap_err().to_string().contains("negative"));
        assert!(serde_json::from_str::<Span>("-1").is_err());
    }

    #[test]
    fn spans_are_written_as_they_are_read() {
        for millis in [0, 1, 250, 90_000, 300_000, 5_400_000, 86_400_000 * 3 + 7] {
            let span = Span::millis(millis);
            assert_eq!(span.to_string().parse(), Ok(span));
        }
    }
}
