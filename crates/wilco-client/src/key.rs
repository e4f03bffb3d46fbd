//! Idempotency keys: a request that is sent again under its key is the same request.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// The key of one message. Make it once, before the first try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A key that nobody else has: 128 bits from the system's randomness, which also seeds hash maps.
    pub fn fresh() -> IdempotencyKey {
        let process = std::process::id();
        let half = |salt: u8| RandomState::new().hash_one((process, salt));
        IdempotencyKey(format!("wilco-{:016x}{:016x}", half(0), half(1)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotencyKey;

    #[test]
    fn msg_12_keys_are_printable_and_differ() {
        let (one, other) = (IdempotencyKey::fresh(), IdempotencyKey::fresh());
        assert_ne!(one, other);
        assert!(one.as_str().len() <= 255 && one.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
    }
}
