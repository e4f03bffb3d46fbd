//! Past a limit: a clear answer, never a crash, and the others go on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::server::{Server, Setup, text, until};
use serde_json::{Value, json};

/// A connection with a bounded patience.
fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Reads one answer of a connection that stays open; empty when it was closed.
fn answer(stream: &mut TcpStream) -> String {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => read.push(byte[0]),
            Ok(_) | Err(_) => return String::from_utf8_lossy(&read).into_owned(),
        }
    }
    let head = String::from_utf8(read).unwrap();
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    head + String::from_utf8(body).unwrap().as_str()
}

fn get(server: &Server, stream: &mut TcpStream, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).unwrap();
    answer(stream)
}

#[test]
fn g11_body_over_1_mib_is_413() {
    let server = Server::start();
    let sized = |size: usize| {
        let empty = text("ann", "bob", "").to_string().len();
        text("ann", "bob", &"x".repeat(size - empty)).to_string()
    };
    assert_eq!(server.post_text("/v1/messages", "application/json", &sized(1 << 20)).0, 201);
    for size in [(1 << 20) + 1, 8 << 20] {
        let (status, problem) = server.post_text("/v1/messages", "application/json", &sized(size));
        assert_eq!((status, &problem["status"]), (413, &json!(413)));
    }
    assert_eq!(server.inbox("bob").len(), 1);
    let small = Setup::new().config("[limits]\nbody_bytes = 200").start();
    assert_eq!(small.post_text("/v1/messages", "application/json", &sized(201)).0, 413);
    assert_eq!(small.post_text("/v1/messages", "application/json", &sized(200)).0, 201);
}

#[test]
fn g11_absurd_nesting_is_400_and_no_crash() {
    let server = Server::start();
    let deep = format!("{{\"content\":{}", "[".repeat(500_000));
    assert_eq!(server.post_text("/v1/messages", "application/json", &deep).0, 400);
    assert_eq!(server.get("/healthz").0, 200);
}

/// The content itself is the first level.
#[test]
fn g11_how_deep_a_message_may_be_nested_is_configurable() {
    let nested = |levels: usize| {
        let inner = format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(r#"{{"from":"ann","to":"bob","content":{{"type":"note","message":"hi","x":{inner}}}}}"#)
    };
    for (config, most) in [("", 32), ("[limits]\ndepth = 40", 40), ("[limits]\ndepth = 100", 100)] {
        let server = Setup::new().config(config).start();
        assert_eq!(server.post_text("/v1/messages", "application/json", &nested(most)).0, 201, "{config}");
        let (status, problem) = server.post_text("/v1/messages", "application/json", &nested(most + 1));
        let detail = problem["detail"].as_str().unwrap();
        assert_eq!(
            (status, detail.contains(&format!("deeper than {most} levels"))),
            (400, true),
            "{problem}"
        );
        assert_eq!(server.inbox("bob").len(), 1, "and it can be read again");
    }
}

#[test]
fn sec_7_a_slow_head_is_cut_and_a_resting_connection_lives_on() {
    let server = Setup::new().config("[limits]\nheader_timeout = \"300ms\"").start();
    let mut resting: Vec<_> = ["/healthz", "/v1/nothing", "/v1/exchanges"]
        .into_iter()
        .map(|path| {
            let mut stream = connect(&server);
            assert!(get(&server, &mut stream, path).starts_with("HTTP/1.1 "));
            stream
        })
        .collect();
    let mut misdirected = connect(&server);
    misdirected.write_all(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").unwrap();
    assert!(answer(&mut misdirected).starts_with("HTTP/1.1 421"));
    resting.push(misdirected);
    let mut slow = connect(&server);
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost:").unwrap();
    let said = answer(&mut slow);
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "it was cut: {said:?}");
    for stream in &mut resting {
        assert!(get(&server, stream, "/healthz").starts_with("HTTP/1.1 200"), "it rested, and lives");
    }
}

#[test]
fn sec_7_a_connection_that_rests_too_long_is_closed() {
    let server = Setup::new().config("[limits]\nidle_timeout = \"300ms\"").start();
    let mut stream = connect(&server);
    assert!(get(&server, &mut stream, "/healthz").starts_with("HTTP/1.1 200"));
    assert_eq!(answer(&mut stream), "");
    assert_eq!(answer(&mut connect(&server)), "", "also one that never said anything");
}

#[test]
fn sec_7_a_slow_body_is_408() {
    let server = Setup::new().config("[limits]\nbody_timeout = \"300ms\"").start();
    let mut stream = connect(&server);
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", server.address());
    stream.write_all(head.as_bytes()).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 408"));
}

#[test]
fn api_3_what_is_no_request_is_refused_with_a_body_too() {
    let server = Server::start();
    let long =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", server.address(), "x".repeat(200 << 10));
    for (wrong, status) in
        [("nonsense\r\n\r\n", 400), ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400), (&long, 431)]
    {
        let mut stream = connect(&server);
        // It may be refused before all of it is sent.
        let _ = stream.write_all(wrong.as_bytes());
        let said = answer(&mut stream);
        assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{said}");
        let problem: Value = serde_json::from_str(said.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!(problem["status"], status, "{said}");
    }
}

#[test]
fn g11_connections_over_the_limit_are_503_and_the_others_go_on() {
    let server = Setup::new().config("[limits]\nconnections = 2").start();
    server.register(&["ann"]);
    let (one, mut two) = (listening(&server), listening(&server));
    for _ in 0..20 {
        let said = get(&server, &mut connect(&server), "/v1/agents");
        assert!(said.starts_with("HTTP/1.1 503"), "{said}");
        let problem: Value = serde_json::from_str(said.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!(problem["status"], 503);
        // G13: who looks after the server is let in beyond the limit.
        assert!(get(&server, &mut connect(&server), "/healthz").starts_with("HTTP/1.1 200"));
        assert!(get(&server, &mut connect(&server), "/readyz").starts_with("HTTP/1.1 200"));
    }
    drop(two);
    let let_in = || get(&server, &mut connect(&server), "/v1/agents").starts_with("HTTP/1.1 200");
    until("there is room again", let_in);
    two = connect(&server);
    assert!(get(&server, &mut two, "/v1/agents").starts_with("HTTP/1.1 200"));
    drop(one);
}

/// A connection that is in use: a stream.
fn listening(server: &Server) -> TcpStream {
    let mut stream = connect(server);
    let head = "GET /v1/events HTTP/1.1\r\nAccept: text/event-stream\r\nHost:";
    write!(stream, "{head} {}\r\n\r\n", server.address()).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
    stream
}

#[test]
fn g13_on_this_machine_the_connection_that_rests_longest_makes_room() {
    let server = Setup::new().config("[limits]\nconnections = 3").start();
    let mut resting: Vec<_> = (0..3).map(|_| connect(&server)).collect();
    for stream in &mut resting {
        assert!(get(&server, stream, "/healthz").starts_with("HTTP/1.1 200"));
    }
    assert!(get(&server, &mut resting[0], "/healthz").starts_with("HTTP/1.1 200"));
    let mut late = connect(&server);
    assert!(get(&server, &mut late, "/v1/agents").starts_with("HTTP/1.1 200"));
    assert_eq!(answer(&mut resting[1]), "", "it was ended");
    for stream in [&mut late].into_iter().chain(resting.iter_mut().take(1)) {
        assert!(get(&server, stream, "/v1/agents").starts_with("HTTP/1.1 200"));
    }
    // However many come and say nothing, whoever asks is answered.
    let silent: Vec<_> = (0..200).map(|_| connect(&server)).collect();
    assert!(get(&server, &mut connect(&server), "/v1/agents").starts_with("HTTP/1.1 200"));
    drop(silent);
}

#[test]
fn g11_every_connection_over_the_limit_is_told_however_many_come() {
    let server = Setup::new().config("[limits]\nconnections = 1").start();
    server.register(&["ann"]);
    let _one = listening(&server);
    // They say nothing, and all stay. Some are waited for: they could ask for the server's health.
    let mut many: Vec<_> = (0..800).map(|_| connect(&server)).collect();
    let mut waited_for = 0;
    for (place, stream) in many.iter_mut().enumerate() {
        let said = answer(stream);
        let told = said.starts_with("HTTP/1.1 503") && said.to_lowercase().contains("\r\nretry-after: ");
        match said.as_str() {
            "" => waited_for += 1,
            said => assert!(told && said.contains("1 connections already"), "connection {place}: {said:?}"),
        }
    }
    // Sixteen at a time, and none for long.
    assert!(waited_for < 100, "{waited_for} beyond the limit");
    let healthy = || get(&server, &mut connect(&server), "/healthz").starts_with("HTTP/1.1 200");
    until("health is told", healthy);
}

#[test]
fn g11_a_low_limit_of_open_files_is_raised_for_the_connections() {
    let data = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_wilco");
    let line =
        format!("ulimit -Sn 64; exec {program} serve --listen 127.0.0.1:0 --data {}", data.path().display());
    let mut child = Command::new("sh").args(["-c", &line]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address = first.trim().rsplit("http://").next().unwrap().to_owned();
    let answered = (0..200).map(|_| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        (answer(&mut stream), stream)
    });
    let answered: Vec<_> = answered.take_while(|(said, _)| said.starts_with("HTTP/1.1 200")).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answered.len(), 200, "at the same time");
}

#[test]
fn g11_waiting_readers_over_the_limit_are_503() {
    let server = Setup::new().config("[limits]\nwaiting_readers = 1\nwait = \"30s\"").start();
    server.register(&["ann", "bob"]);
    let caller = server.caller();
    // Whoever comes second is refused, and that may be this one: then it comes again.
    let seated =
        move || Some(caller.get("/v1/agents/bob/inbox?wait=30s")).filter(|(status, _)| *status != 503);
    let waiting = std::thread::spawn(move || (0..5000).find_map(|_| seated()));
    until("the seat is taken", || server.get("/v1/agents/ann/inbox?wait=1ms").0 == 503);
    assert_eq!(server.get("/v1/events?wait=1ms&after=99999").0, 503);
    assert_eq!(server.get("/v1/agents/new/inbox?wait=1ms").0, 503);
    assert_eq!(server.get("/v1/agents/new").0, 404, "whoever was refused has not been here");
    assert_eq!(server.get("/v1/agents/ann/inbox?wait=-1ms").0, 422);
    assert_eq!(server.get("/v1/agents/ann/inbox").0, 200, "without waiting it works");
    assert_eq!(server.get("/v1/agents/ann/inbox?wait=31s").0, 400);
    server.send(&text("ann", "bob", "hi"));
    assert_eq!(waiting.join().unwrap().unwrap().0, 200);
    assert_eq!(server.get("/v1/agents/ann/inbox?wait=1ms").0, 200);
}
