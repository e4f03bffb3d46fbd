//! What the parser of HTTP refuses by itself has no body. Here it gets one, on its way out: the same form of problem as
//! everything else that is refused.

use http::StatusCode;

use crate::problem::Failure;

/// By which answers of the doors are told from those of the parser.
const OWN: &[u8] = b"\r\nwilco-time: ";

/// The answer to write in the place of one that the parser made; none for any other.
pub(crate) fn with_body(written: &[u8]) -> Option<Vec<u8>> {
    let code = written.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let is_own = || memchr::memmem::find(written, OWN).is_some();
    if code[0] != b'4' || !written.ends_with(b"\r\n\r\n") || is_own() {
        return None;
    }
    let status = StatusCode::from_bytes(code).ok()?;
    let failure = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Failure::new(
            status,
            "too-large",
            "the head of the request is too large; send fewer or shorter headers",
        ),
        StatusCode::URI_TOO_LONG => Failure::new(
            status,
            "too-large",
            "the address of the request is too long; send what it says in a body",
        ),
        status => Failure::new(
            status,
            "bad-request",
            "this is no HTTP request that can be read; look at its first line, its headers and its length",
        ),
    };
    Some(failure.written_out().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_3_a_refusal_of_the_parser_gets_a_body_and_nothing_else_is_touched() {
        let bare =
            b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let said = String::from_utf8(with_body(bare).unwrap()).unwrap();
        assert!(said.starts_with("HTTP/1.1 431 ") && said.contains("\"status\":431"), "{said}");
        for left in [
            &b"HTTP/1.1 404 Not Found\r\nwilco-time: 2026-01-01T00:00:00Z\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"data: HTTP/1.1 400 \r\n\r\n",
            b"",
        ] {
            assert_eq!(with_body(left), None);
        }
    }
}
