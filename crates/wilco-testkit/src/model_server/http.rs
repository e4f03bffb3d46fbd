//! As much of HTTP as clients of models speak: one request for each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// More than any client sends.
const MOST: usize = 64 << 20;

pub(super) fn serve(stream: &TcpStream, answer: impl Fn(&str, &Value) -> Option<(&'static str, String)>) {
    let mut reader = BufReader::new(stream);
    let Some((path, body)) = request(&mut reader) else { return };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, kind, text) = match answer(&path, &body) {
        Some((kind, text)) => ("200 OK", kind, text),
        None => (
            "404 Not Found",
            "application/json",
            r#"{"error": {"message": "there is no such thing"}}"#.to_owned(),
        ),
    };
    let mut out = stream;
    // Whoever left does not wait for it.
    let _ = write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
}

/// The path and the body.
fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let first = line(reader)?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let header = line(reader)?.to_ascii_lowercase();
        match header.split_once(':') {
            None => break,
            Some(("content-length", value)) => length = value.trim().parse().ok()?,
            Some(("transfer-encoding", value)) => chunked = value.contains("chunked"),
            Some(_) => {}
        }
    }
    let mut body = Vec::new();
    while chunked {
        let size = usize::from_str_radix(line(reader)?.split(';').next()?.trim(), 16).ok()?;
        take(reader, size, &mut body)?;
        line(reader)?;
        chunked = size > 0;
    }
    take(reader, length, &mut body)?;
    Some((path, body))
}

fn take(reader: &mut impl BufRead, size: usize, body: &mut Vec<u8>) -> Option<()> {
    if body.len() + size > MOST {
        return None;
    }
    let mut part = vec![0; size];
    reader.read_exact(&mut part).ok()?;
    body.extend(part);
    Some(())
}

/// A line without its end; an empty one ends the headers.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.take(64 << 10).read_line(&mut line).ok().filter(|read| *read > 0)?;
    Some(line.trim_end().to_owned())
}
