//! A connection that breaks before the answer: the same request again, under the same key, once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};
use wilco_client::{Client, Error, IdempotencyKey, Outgoing};

/// A server that answers the n-th request with the n-th text; an empty one breaks the connection. Returns
/// what it was sent: the key and the body of each request.
fn played(answers: Vec<String>, call: impl FnOnce(&Client)) -> Vec<(String, Value)> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let server = thread::spawn(move || {
        answers.iter().map(|answer| serve(listener.accept().expect("a caller").0, answer)).collect()
    });
    call(&Client::new(&url).named(Some("anna".to_owned())));
    server.join().expect("its end")
}

fn serve(mut stream: TcpStream, answer: &str) -> (String, Value) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let (mut key, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        match line.trim().split_once(": ").map(|(name, value)| (name.to_lowercase(), value)) {
            Some((name, value)) if name == "idempotency-key" => key = value.to_owned(),
            Some((name, value)) if name == "content-length" => length = value.parse().expect("a length"),
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    stream.write_all(answer.as_bytes()).expect("an answer");
    (key, serde_json::from_slice(&body).unwrap_or_default())
}

fn accepted() -> String {
    let body = json!({
        "message": {
            "id": "msg-1-a", "from": "anna", "fromVerified": false, "to": "bob", "subject": "",
            "priority": "normal", "content": {}, "in_reply_to": null, "exchange": null, "broadcast_id": null,
            "timestamp": "", "status": "unread",
        },
        "exchange": null,
    })
    .to_string();
    format!("HTTP/1.1 201 Created\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn message() -> Outgoing {
    Outgoing { to: vec!["bob".to_owned()], content: json!({"message": "hi"}), ..Outgoing::default() }
}

#[test]
fn g2_a_lost_answer_is_asked_for_again_under_the_same_key() {
    let key = IdempotencyKey::fresh();
    let requests = played(vec![String::new(), accepted()], |client| {
        let answer = client.send(&message(), &key).expect("an answer in the end");
        assert_eq!(answer.value.message.id, "msg-1-a");
    });
    let expected = (key.to_string(), json!({"to": "bob", "content": {"message": "hi"}}));
    assert_eq!(requests, [expected.clone(), expected]);
}

#[test]
fn g2_an_answer_that_is_lost_twice_is_an_error() {
    let requests = played(vec![String::new(), String::new()], |client| {
        let error = client.send(&message(), &IdempotencyKey::fresh()).expect_err("no answer");
        assert!(matches!(error, Error::Broken { .. }), "{error:?}");
    });
    assert_eq!(requests.len(), 2);
}

#[test]
fn cli_5_a_stranger_is_told_from_a_server() {
    let page = "HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>".to_owned();
    played(vec![page], |client| {
        let error = client.send(&message(), &IdempotencyKey::fresh()).expect_err("no answer");
        assert!(error.to_string().contains("does not answer like a Wilco server (status 404"), "{error}");
    });
}
