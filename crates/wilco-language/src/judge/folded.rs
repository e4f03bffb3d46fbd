//! A text as it is compared: what nobody sees is gone, and what looks like our letters and digits are those.

/// In letters of one width, with digits of every script as ours; case and words stay.
pub(super) fn folded(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).map(narrow).map(digit).map(alike).collect()
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

/// Full width and mathematical letters as plain ones.
fn narrow(c: char) -> char {
    let code = u32::from(c);
    let plain = |base: u32| char::from_u32(base).unwrap_or(c);
    match code {
        0xFF01..=0xFF5E => plain(code - 0xFEE0),
        0x3000 | 0xA0 | 0x2000..=0x200A | 0x202F | 0x205F => ' ',
        0x2018 | 0x2019 | 0x2BC => '\'',
        0x2010..=0x2012 | 0x2212 => '-',
        // Bold, italic, script, fraktur, double-struck, sans and mono: runs of A to Z and a to z.
        0x1D400..=0x1D6A3 => {
            let at = (code - 0x1D400) % 52;
            plain(if at < 26 { 0x41 + at } else { 0x61 + at - 26 })
        }
        0x24B6..=0x24CF => plain(code - 0x24B6 + 0x41),
        0x24D0..=0x24E9 => plain(code - 0x24D0 + 0x61),
        _ => c,
    }
}

/// Digits of other scripts, raised, lowered, circled and mathematical ones.
fn digit(c: char) -> char {
    /// Where the nought of a script stands; its nine others follow.
    const NOUGHTS: [u32; 22] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
        0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0x2070, 0x2080, 0x245F,
    ];
    let code = u32::from(c);
    let value = match code {
        0xB9 => Some(1),
        0xB2 => Some(2),
        0xB3 => Some(3),
        // No digits, though they stand there.
        0x2071..=0x2073 | 0x245F => None,
        0x1D7CE..=0x1D7FF => Some((code - 0x1D7CE) % 10),
        code => NOUGHTS.iter().find_map(|nought| code.checked_sub(*nought).filter(|value| *value < 10)),
    };
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Letters of Cyrillic and Greek that look like Latin ones, and Latin ones with a mark.
fn alike(c: char) -> char {
    /// Our letter, and those that look like it.
    const ALIKE: [(char, &str); 20] = [
        ('a', "аαàáâãåāăą"),
        ('b', "в"),
        ('c', "сçćč"),
        ('d', "ԁđď"),
        ('e', "еёεèéêëēĕėęě"),
        ('h', "һн"),
        ('i', "іїιıìíîïĩīĭį"),
        ('j', "ј"),
        ('k', "кκ"),
        ('m', "м"),
        ('n', "ñńņňη"),
        ('o', "оοòóôõøōŏő"),
        ('p', "рρ"),
        ('r', "ŕŗř"),
        ('s', "ѕśŝşš"),
        ('t', "тτţťŧ"),
        ('u', "υùúûũūŭůűų"),
        ('v', "νѵ"),
        ('x', "хχ"),
        ('y', "уýÿ"),
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
