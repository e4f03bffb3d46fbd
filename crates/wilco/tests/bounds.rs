//! Bounds in bytes: pages, broadcasts, streams, and what all of it costs in memory.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, Setup, text, until};
use wilco_server::Role;

const PAGE: usize = 2 << 20;
const MOST: usize = PAGE + (64 << 10);
const LARGE: usize = 900 << 10;

/// A report: its text is not searched for a task, which takes long in a build for tests.
fn large(word: &str) -> Value {
    let mut message = text("ann", "bob", &format!("{word} {}", "x".repeat(LARGE)));
    message["content"]["type"] = json!("report");
    message
}

/// A server where bob has so many large messages from ann.
fn with_large(messages: usize) -> Server {
    let server = Server::start();
    for n in 0..messages {
        server.send(&large(&format!("number{n}")));
    }
    server
}

/// Every item of a list, page by page; each page has some and is not too large.
fn all(server: &Server, path: &str) -> Vec<Value> {
    let (mut items, mut after) = (Vec::new(), String::new());
    loop {
        let and = if path.contains('?') { '&' } else { '?' };
        let address = if after.is_empty() { path.to_owned() } else { format!("{path}{and}after={after}") };
        let (status, body) = server.get_text(&address);
        assert_eq!(status, 200, "{body}");
        assert!(body.len() <= MOST, "{address}: {} bytes", body.len());
        let page: Value = serde_json::from_str(&body).unwrap();
        let found = page["items"].as_array().unwrap();
        items.extend(found.iter().cloned());
        match page["next"].as_str() {
            Some(next) if !found.is_empty() => after = next.to_owned(),
            _ => return items,
        }
    }
}

#[test]
fn g12_a_page_ends_at_2_mib_and_says_where_it_goes_on() {
    let server = with_large(5);
    server.register(&["cid"]);
    let mut task = json!({
        "from": "ann", "to": "cid",
        "content": {"type": "task-assignment", "task_id": "T-1", "title": "Long", "message": "y".repeat(LARGE)},
    });
    for n in 0..3 {
        task["content"]["task_id"] = json!(format!("T-{n}"));
        server.send(&task);
    }
    assert_eq!(all(&server, "/v1/agents/bob/inbox?limit=1000").len(), 5);
    assert_eq!(all(&server, "/v1/messages?limit=1000&to=bob").len(), 5);
    assert_eq!(all(&server, "/v1/messages?limit=1000&q=number3").len(), 1);
    assert_eq!(all(&server, "/v1/agents/cid/inbox").len(), 3);
    assert_eq!(all(&server, "/v1/messages?agent=cid").len(), 3, "with what they became");
    assert_eq!(all(&server, "/v1/exchanges").len(), 3);
    let events = all(&server, "/v1/events?limit=1000");
    assert_eq!(events.len(), server.events().len());
    let (_, first) = server.get("/v1/agents/bob/inbox?limit=1000");
    assert_eq!(first["items"].as_array().unwrap().len(), 2, "as many as fit");
    let (_, whole) = server.get("/api/messages?agent=bob&limit=0");
    assert_eq!(whole["messages"].as_array().unwrap().len(), 5, "/api has no pages");
    let (_, some) = server.get("/api/messages?agent=bob&limit=4");
    assert_eq!(some["messages"].as_array().unwrap().len(), 4);
    assert_eq!(server.get("/api/messages?agent=ann&action=sent-count").1["count"], 8);
}

#[test]
fn g12_what_is_delivered_as_it_was_sent_is_shown_once() {
    let server = Server::start();
    server.register(&["worker"]);
    let plain = server.send(&text("ann", "bob", "hi"))["message"]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/v1/messages/{plain}")).1.get("delivered"), None);
    let given = json!({"from": "ann", "to": "worker", "content": {"type": "task-assignment", "task_id": "T-1", "title": "T"}});
    let task = server.send(&given)["message"]["id"].as_str().unwrap().to_owned();
    assert!(server.get(&format!("/v1/messages/{task}")).1["delivered"].is_object());
}

#[test]
fn g12_a_broadcast_is_answered_with_ids_and_has_a_bound() {
    let server = Server::start();
    let names: Vec<_> = (0..20).map(|n| format!("reader{n}")).collect();
    server.register(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut body = large("x");
    body["content"]["message"] = json!("hello all");
    body["to"] = json!(names);
    let sent = server.send(&body);
    let copies = sent["messages"].as_array().unwrap();
    assert_eq!(copies.len(), 20);
    for (copy, name) in copies.iter().zip(&names) {
        assert_eq!(copy.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "to"]);
        assert_eq!(copy["to"], **name);
    }
    let before = server.events().len();
    body["content"]["message"] = json!("x".repeat(LARGE));
    let problem = server.refused(&body, 413);
    assert!(problem["detail"].as_str().unwrap().contains("20 recipients"), "{problem}");
    let (_, lines) = server.caller().post_text("/v1/messages", "application/x-ndjson", &format!("{body}\n"));
    assert_eq!(lines["status"], 413, "{lines}");
    assert_eq!(server.events().len(), before);
    body["to"] = json!(names[..17]);
    assert_eq!(server.post("/v1/messages", &body).0, 201, "as many as the bound allows");
}

/// Kilobytes of the server's memory: those of now, and the most there ever were.
fn memory(server: &Server) -> (usize, usize) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (line("VmRSS:"), line("VmHWM:"))
}

#[test]
fn g12_a_dozen_requests_at_once_cost_less_than_256_mib() {
    let server = with_large(14);
    let (before, _) = memory(&server);
    let paths = [
        "/v1/agents/bob/inbox?limit=1000",
        "/v1/messages?limit=1000",
        "/v1/messages?limit=1000&q=number",
        "/api/messages?agent=bob&limit=0",
        "/api/messages?agent=*&limit=0",
        "/v1/events?limit=1000",
    ];
    std::thread::scope(|scope| {
        for path in paths.iter().cycle().take(12) {
            let caller = server.caller();
            scope.spawn(move || assert_eq!(caller.get_text(path).0, 200));
        }
    });
    let (_, most) = memory(&server);
    let grown = most.saturating_sub(before) >> 10;
    assert!(grown < 256, "a dozen reads cost {grown} MiB");
}

/// Streams that nobody reads. What they hold back together has a bound; whoever reads is served all the while.
#[test]
fn g12_streams_that_nobody_reads_hold_so_much_and_no_more() {
    let server = Setup::new().config("[limits]\nstreams_bytes = 8388608").start();
    for n in 0..3 {
        server.send(&large(&n.to_string()));
    }
    let (before, _) = memory(&server);
    let idle: Vec<_> = (0..100)
        .map(|n| server.as_agent(&format!("reader-{n}")).stream("/v1/agents/bob/inbox?after=0").unwrap())
        .collect();
    server.send(&text("ann", "bob", "the last"));
    let (mut read, mut after) = (0, 0);
    while read < 4 {
        // A stream that was cut resumes.
        let path = format!("/v1/agents/bob/inbox?after={after}");
        let Ok(mut stream) = server.as_agent("good").stream(&path) else { continue };
        while read < 4
            && let Some((position, _)) = stream.next()
        {
            (read, after) = (read + 1, position);
        }
    }
    let (_, most) = memory(&server);
    let grown = most.saturating_sub(before) >> 10;
    assert!(grown < 100, "streams that nobody reads cost {grown} MiB");
    drop(idle);
}

#[test]
fn g13_an_owner_has_64_streams_and_others_have_theirs() {
    let server = Server::start();
    server.register(&["bob"]);
    let open = |name: &str| server.as_agent(name).stream("/v1/agents/bob/inbox");
    let all: Vec<_> = (0..64).map(|_| open("ann").unwrap()).collect();
    assert_eq!(open("ann").err(), Some(429));
    assert!(open("eve").is_ok());
    drop(all);
    until("they are closed", || open("ann").is_ok());
}

#[test]
fn g13_an_owner_brings_so_many_names_a_day_by_the_way() {
    let server = Setup::new().config("[limits]\nowner_names = 3").start();
    server.register(&["ann", "cid"]);
    let write = |from: &str, to: &str| server.as_agent(from).post("/v1/messages", &text(from, to, "Hello."));
    for new in ["n1", "n2"] {
        assert_eq!(write("ann", new).0, 201);
    }
    assert_eq!(write("ann", "n1").0, 201, "it is known by now");
    // What is refused brings nobody.
    let task = json!({"from": "ann", "to": "nobody", "content": {"type": "task-assignment", "task_id": "T", "message": "x"}});
    assert_eq!(server.as_agent("ann").post("/v1/messages", &task).0, 404);
    let two = json!({"from": "ann", "to": ["n3", "n4"], "content": {"type": "text", "message": "x"}});
    let (status, problem) = server.as_agent("ann").post("/v1/messages", &two);
    assert_eq!((status, &problem["status"]), (429, &json!(429)), "{problem}");
    assert_eq!(server.get("/v1/agents/n3").0, 404);
    assert_eq!(write("ann", "n3").0, 201);
    assert_eq!(write("ann", "n4").0, 429);
    assert_eq!(write("cid", "n4").0, 201, "somebody else has its own");
    assert_eq!(server.as_agent("ann").put("/v1/agents/n6", &json!({})).0, 201, "outright is not counted");
}

/// The lines of a batch count one by one, and so does a name that waits at its own inbox.
#[test]
fn g13_names_in_a_batch_and_at_their_own_inbox_count_too() {
    let server = Setup::new().config("[limits]\nowner_names = 3").start();
    server.register(&["ann"]);
    let lines: String = (0..4).map(|n| format!("{}\n", text("ann", &format!("n{n}"), "Hello."))).collect();
    let answers = server.as_agent("ann").post_text("/v1/messages", "application/x-ndjson", &lines).1;
    let statuses: Vec<_> =
        answers.as_array().unwrap().iter().map(|answer| answer["status"].clone()).collect();
    assert_eq!(json!(statuses), json!([201, 201, 201, 429]), "{answers}");
    assert_eq!(server.get("/v1/agents/n3").0, 404);
    // A name that nobody has yet is no owner of its own: those count for the address that they come from.
    let waits = |name: &str| server.as_agent(name).get(&format!("/v1/agents/{name}/inbox?wait=0s")).0;
    assert_eq!(["w1", "w2", "w3", "w4"].map(waits), [200, 200, 200, 429]);
    assert_eq!((server.get("/v1/agents/w3").0, server.get("/v1/agents/w4").0), (200, 404));
    let (status, problem) = server.as_agent("w5").post("/v1/messages", &text("w5", "ann", "Hello."));
    assert_eq!(status, 429, "{problem}");
    assert_eq!(waits("w1"), 200, "it is known by now");
}

/// Whoever holds all places, health and operators have some beyond them.
#[test]
fn g13_health_and_operators_have_places_beyond_the_limit() {
    let server = Setup::new().config("auth = \"required\"\n[limits]\nconnections = 4").start();
    let operator = server.with_token("root", Role::Operator);
    assert_eq!(operator.put("/v1/agents/ann", &json!({})).0, 201);
    let ann = server.with_token("ann", Role::Agent);
    let streams: Vec<_> = (0..4).map(|_| ann.stream("/v1/agents/ann/inbox").unwrap()).collect();
    until("all are taken", || server.with_token("ann", Role::Agent).get("/v1/agents/ann").0 == 503);
    let (status, problem) = server.with_token("ann", Role::Agent).get("/v1/agents/ann");
    assert_eq!(status, 503, "{problem}");
    assert_eq!(server.with_token("second", Role::Operator).get("/v1/agents/ann").0, 200);
    assert_eq!((server.caller().get("/healthz").0, server.caller().get("/readyz").0), (200, 200));
    drop(streams);
}

/// A request that never ends does not keep the server from ending.
#[test]
fn g15_sigterm_waits_for_a_request_at_most_3_s_beyond_its_last_byte() {
    let mut server = Server::start();
    let mut half = TcpStream::connect(server.address()).unwrap();
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", server.address());
    half.write_all(head.as_bytes()).unwrap();
    // Answered in turn: by then the half request is under way.
    assert_eq!(server.get("/healthz").0, 200);
    let asked = Instant::now();
    assert_eq!(server.terminate().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(6), "it took {:?}", asked.elapsed());
}

/// How long a call takes, in the middle of many.
fn median(call: &dyn Fn()) -> Duration {
    let mut took: Vec<_> = (0..15)
        .map(|_| {
            let began = Instant::now();
            call();
            began.elapsed()
        })
        .collect();
    took.sort();
    took[took.len() / 2]
}

/// Registers agents until there are so many.
fn fill(server: &Server, from: usize, to: usize) {
    for n in from..to {
        assert_eq!(server.put(&format!("/v1/agents/agent-{n:05}"), &json!({})).0, 201);
    }
}

/// G14: what a call costs follows from what it shows. The bound is that of the specification, with as much again for
/// a machine that does other things meanwhile.
#[test]
fn g14_with_100_times_the_agents_finding_and_listing_cost_the_same() {
    let server = Server::start();
    fill(&server, 0, 50);
    let caller = server.caller();
    let calls: [(&str, u16); 9] = [
        ("/v1/agents", 200),
        ("/v1/agents/AGENT-00007", 200),
        ("/v1/agents/nobody", 404),
        ("/v1/agents/agent-00007/inbox", 200),
        ("/v1/agents/agent-00007/todo", 200),
        ("/api/agents/agent-00007", 200),
        ("/api/agents/by-name/agent-00007", 200),
        ("/api/messages?action=resolve&agent=agent-00007", 200),
        ("/agents?limit=5", 200),
    ];
    let measured = || -> Vec<Duration> {
        let one =
            |(path, status): &(&str, u16)| median(&|| assert_eq!(caller.get_text(path).0, *status, "{path}"));
        calls.iter().map(one).collect()
    };
    let few = measured();
    fill(&server, 50, 5000);
    // Others use the machine too: what grows with the number of agents is slow every time.
    let slow = || -> Option<String> {
        let pairs = calls.iter().zip(few.iter().zip(measured()));
        let over = |(few, many): (&Duration, Duration)| many > 2 * (3 * *few + Duration::from_millis(2));
        pairs
            .into_iter()
            .find(|(_, (few, many))| over((few, *many)))
            .map(|((path, _), (few, many))| format!("{path}: {few:?} with 50 agents, {many:?} with 5,000"))
    };
    const TRIES: usize = 8;
    let found: Vec<String> = std::iter::repeat_with(slow).take(TRIES).map_while(|found| found).collect();
    assert!(found.len() < TRIES, "{found:#?}");
    // Everybody, piece by piece and whole.
    let (status, all) = server.get("/api/agents");
    assert_eq!((status, all["agents"].as_array().unwrap().len()), (200, 5000));
    assert_eq!(all["stats"], json!({"total": 5000, "online": 0, "offline": 5000}));
    assert_eq!(all["hostInfo"]["isSelf"], true);
    assert_eq!(server.get("/api/sessions").1["sessions"].as_array().unwrap().len(), 5000);
    assert_eq!(server.get("/api/agents?q=agent-0499").1["agents"].as_array().unwrap().len(), 10);
    // Page by page everybody is shown once.
    let (mut seen, mut after) = (std::collections::BTreeSet::new(), String::new());
    loop {
        let page = server.get(&format!("/v1/agents?limit=999{after}")).1;
        seen.extend(page["items"].as_array().unwrap().iter().map(|one| one["name"].to_string()));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 5000);
}
