//! A text as it is compared: what nobody sees is gone, and what looks like our letters and digits are those.

use unicode_normalization::UnicodeNormalization;

/// In letters of one width and without marks on them, with digits of every script as ours; case and words stay.
pub(super) fn folded(text: &str) -> String {
    text.nfkd().filter(|c| !is_invisible(*c)).map(sign).map(digit).map(alike).collect()
}

fn is_invisible(c: char) -> bool {
    let invisible = matches!(
        u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E
            | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF
            | 0x300..=0x36F
    );
    invisible || (c.is_control() && !c.is_whitespace())
}

/// Dashes and apostrophes as ours.
fn sign(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}'..='\u{2012}' | '\u{2212}' => '-',
        _ => c,
    }
}

fn digit(c: char) -> char {
    /// Where the nought of a script stands; its nine others follow.
    const NOUGHTS: [u32; 19] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
        0xED0, 0xF20, 0x1040, 0x17E0, 0x1810,
    ];
    let of = |nought: &u32| u32::from(c).checked_sub(*nought).filter(|value| *value < 10);
    NOUGHTS.iter().find_map(of).and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Letters of Cyrillic and Greek that look like Latin ones, and those Latin ones whose mark is part of them.
fn alike(c: char) -> char {
    /// Our letter, and those that look like it.
    const ALIKE: [(char, &str); 19] = [
        ('a', "аα"),
        ('b', "в"),
        ('c', "с"),
        ('d', "ԁđ"),
        ('e', "еε"),
        ('h', "һн"),
        ('i', "іιı"),
        ('j', "ј"),
        ('k', "кκ"),
        ('m', "м"),
        ('n', "η"),
        ('o', "оοø"),
        ('p', "рρ"),
        ('s', "ѕ"),
        ('t', "тτŧ"),
        ('u', "υ"),
        ('v', "νѵ"),
        ('x', "хχ"),
        ('y', "у"),
    ];
    if c.is_ascii() {
        return c;
    }
    let lower = c.to_lowercase().next().unwrap_or(c);
    let ours = ALIKE.iter().find(|(_, others)| others.contains(lower)).map(|(ours, _)| *ours);
    match ours {
        Some(ours) if lower != c => ours.to_ascii_uppercase(),
        Some(ours) => ours,
        None => c,
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn ju_4_what_looks_like_our_letters_is_compared_as_them() {
        for (text, plain) in [
            ("nόt", "not"),
            ("nо\u{200b}t", "not"),
            ("ｎｏｔ １２", "not 12"),
            ("𝐧𝐨𝐭 ②", "not 2"),
            ("٢٠ минутes", "20 минутes"),
            ("GH\u{2011}7 don’t", "GH-7 don't"),
            ("x² Ünïcode", "x2 Unicode"),
        ] {
            assert_eq!(folded(text), folded(plain), "{text}");
        }
    }
}
