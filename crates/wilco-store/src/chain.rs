//! The hash chain over the journal: each event's hash covers all that came before it.

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// What the first event is linked to.
pub fn genesis() -> Hash {
    [0; 32]
}

/// hash = BLAKE3(previous ‖ position ‖ exact stored bytes).
pub fn link(previous: &Hash, position: u64, bytes: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(&position.to_be_bytes());
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}

/// Bytes as they are shown.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
