//! A stream of server-sent events, read as a client reads it.

use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

pub(crate) struct Stream {
    lines: BufReader<Box<dyn Read>>,
}

/// One event: its id, and its data as JSON.
pub(crate) type Told = (u64, Value);

impl Stream {
    pub(crate) fn new(response: ureq::http::Response<ureq::Body>) -> Stream {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Stream { lines: BufReader::new(Box::new(response.into_body().into_reader())) }
    }

    /// The next event; none at the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Told> {
        let (mut id, mut data) = (None, None);
        loop {
            let mut line = String::new();
            // One that is cut breaks off.
            if matches!(self.lines.read_line(&mut line), Ok(0) | Err(_)) {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = Some(value.parse().unwrap()),
                Some(("data", value)) => data = Some(serde_json::from_str(value).unwrap()),
                Some(("", _)) => {}
                Some(_) => panic!("{line:?} is no line of an event"),
                None => {
                    assert_eq!(line, "\n");
                    if let Some(told) = id.take().zip(data.take()) {
                        return Some(told);
                    }
                }
            }
        }
    }

    /// The next ones, so many.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Told> {
        (0..count).map(|_| self.next().unwrap()).collect()
    }
}
