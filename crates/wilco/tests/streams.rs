//! Events and messages as streams.

use crate::server;

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::server::{Caller, Server, Setup, task, text};
use serde_json::{Value, json};
use wilco_server::{Role, Tokens};

fn positions(events: &[(u64, Value)]) -> Vec<u64> {
    events.iter().map(|(position, _)| *position).collect()
}

fn resuming(caller: &Caller, after: u64) -> Caller {
    caller.clone().header("Last-Event-ID", &after.to_string())
}

#[test]
fn api_5_a_stream_tells_everything_and_resumes_without_a_gap() {
    let server = Server::start();
    server.begin_working("T-1");
    server.register(&["ann", "bob"]);
    let events = server.events();
    let mut stream = server.stream("/v1/events?after=0").unwrap();
    let told = stream.take(events.len());
    assert_eq!(positions(&told), (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(told.iter().map(|(_, event)| event.clone()).collect::<Vec<_>>(), events, "as pages show them");

    let sent = server.send(&text("ann", "bob", "while it is read"));
    let (last, event) = stream.next().unwrap();
    assert_eq!(event["data"]["id"], sent["message"]["id"], "as it happens");
    drop(stream);

    server.send(&text("ann", "bob", "while nobody reads"));
    let mut stream = resuming(&server, last).stream("/v1/events?after=0").unwrap();
    let (position, event) = stream.next().unwrap();
    assert_eq!((position, &event["by"]), (last + 1, &json!("ann")), "where it broke off, not where it began");
}

#[test]
fn api_5_without_a_place_a_stream_begins_now() {
    let server = Server::start();
    server.register(&["ann", "bob"]);
    let head = server.events().len() as u64;
    let mut stream = server.stream("/v1/events").unwrap();
    server.send(&text("ann", "bob", "hi"));
    assert_eq!(stream.next().unwrap().0, head + 1);
}

#[test]
fn api_5_streams_are_filtered_by_protocol_and_agent() {
    let server = Server::start();
    server.register(&["ann", "bob", "cid", "boss", "worker"]);
    let mut delegations = server.stream("/v1/events?protocol=delegation").unwrap();
    let mut of_cid = server.stream("/v1/events?agent=cid").unwrap();
    server.send(&text("ann", "bob", "not wanted"));
    let id = server.begin(&task("T-1"));
    let sent = server.send(&text("ann", "cid", "wanted"));
    assert_eq!(delegations.next().unwrap().1["exchange"], id);
    assert_eq!(of_cid.next().unwrap().1["data"]["id"], sent["message"]["id"]);
    for (query, status) in [("protocol=gossip", 400), ("agnt=x", 400), ("after=x", 400), ("limit=5", 400)] {
        assert_eq!(server.stream(&format!("/v1/events?{query}")).err(), Some(status), "{query}");
    }
    assert_eq!(server.caller().header("Last-Event-ID", "x").stream("/v1/events").err(), Some(400));
    assert_eq!(server.caller().header("Accept", "image/png").get("/v1/events").0, 406);
}

#[test]
fn api_3_an_inbox_streams_what_is_unread_and_what_follows() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let read = server.send(&text("boss", "worker", "read long ago"));
    let path = format!("/v1/messages/{}/read", read["message"]["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({})).0, 204);
    server.send(&text("boss", "worker", "unread"));
    let mut stream = server.stream("/v1/agents/worker/inbox").unwrap();
    let (first, message) = stream.next().unwrap();
    assert_eq!(message["content"]["message"], "unread");
    server.begin(&task("T-1"));
    let (second, message) = stream.next().unwrap();
    let (_, page) = server.get("/v1/agents/worker/inbox?status=unread");
    assert_eq!(message, page["items"][1], "as the inbox shows it: delivered, with its teaching");
    assert_eq!(page["next"], second.to_string(), "ids are cursors");
    drop(stream);

    server.send(&text("boss", "worker", "while nobody reads"));
    let mut stream = resuming(&server, first).stream("/v1/agents/worker/inbox").unwrap();
    assert_eq!(stream.next().unwrap().0, second);
    assert_eq!(stream.next().unwrap().1["content"]["message"], "while nobody reads");
    let mut whole = server.stream("/v1/agents/worker/inbox?after=0").unwrap();
    assert_eq!(whole.next().unwrap().1["content"]["message"], "read long ago");
}

#[test]
fn msg_23_who_listens_to_its_inbox_is_there() {
    let server = Server::start();
    assert_eq!(server.stream("/v1/agents/newcomer/inbox").err(), Some(404), "SEC-14: nobody in particular");
    let _stream = server.as_agent("newcomer").stream("/v1/agents/newcomer/inbox").unwrap();
    assert_eq!(server.get("/v1/agents/newcomer").1["status"], "active");
}

#[test]
fn sec_2_streams_show_only_what_their_agent_takes_part_in() {
    let server = Setup::new().config("auth = \"required\"").start();
    let [ann, eve] = ["ann", "eve"].map(|name| server.with_token(name, Role::Agent));
    let (operator, reader) =
        (server.with_token("root", Role::Operator), server.with_token("eye", Role::ReadOnly));
    operator.register(&["ann", "bob", "eve"]);
    let mut of_eve = eve.stream("/v1/events").unwrap();
    let mut others = [&ann, &operator, &reader].map(|caller| caller.stream("/v1/events").unwrap());
    ann.send(&text("ann", "bob", "secret"));
    let known = ann.send(&text("ann", "eve", "for eve"));
    for stream in &mut others {
        assert_eq!(stream.next().unwrap().1["data"]["to"], json!(["bob"]));
    }
    assert_eq!(of_eve.next().unwrap().1["data"]["id"], known["message"]["id"]);
    assert_eq!(eve.stream("/v1/agents/bob/inbox").err(), Some(404));
    assert_eq!(server.caller().stream("/v1/events").err(), Some(401));
    assert_eq!(
        reader.stream("/v1/agents/bob/inbox").unwrap().next().unwrap().1["content"]["message"],
        "secret"
    );

    let tokens = Tokens::new(server.data.path());
    let of = tokens.list().unwrap().into_iter().find(|token| token.name.as_str() == "eve").unwrap();
    tokens.revoke(&of.id).unwrap();
    ann.send(&text("ann", "eve", "the last one, or none"));
    assert!(std::iter::from_fn(|| of_eve.next()).count() <= 1, "a revoked token ends its streams");
}

#[test]
fn sec_3_foreign_pages_may_not_listen() {
    let server = Server::start();
    server.register(&["ann"]);
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let page = server.caller().header("Origin", origin);
        assert_eq!(page.stream("/v1/events").err(), Some(403), "{origin}");
        assert_eq!(page.stream("/v1/agents/ann/inbox").err(), Some(403), "{origin}");
    }
    assert!(server.caller().header("Origin", &server.url).stream("/v1/events").is_ok());
}

/// One message for each line of a batch.
fn flood(server: &Server, count: usize) {
    let line =
        format!("{}\n", json!({"from": "ann", "to": "bob", "content": {"type": "text", "message": "drop"}}));
    for _ in 0..count.div_ceil(1000) {
        let (status, _) = server.post_text("/v1/messages", "application/x-ndjson", &line.repeat(1000));
        assert_eq!(status, 200);
    }
}

#[test]
fn g11_sec_7_a_reader_that_is_too_slow_is_cut_off_and_resumes() {
    let server = Setup::new().config("[limits]\nstream_events = 100\nwaiting_readers = 1\n").start();
    server.register(&["ann", "bob"]);
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(server::PATIENCE)).unwrap();
    write!(
        socket,
        "GET /v1/events?after=0 HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\r\n",
        server.address()
    )
    .unwrap();
    flood(&server, 6000);
    // The only seat is free again when the stream is cut.
    let is_free = || server.get("/v1/events?after=0&limit=1&wait=1ms").0 == 200;
    assert!((0..100_000).any(|_| is_free()), "it is never cut");
    // What the system still holds comes, then the end.
    let mut said = Vec::new();
    let _ = socket.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    let whole: Vec<u64> = said
        .lines()
        .collect::<Vec<_>>()
        .windows(3)
        .filter(|lines| lines[1].starts_with("data: ") && lines[1].ends_with('}') && lines[2].is_empty())
        .filter_map(|lines| lines[0].strip_prefix("id: ")?.parse().ok())
        .collect();
    let last = *whole.last().unwrap();
    assert_eq!(whole, (1..=last).collect::<Vec<_>>(), "nothing is left out before the cut");
    assert!(last < 6000, "it was not cut: {last}");
    assert!(!said.ends_with("0\r\n\r\n"), "a cut is no regular end");
    let mut stream = resuming(&server, last).stream("/v1/events").unwrap();
    let rest = stream.take(6000 - last as usize);
    assert_eq!(
        positions(&rest),
        (last + 1..=6000).collect::<Vec<_>>(),
        "who reads gets all, however far behind"
    );
}

#[test]
fn sec_7_a_server_that_ends_closes_its_streams() {
    let mut server = Server::start();
    server.register(&["ann"]);
    let mut events = server.stream("/v1/events").unwrap();
    let mut inbox = server.stream("/v1/agents/ann/inbox").unwrap();
    assert_eq!(server.terminate().code(), Some(0));
    assert!(events.next().is_none() && inbox.next().is_none(), "a regular end");
}
