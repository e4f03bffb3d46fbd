//! Names in addresses.

/// A name as one segment of a path, or as a value of a query.
pub fn segment(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    // A segment of dots would be taken for a step up.
    let dots = name.bytes().all(|byte| byte == b'.');
    name.bytes()
        .map(|byte| if plain(byte) && !dots { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn api_3_any_name_is_one_segment_of_a_path() {
        assert_eq!(segment("code-impl.auth_1"), "code-impl.auth_1");
        assert_eq!(segment("a/b ä?#"), "a%2Fb%20%C3%A4%3F%23");
        assert_eq!(segment(".."), "%2E%2E");
    }
}
