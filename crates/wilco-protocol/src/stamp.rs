//! An instant as text, `2025-12-31T03:00:00.007Z`, and back. Every event and every message has several, so they are
//! written without a detour.

const DAY: i64 = 86_400_000;
/// Days from the first of March of the year 0 to the first of January 1970.
const TO_1970: i64 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;
/// Where the digits of each part stand: year, month, day, hour, minute, second, millisecond.
const PARTS: [(usize, usize); 7] = [(0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19), (20, 23)];
const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";

/// From 1970 to 9999.
pub(crate) fn written(millis: i64) -> [u8; 24] {
    let (days, rest) = (millis.div_euclid(DAY), millis.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let parts = [year, month, day, rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000];
    let mut text = *FORM;
    for ((from, to), mut part) in PARTS.into_iter().zip(parts) {
        for digit in text[from..to].iter_mut().rev() {
            *digit = b'0' + (part % 10) as u8;
            part /= 10;
        }
    }
    text
}

/// None where it is written in another way, or is no instant.
pub(crate) fn read(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if !text.iter().zip(FORM).all(fits) {
        return None;
    }
    let number = |(from, to)| text[from..to].iter().fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
    let [year, month, day, hour, minute, second, millis] = PARTS.map(number);
    let days = days(year, month, day);
    let legal = year >= 1970 && hour < 24 && minute < 60 && second < 60 && date(days) == (year, month, day);
    legal.then_some(days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + millis)
}

/// The date of a day counted from 1970. Years begin in March, so that the odd day comes last.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + TO_1970;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// The day of a date, counted from 1970.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let in_year = (153 * month + 2) / 5 + day - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + in_year - TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the calendar library writes it.
    fn known(millis: i64) -> String {
        format!("{:.3}", jiff::Timestamp::from_millisecond(millis).unwrap())
    }

    #[test]
    fn api_9_instants_are_written_and_read_as_the_calendar_has_them() {
        // The library ends a day before the year does.
        let most = 253_402_207_200_000;
        let steps = (0..most).step_by(777_777_777_777);
        // Around each new year and each end of February.
        let edges =
            (0..8030).flat_map(|year| [59, 60, 365, 366].map(|day| (year * 365 + year / 4 + day) * DAY - 1));
        for millis in steps.chain(edges).filter(|millis| *millis <= most).chain([0, most]) {
            let text = written(millis);
            assert_eq!(std::str::from_utf8(&text), Ok(known(millis).as_str()));
            assert_eq!(read(&text), Some(millis));
        }
        assert_eq!(&written(253_402_300_799_999), b"9999-12-31T23:59:59.999Z");
        assert_eq!(read(b"9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999));
    }

    #[test]
    fn what_is_no_instant_is_left_to_others() {
        for text in ["2025-02-29T00:00:00.000Z", "2025-13-01T00:00:00.000Z", "2025-00-01T00:00:00.000Z"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        for text in ["1969-12-31T23:59:59.999Z", "2025-12-31T24:00:00.000Z", "2025-12-31 03:00:00.000Z"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        for text in ["2025-12-31T03:00:60.000Z", "2025-12-31T03:00:00Z", "2025-12-31T03:00:00.000z", "", "Ä"]
        {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
