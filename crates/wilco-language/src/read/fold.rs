//! Folding away what changes from run to run: numbers, addresses, times, durations, temporary paths.
//!
//! A scanner over the text: at each place it asks whether something changing begins there.

use super::failures::visible;

/// The text on one line, with a mark in the place of everything that changes.
pub(super) fn folded(text: &str) -> String {
    let text = visible(text);
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut out = String::with_capacity(text.len());
    let (mut at, mut before) = (0, None);
    while let Some(c) = text[at..].chars().next() {
        match changing(&text[at..], before, &out) {
            Some((mark, length)) => {
                out.push_str(&mark);
                at += length;
            }
            None => {
                out.push(c);
                at += c.len_utf8();
            }
        }
        before = text[..at].chars().next_back();
    }
    out
}

/// A path with its temporary folder folded; all else in it stays.
pub(super) fn rehomed(path: &str) -> String {
    match temporary(path, str::to_owned) {
        Some((mark, length)) => format!("{mark}{}", &path[length..]),
        None => path.to_owned(),
    }
}

/// What begins here and changes: its mark and its length.
fn changing(rest: &str, before: Option<char>, out: &str) -> Option<(String, usize)> {
    // Only where a word begins; so nothing is looked at twice.
    let apart = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let begins = apart.then_some(rest);
    let path = || temporary(begins.filter(|_| before != Some('.'))?, digits);
    let marked = |mark: &str, length: Option<usize>| length.map(|length| (mark.to_owned(), length));
    path()
        .or_else(|| marked("‹address›", begins.and_then(address)))
        .or_else(|| marked("#", begins.and_then(hexadecimal)))
        .or_else(|| marked("‹time›", begins.and_then(duration)))
        .or_else(|| marked("#", number(rest)))
        .or_else(|| marked("‹date›", begins.and_then(|word| date_word(word, out))))
}

/// `0x7ffd…`
fn address(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let length = digits.chars().take_while(char::is_ascii_hexdigit).count();
    (length > 0).then_some(length + 2)
}

/// Shorter runs of hexadecimal digits may be words.
const SHORTEST_HASH: usize = 7;

/// An UUID, or a hash with digits and letters in it.
fn hexadecimal(rest: &str) -> Option<usize> {
    let run = |text: &str| text.chars().take_while(char::is_ascii_hexdigit).count();
    let ends = |length: usize| !rest[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let groups = [8, 4, 4, 4, 12];
    let uuid = groups.iter().try_fold(0, |at, group| {
        let text = rest.get(at..)?;
        let text = if at == 0 { text } else { text.strip_prefix('-')? };
        (run(text) == *group).then_some(at + group + usize::from(at > 0))
    });
    if let Some(length) = uuid.filter(|length| ends(*length)) {
        return Some(length);
    }
    let length = run(rest);
    let mixed = rest[..length].contains(|c: char| c.is_ascii_digit())
        && rest[..length].contains(|c: char| c.is_ascii_alphabetic());
    (length >= SHORTEST_HASH && mixed && ends(length)).then_some(length)
}

/// Digits, also around a point: `3`, `0.25`, `1.2.3`.
fn number(rest: &str) -> Option<usize> {
    let run = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let mut length = run(rest);
    if length == 0 {
        return None;
    }
    while let Some(fraction) = rest[length..].strip_prefix('.').map(run).filter(|digits| *digits > 0) {
        length += 1 + fraction;
    }
    Some(length)
}

/// `0.03s`, `12 ms`, `1m 3.2s`, `2 minutes`.
fn duration(rest: &str) -> Option<usize> {
    let (mut length, mut end) = (0, None);
    while let Some(digits) = number(&rest[length..]) {
        length += digits;
        let Some(unit) = unit(&rest[length..]) else { break };
        length += unit;
        end = Some(length);
        length += usize::from(rest[length..].starts_with(' '));
    }
    end
}

fn unit(rest: &str) -> Option<usize> {
    const UNITS: [&str; 24] = [
        "ns",
        "us",
        "µs",
        "μs",
        "ms",
        "msec",
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "min",
        "mins",
        "minute",
        "minutes",
        "hr",
        "hrs",
        "hour",
        "hours",
        "m",
        "h",
        "d",
        "milliseconds",
        "millisecond",
    ];
    let spaced = usize::from(rest.starts_with(' '));
    let letters = &rest[spaced..];
    let end = letters.find(|c: char| !c.is_alphabetic()).unwrap_or(letters.len());
    let word = &letters[..end];
    // A single letter after a space is as likely something else.
    let known = UNITS.contains(&word) && (spaced == 0 || !matches!(word, "m" | "h" | "d"));
    // "1m3s" goes on with a number, "3s_a" is a name.
    (known && !letters[end..].starts_with('_')).then_some(spaced + end)
}

/// Names of days and months beside numbers, and halves of days.
fn date_word(rest: &str, out: &str) -> Option<usize> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const LONG: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let word = &rest[..length];
    let half = matches!(word, "AM" | "PM" | "am" | "pm");
    let is_month = |word: &str| MONTHS.contains(&word) || LONG.contains(&word);
    let day = DAYS.iter().any(|day| word == *day || (word.starts_with(day) && word.ends_with("day")));
    if !half && !day && !is_month(word) {
        return None;
    }
    let next = rest[length..].trim_start_matches([' ', ',', '.', '-', '/']);
    let numbered = next.starts_with(|c: char| c.is_ascii_digit());
    let after_number = out.trim_end_matches([' ', '-', '/', '.']).ends_with('#');
    let next_word = next.split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    let counts = (is_month(word) && (numbered || after_number))
        || (day && (numbered || is_month(next_word)))
        || (half && after_number);
    counts.then_some(length)
}

/// A path under a temporary folder: the folder made for this run and every made-up name below it are folded.
fn temporary(rest: &str, kept: fn(&str) -> String) -> Option<(String, usize)> {
    let root = root(rest)?;
    let inner = rest[root..].split(ends_path).next().unwrap_or("").trim_end_matches('.');
    let names: Vec<_> = inner.split(['/', '\\']).collect();
    let last = names.len() - 1;
    let mark = |(at, name): (usize, &&str)| match at {
        // A file with a plain name in the folder that is there for everybody.
        0 if last == 0 && plain(name) => kept(name),
        0 => "*".to_owned(),
        _ if made_up(name) => "*".to_owned(),
        _ => kept(name),
    };
    let names: Vec<_> = names.iter().enumerate().map(mark).collect();
    Some((format!("‹temporary›/{}", names.join("/")), root + inner.len()))
}

fn ends_path(c: char) -> bool {
    c.is_whitespace() || "\"'`<>|,;:()[]{}*?".contains(c)
}

/// Folders for temporary things are not deeper than this many bytes.
const LONGEST_ROOT: usize = 260;

/// How much of the text is a folder for temporary things.
fn root(rest: &str) -> Option<usize> {
    const ROOTS: [&str; 6] = ["/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/", "$TMPDIR/", "%TEMP%\\"];
    if let Some(root) = ROOTS.iter().find(|root| rest.starts_with(**root)) {
        return Some(root.len());
    }
    // macOS: /var/folders/zz/name/T/
    let folders = rest.strip_prefix("/private").unwrap_or(rest).strip_prefix("/var/folders/");
    if let Some(inner) = folders {
        let near = &inner[..inner.floor_char_boundary(LONGEST_ROOT)];
        let path = near.split(ends_path).next().unwrap_or("");
        let root = path.find("/T/").map(|at| at + 3)?;
        return Some(rest.len() - inner.len() + root);
    }
    let drive =
        rest.get(1..3).filter(|drive| [":\\", ":/"].contains(drive) && rest.starts_with(char::is_alphabetic));
    drive.and_then(|_| {
        let near = &rest[3..rest.floor_char_boundary(LONGEST_ROOT)];
        let path = near.split(ends_path).next().unwrap_or("").to_ascii_lowercase();
        ["temp\\", "temp/", "tmp\\", "tmp/"].iter().find_map(|name| {
            let at = path.find(name)?;
            let whole = at == 0 || path[..at].ends_with(['\\', '/']);
            whole.then_some(3 + at + name.len())
        })
    })
}

/// Small letters and marks only, and not the name of something temporary.
fn plain(name: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && name.chars().all(small) && !name.contains("tmp") && !name.contains("temp")
}

/// Names that programs make up: `tmpab12`, `.tmpXy`, `a8f3k2x`.
fn made_up(name: &str) -> bool {
    const LONG_ENOUGH: usize = 6;
    let name = name.trim_start_matches('.');
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or(name);
    let mixed = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        // "test_report0" is a name with a number, "a8f3k2" is made up.
        text.len() >= LONG_ENOUGH
            && letters > 0
            && digits > 1
            && !text.trim_end_matches(|c: char| c.is_ascii_digit()).chars().all(char::is_alphabetic)
    };
    name.starts_with("tmp") || mixed(last)
}

fn digits(name: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = name[at..].chars().next() {
        match number(&name[at..]) {
            Some(length) => {
                out.push('#');
                at += length;
            }
            None => {
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::folded;

    fn same(texts: &[&str]) {
        for text in texts {
            assert_eq!(folded(text), folded(texts[0]), "{text}");
        }
    }

    fn different(texts: &[&str]) {
        for (at, text) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                assert_ne!(folded(text), folded(other), "{text}");
            }
        }
    }

    #[test]
    fn val_12_numbers_and_addresses_are_folded() {
        same(&[
            "expected 5, got 4",
            "expected 17, got 200",
            "expected  5,\n got 4",
            "\u{1b}[1mexpected 5\u{1b}[0m, got 0.4",
        ]);
        same(&["Cart at 0x7f01 is gone", "Cart at 0xDEADBEEF is gone"]);
        same(&["row 550e8400-e29b-41d4-a716-446655440000", "row 6ba7b810-9dad-11d1-80b4-00c04fd430c8"]);
        same(&["deps/prices-c10ce95b68de83a5 failed", "deps/prices-0bd2ce95b68de8ff failed"]);
        different(&["expected 5, got 4", "wanted 5, got 4", "expected five, got 4", "expected 5 and got 4"]);
        different(&["0xg", "0", "defaced", ""]);
    }

    #[test]
    fn val_12_times_and_durations_are_folded() {
        same(&[
            "timeout after 5s",
            "timeout after 5000ms",
            "timeout after 1m 3.2s",
            "timeout after 2 minutes",
        ]);
        same(&["at 12:30:45 it failed", "at 1:05:00 it failed"]);
        same(&["2026-01-31T14:30:00.123Z: down", "2025-12-01T01:02:03Z: down"]);
        same(&["Mon, 16 Nov 2026 02:12:21: down", "Tue, 1 Dec 2026 12:00:00: down"]);
        same(&["Nov 16 02:12 AM: down", "May 3 10:00 PM: down"]);
        different(&[
            "may fail in 3 steps",
            "May fail",
            "timeout after 5 spoons",
            "timeout after 5s",
            "Sunday",
        ]);
    }

    #[test]
    fn val_12_temporary_paths_are_folded_and_the_names_in_them_stay() {
        same(&[
            "open '/tmp/report-BMhfLz/report.json'",
            "open '/tmp/report-mONsby/report.json'",
            "open '/var/folders/x1/abc_9/T/report-1/report.json'",
        ]);
        same(&[
            "/tmp/pytest-of-root/pytest-1/test_a0/r.json: no",
            "/tmp/pytest-of-ci/pytest-22/test_a1/r.json: no",
        ]);
        same(&[r"C:\Users\ann\AppData\Local\Temp\x1\r.json is missing", r"D:\Temp\abcdef\r.json is missing"]);
        same(&["read /tmp/tmpq1w2e3.", "read /tmp/tmp.XyZabcd."]);
        same(&["/tmp/a1/.tmpAbCd/x", "/tmp/b2/.tmpZZZZ/x"]);
        different(&[
            "open /tmp/x1/one.json",
            "open /tmp/x1/two.json",
            "open /srv/x1/one.json",
            "open /tmp/one.json",
            "open /tmp/two.json",
        ]);
        different(&["/opt/tmp/a/x", "/opt/tmp/b/x"]);
    }
}
