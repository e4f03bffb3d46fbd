//! The words of a text, as they are looked for.

/// Longer words are cut to this; nobody looks for their ends.
const MAX_CHARS: usize = 64;

/// Letters and digits in lower case; everything else stands between words. Scripts without spaces give a
/// word for each character.
pub fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut chars) = (Vec::new(), String::new(), 0);
    // Character by character, because a word must be the same wherever it stands.
    for char in text.chars().flat_map(char::to_lowercase) {
        let alone = stands_alone(char);
        if (alone || !char.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            chars = 0;
        }
        if alone {
            words.push(char.to_string());
        } else if char.is_alphanumeric() && chars < MAX_CHARS {
            word.push(char);
            chars += 1;
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Kana and ideographs.
fn stands_alone(char: char) -> bool {
    matches!(char as u32, 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
        && char.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits_in_lower_case() {
        assert_eq!(words("GH-42: Add a *logout* endpoint!"), ["gh", "42", "add", "a", "logout", "endpoint"]);
        assert_eq!(words("Ärger mit ΣΟΦΟΣ"), ["ärger", "mit", "σοφοσ"]);
        assert_eq!(words("登録する"), ["登", "録", "す", "る"]);
        assert!(words("\" OR 1=1 --").contains(&"or".to_owned()));
        assert!(words(" *():^{}\"'\u{0}\u{fffd} ").is_empty());
        assert_eq!(words(&"x".repeat(500)), ["x".repeat(64)]);
    }
}
