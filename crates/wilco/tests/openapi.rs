//! The API and its document say the same, and wrong requests are told what would be right.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use crate::server::Server;
use serde_json::{Value, json};

fn document(server: &Server) -> Value {
    let (status, document) = server.get("/v1/openapi.json");
    assert_eq!((status, &document["openapi"]), (200, &json!("3.1.0")));
    document
}

/// Every operation: its method, its path with names of this server, and what is written about it.
fn operations(server: &Server) -> Vec<(String, String, Value)> {
    let exchange = server.begin_working("T-1");
    let (_, page) = server.get("/v1/messages?limit=1");
    let message = page["items"][0]["id"].as_str().unwrap();
    let document = document(server);
    let paths = document["paths"].as_object().unwrap();
    let each = paths.iter().flat_map(|(path, methods)| {
        let id = if path.contains("messages") { message } else { &exchange };
        let path = path.replace("{name}", "worker").replace("{report}", "delegations").replace("{seq}", "1");
        let path = path.replace("{id}", id);
        methods
            .as_object()
            .unwrap()
            .iter()
            .map(move |(method, about)| (method.clone(), path.clone(), about.clone()))
    });
    each.collect()
}

/// The status, the header `allow`, and the body of a request that is written by hand.
fn raw(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let (host, length) = (server.address(), body.len());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    let allow = head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap_or("");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), allow.to_owned(), body.to_owned())
}

#[test]
fn api_1_every_operation_is_there_and_takes_the_keys_that_are_written() {
    let server = Server::start();
    for (method, path, about) in operations(&server) {
        let written: BTreeSet<&str> = about["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["in"] == "query")
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        if ["/healthz", "/readyz"].contains(&path.as_str()) {
            continue;
        }
        let method = method.to_uppercase();
        let (status, _, body) = raw(&server, &method, &format!("{path}?zzzzzzzzzzzzzz=1"), "", "");
        let problem: Value =
            serde_json::from_str(&body).unwrap_or_else(|_| panic!("{method} {path}: {status} {body}"));
        assert_eq!(status, 400, "{method} {path} takes any key: {body}");
        let detail = problem["detail"].as_str().unwrap();
        let known = detail.split("there are ").nth(1).unwrap_or("");
        let known: BTreeSet<&str> = known.split(", ").filter(|key| !key.is_empty()).collect();
        assert_eq!(known, written, "{method} {path}: {detail}");
    }
}

#[test]
fn api_1_the_reference_needs_no_network() {
    let server = Server::start();
    let (status, page) = server.get_text("/docs");
    assert_eq!(status, 200);
    for (path, _) in document(&server)["paths"].as_object().unwrap() {
        assert!(page.contains(path), "{path} is missing");
    }
    for foreign in ["http://", "https://", "<script", "javascript:", " on"] {
        let found = page
            .match_indices(foreign)
            .find(|(at, _)| foreign != " on" || page[*at..].contains("=\"javascript"));
        assert!(found.is_none(), "{foreign}");
    }
    let (status, style) = server.get_text("/docs/style.css");
    assert!(status == 200 && !style.contains("url(") && !style.contains("@import"), "{style}");
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "GET /docs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.contains("content-security-policy: default-src 'none'; style-src 'self';"), "{said}");
}

#[test]
fn api_9_a_wrong_method_is_405_and_says_what_is_taken() {
    let server = Server::start();
    for (method, path, allowed) in [
        ("DELETE", "/v1/messages", "GET,HEAD,POST"),
        ("POST", "/v1/exchanges", "GET,HEAD"),
        ("PATCH", "/v1/agents/worker", "GET,HEAD,PUT,DELETE"),
        ("GET", "/v1/test/clock", "POST"),
        ("PUT", "/v1/events", "GET,HEAD"),
        ("POST", "/metrics", "GET,HEAD"),
    ] {
        let (status, allow, body) = raw(&server, method, path, "", "");
        assert_eq!((status, allow.as_str()), (405, allowed), "{method} {path}: {body}");
        assert!(body.contains("tag:wilco,2026:method"), "{body}");
    }
}

#[test]
fn api_9_a_wrong_content_type_is_415() {
    let server = Server::start();
    let message =
        json!({"from": "ann", "to": "bob", "content": {"type": "text", "message": "hi"}}).to_string();
    for (kind, status) in [
        ("text/plain", 415),
        ("application/xml", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json; charset=utf-8", 201),
        ("application/x-www-form-urlencoded", 201),
    ] {
        let header = format!("Content-Type: {kind}\r\n");
        assert_eq!(raw(&server, "POST", "/v1/messages", &header, &message).0, status, "{kind}");
    }
    assert_eq!(raw(&server, "POST", "/v1/messages", "", &message).0, 201, "who says nothing is believed");
    assert_eq!(raw(&server, "PUT", "/v1/agents/ann", "Content-Type: text/html\r\n", "{}").0, 415);
}

#[test]
fn api_2b_every_list_has_its_limits_and_its_end() {
    let server = Server::start();
    let exchange = server.begin_working("T-1");
    let lists = ["/v1/messages", "/v1/agents", "/v1/exchanges", "/v1/escalations", "/v1/reports/delegations"];
    let forward = ["/v1/events".to_owned(), "/v1/agents/worker/inbox".to_owned()];
    let of_exchange = format!("/v1/exchanges/{exchange}/events");
    let all = lists.iter().map(|path| (*path).to_owned()).chain(forward.clone()).chain([of_exchange]);
    for path in all {
        for wrong in
            ["limit=0", "limit=1001", "limit=-1", "limit=x", "limit=1.5", "after=%20", "after=-1", "lmit=1"]
        {
            let (status, problem) = server.get(&format!("{path}?{wrong}"));
            assert_eq!(status, 400, "{path}?{wrong}: {problem}");
        }
        for right in ["limit=1", "limit=1000"] {
            assert_eq!(server.get(&format!("{path}?{right}")).0, 200, "{path}?{right}");
        }
    }
    for path in lists {
        assert_eq!(server.get(&format!("{path}?limit=1000")).1["next"], Value::Null, "{path}");
    }
    for path in forward {
        let next = server.get(&format!("{path}?limit=1000")).1["next"].clone();
        let (_, empty) = server.get(&format!("{path}?after={}", next.as_str().unwrap()));
        assert_eq!((&empty["items"], &empty["next"]), (&json!([]), &next), "{path}");
    }
}

/// Whether an address is one of a path with names in braces.
fn is_of(address: &str, path: &str) -> bool {
    let (given, known): (Vec<_>, Vec<_>) = (address.split('/').collect(), path.split('/').collect());
    let same = |(given, known): (&&str, &&str)| given == known || known.starts_with('{');
    given.len() == known.len() && given.iter().zip(&known).all(same)
}

#[test]
fn api_1_the_tour_names_only_what_is_there() {
    let server = Server::start();
    let document = document(&server);
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    let tour = include_str!("../../../docs/api.md");
    let mut named = 0;
    for word in tour.split([' ', '`', '\'', '"', '\n']) {
        let address = word.strip_prefix("http://127.0.0.1:23000").unwrap_or(word);
        let address = address.split('?').next().unwrap();
        if address.starts_with("/v1/") || address == "/metrics" {
            assert!(paths.iter().any(|path| is_of(address, path)), "{address} is not there");
            named += 1;
        }
    }
    assert!(named > 10, "{named}");
}
