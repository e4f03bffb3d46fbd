//! What a terminal is shown when something lies in an inbox: a fixed line, and nothing that anybody wrote.

/// For so many messages, the most urgent of which has this priority.
pub fn nudge_line(messages: usize, priority: &str) -> String {
    let noun = if messages == 1 { "message" } else { "messages" };
    format!("wilco: {messages} {noun} ({priority}), run: wilco inbox")
}

/// For somebody who wants to see whether nudges work.
pub fn nudge_test_line() -> String {
    "wilco: this is a test, run: wilco inbox".to_owned()
}
