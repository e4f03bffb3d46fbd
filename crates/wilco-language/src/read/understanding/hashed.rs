//! Sets and maps of words, asked many times for each word that is read: they hash with one multiplication for eight
//! letters. The seed differs from process to process, so that nobody can choose words that fall together. Nobody
//! observes their order.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

pub(super) type HashMap<K, V> = std::collections::HashMap<K, V, Quick>;
pub(super) type HashSet<T> = std::collections::HashSet<T, Quick>;

/// A set that need not grow.
pub(super) fn roomy<T>(most: usize) -> HashSet<T> {
    HashSet::with_capacity_and_hasher(most, Quick::default())
}

static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("words"));

/// Begins with the seed.
#[derive(Debug, Clone)]
pub(super) struct Quick(u64);

impl Default for Quick {
    fn default() -> Quick {
        Quick(*SEED)
    }
}

impl BuildHasher for Quick {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding(self.0)
    }
}

pub(super) struct Folding(u64);

/// An odd number without a pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Folding {
    fn fold(&mut self, part: u64) {
        let product = u128::from(self.0 ^ part) * u128::from(FACTOR);
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }
}

impl Hasher for Folding {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        eights.iter().for_each(|eight| self.fold(u64::from_le_bytes(*eight)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.fold(u64::from_le_bytes(last));
        }
        self.fold(bytes.len() as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.fold(byte.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.fold(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_a_little_do_not_fall_together() {
        let words: Vec<String> = (0..10_000).map(|number| format!("word{number:x}")).collect();
        let hashes: HashSet<u64> = words.iter().map(|word| Quick::default().hash_one(word)).collect();
        assert_eq!(hashes.len(), words.len());
        // Their low bits choose the place in a table.
        let places: HashSet<u64> = hashes.iter().map(|hash| hash % (1 << 14)).collect();
        assert!(places.len() > 7000, "{}", places.len());
    }
}
