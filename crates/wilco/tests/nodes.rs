//! Nodes on a real PostgreSQL: one alone, and several.

use serde_json::{Value, json};
use wilco_server::{Role, Tokens};

use crate::server::{Server, Setup, realm, text, until};

/// A node on the schema of this directory.
fn setup(data: &std::path::Path, name: &str) -> Setup {
    let mut setup = Setup::new().real_clock().option("--node").option(name);
    for (name, value) in realm::environment(data) {
        setup = setup.environment(&name, &value);
    }
    setup
}

fn alone() -> Server {
    let data = tempfile::tempdir().unwrap();
    setup(data.path(), "one").start_on(data)
}

/// A second node on the same schema, with a directory of its own.
fn another(first: &Server, name: &str) -> Server {
    setup(first.data.path(), name).start()
}

/// A message with a key, which must be taken.
fn sent(server: &Server, key: &str) -> Value {
    let keyed = server.caller().header("Idempotency-Key", key);
    let (status, answer) = keyed.post("/v1/messages", &text("alice", "bob", key));
    assert_eq!(status, 201, "{answer}");
    answer
}

fn texts(server: &Server) -> Vec<String> {
    let (_, inbox) = server.get("/v1/agents/bob/inbox?limit=100");
    let items = inbox["items"].as_array().unwrap();
    items.iter().map(|item| item["content"]["message"].as_str().unwrap().to_owned()).collect()
}

fn ready(server: &Server) -> Value {
    let (status, ready) = server.get("/readyz");
    assert_eq!(status, 200, "{ready}");
    ready
}

/// PG-10, PG-11: a node alone writes; killed, it comes back at once under its name, with the next epoch and all that was
/// acknowledged.
#[test]
fn pg_10_one_node_on_postgres_comes_back_with_everything() {
    let server = alone();
    assert_eq!(
        ready(&server),
        json!({"status": "ready", "role": "writer", "node": "one", "epoch": 1, "position": ready(&server)["position"]})
    );
    let (status, sent) = server.post("/v1/messages", &text("alice", "bob", "hello on postgres"));
    assert_eq!(status, 201, "{sent}");
    let server = server.restart();
    assert_eq!(ready(&server)["epoch"], 2);
    let (_, inbox) = server.get("/v1/agents/bob/inbox");
    assert_eq!(inbox["items"][0]["content"]["message"], "hello on postgres", "{inbox}");
}

/// PG-13: a token counts everywhere as soon as it is made; revoked, it stops everywhere within a second.
#[test]
fn pg_13_tokens_are_in_the_schema() {
    let data = tempfile::tempdir().unwrap();
    let target = realm::target(data.path());
    drop(wilco_store::Postgres::open(&target).unwrap());
    let tokens = Tokens::in_schema(target);
    let made = tokens.create("olga".into(), Role::Operator).unwrap();
    let guarded = |name: &str| setup(data.path(), name).config("auth = \"required\"").start();
    let nodes = [guarded("one"), guarded("two")];
    let olga = nodes.each_ref().map(|server| server.caller().token(&made.secret));
    assert_eq!(olga.each_ref().map(|olga| olga.get("/v1/agents").0), [200, 200]);
    for number in 0..5 {
        let next = tokens.create(format!("agent-{number}").as_str().into(), Role::Agent).unwrap();
        let said = nodes.each_ref().map(|server| server.caller().token(&next.secret).get("/v1/agents").0);
        assert_eq!(said, [200, 200], "made a moment ago");
    }
    assert_eq!(nodes[1].caller().token("wilco_wrong").get("/v1/agents").0, 401);
    tokens.revoke(&made.token.id).unwrap();
    let revoked = std::time::Instant::now();
    for olga in &olga {
        until("the token does not count any more", || olga.get("/v1/agents").0 == 401);
    }
    assert!(revoked.elapsed() < std::time::Duration::from_millis(1500), "{:?}", revoked.elapsed());
}

/// PG-13: when an agent was last there is known at every node, wherever it called; also that its client has left.
#[test]
fn pg_13_every_node_says_when_an_agent_was_last_there() {
    let mut one = alone();
    let two = another(&one, "two");
    one.register(&["ann", "bob"]);
    let status =
        |server: &Server, agent: &str| server.get(&format!("/v1/agents/{agent}")).1["status"].clone();
    assert_eq!([&one, &two].map(|server| status(server, "ann")), ["offline", "offline"]);
    assert_eq!(one.caller().header("wilco-agent", "ann").get("/v1/agents").0, 200);
    assert_eq!(two.caller().header("wilco-agent", "bob").get("/v1/agents").0, 200);
    for agent in ["ann", "bob"] {
        for server in [&one, &two] {
            until("it is seen", || status(server, agent) == "active");
        }
    }
    let ends = json!({"client": "codex", "session": "s1", "moment": "ends"});
    assert_eq!(two.post("/v1/agents/bob/hook", &ends).0, 200);
    for server in [&one, &two] {
        assert_eq!(status(server, "bob"), "offline", "it has left");
    }
    one.kill();
    let (code, agents) = two.get("/v1/agents");
    assert_eq!((code, agents["items"].as_array().unwrap().len()), (200, 2), "while nobody writes: {agents}");
}

/// PG-1: what is wrong with the database is said at the start, and a password nowhere.
#[test]
fn pg_1_a_server_says_what_is_wrong_with_its_database() {
    let ends = |url: &str| {
        let setup =
            Setup::new().environment("WILCO_STORE_URL", url).environment("WILCO_STORE_PATIENCE", "300ms");
        let (code, said) = setup.run_to_end();
        assert_eq!(code, Some(1), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
        said
    };
    let server = wilco_testkit::postgres_server::shared();
    assert!(ends("postgres://u:hunter2@127.0.0.1:1/db").contains("cannot be reached"));
    assert!(ends(&server.url().replace("wilco@", "guest:hunter2@")).contains("does not let us in"));
    assert!(ends("mysql://u:hunter2@h/db").contains("postgres://USER@HOST/DATABASE"));
    let (code, said) = Setup::new().option("--store").option("postgres://u:hunter2@h/db").run_to_end();
    assert!(code != Some(0) && said.contains("WILCO_STORE_URL") && !said.contains("hunter2"), "{said}");
}

/// PG-12, PG-13: a follower takes what changes something to the writer and passes the answer on; what any node
/// acknowledged every node shows; a poll at one hears of a message at the other.
#[test]
fn pg_12_every_node_takes_every_call() {
    let one = alone();
    let two = another(&one, "two");
    assert_eq!(
        (ready(&one)["role"].clone(), ready(&two)["role"].clone()),
        (json!("writer"), json!("follower"))
    );
    let (status, agent) = two.put("/v1/agents/bob", &json!({"program": "codex"}));
    assert_eq!(status, 201, "{agent}");
    let first = sent(&two, "k1");
    assert_eq!(
        sent(&one, "k1")["message"],
        first["message"],
        "the same key at another node is the same message"
    );
    assert_eq!((texts(&one), texts(&two)), (vec!["k1".to_owned()], vec!["k1".to_owned()]));
    let (status, refused) = two.post("/v1/messages", &json!({"from": "alice", "to": "bob"}));
    assert_eq!((status, refused), one.post("/v1/messages", &json!({"from": "alice", "to": "bob"})));
    let after = ready(&two)["position"].as_u64().unwrap();
    std::thread::scope(|scope| {
        let poll = scope.spawn(|| two.get(&format!("/v1/agents/bob/inbox?wait=30s&after={after}")));
        sent(&one, "k2");
        let (_, heard) = poll.join().unwrap();
        assert_eq!(heard["items"][0]["content"]["message"], "k2", "{heard}");
    });
}

/// PG-10: headers of a node without its proof change nothing.
#[test]
fn pg_10_nobody_goes_by_the_name_of_a_node() {
    let one = alone();
    let forged = one.caller().header("wilco-forwarded", "7b7d").header("wilco-forwarded-proof", "00");
    let (status, answer) = forged.post("/v1/messages", &text("alice", "bob", "forged"));
    assert_eq!((status, &answer["message"]["fromVerified"]), (201, &json!(false)), "{answer}");
}

/// PG-11, PG-12, G10: the writer is killed, again and again: what was acknowledged is there once, and the next call is
/// taken by the node that took over.
#[test]
fn g10_a_killed_writer_loses_nothing() {
    let mut nodes = vec![alone()];
    let data = nodes[0].data.path().to_owned();
    nodes.push(another(&nodes[0], "two"));
    let (mut said, mut dead) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for number in 0..5 {
            let key = format!("r{round}-{number}");
            sent(&nodes[number % 2], &key);
            said.push(key);
        }
        let writer = nodes.iter().position(|node| ready(node)["role"] == "writer").unwrap();
        nodes[writer].kill();
        dead.push(nodes.remove(writer));
        // At the other one: it waits until that node has taken over.
        let key = format!("r{round}-after");
        sent(&nodes[0], &key);
        said.push(key);
        assert_eq!(ready(&nodes[0])["role"], "writer");
        nodes.push(setup(&data, &format!("n{round}")).start());
    }
    for node in &nodes {
        assert_eq!(texts(node), said, "each once, in order");
    }
}

/// PG-11: a writer that was stopped for longer than its lease, and goes on, commits nothing and follows.
#[test]
fn pg_11_a_stopped_writer_finds_its_epoch_gone() {
    use rustix::process::{Pid, Signal, kill_process};
    let one = alone();
    let two = another(&one, "two");
    sent(&one, "before");
    let pid = Pid::from_raw(one.id() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    sent(&two, "meanwhile");
    assert_eq!((ready(&two)["role"].clone(), ready(&two)["epoch"].clone()), (json!("writer"), json!(2)));
    kill_process(pid, Signal::CONT).unwrap();
    // Whatever it knows of it yet: 201 means stored, and nothing else is said to be.
    let keyed = one.caller().header("Idempotency-Key", "after");
    until("it is taken", || keyed.post("/v1/messages", &text("alice", "bob", "after")).0 == 201);
    assert_eq!(texts(&two), ["before", "meanwhile", "after"]);
    until("it follows", || one.get("/readyz").1["role"] == "follower");
    assert_eq!(texts(&one), ["before", "meanwhile", "after"]);
}

/// PG-13: who is registered is known at every node at once, and a writer that was stopped does not know better.
#[test]
fn pg_13_an_agent_is_known_at_every_node_as_soon_as_it_is_registered() {
    use rustix::process::{Pid, Signal, kill_process};
    let one = alone();
    let two = another(&one, "two");
    for number in 0..40 {
        let path = format!("/v1/agents/agent-{number}");
        assert_eq!(one.put(&path, &json!({})).0, 201);
        let (status, agent) = two.get(&path);
        assert_eq!(status, 200, "{agent}");
    }
    let pid = Pid::from_raw(one.id() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    sent(&two, "meanwhile");
    assert_eq!(two.put("/v1/agents/late", &json!({})).0, 201);
    kill_process(pid, Signal::CONT).unwrap();
    let known = || {
        let (status, agent) = one.get("/v1/agents/late");
        assert!([200, 503].contains(&status), "{agent}");
        status == 200
    };
    until("it follows", known);
}

/// PG-15: a writer that is asked to end hands the lease over; callers at other nodes see no error.
#[test]
fn pg_15_a_writer_that_ends_hands_over() {
    let mut one = alone();
    let two = another(&one, "two");
    sent(&two, "before");
    assert!(one.terminate().success());
    sent(&two, "after");
    assert_eq!(ready(&two)["role"], "writer");
    assert_eq!(texts(&two), ["before", "after"]);
}

/// PG-10, PG-16, PG-17: operators see the nodes; a takeover is an event, with how long nobody wrote; and it is counted.
#[test]
fn pg_10_operators_see_the_nodes_and_pg_16_each_takeover() {
    let mut one = alone();
    let two = another(&one, "two");
    let listed = |server: &Server| -> Vec<(String, String)> {
        let (status, page) = server.get("/v1/nodes");
        assert_eq!((status, &page["next"]), (200, &Value::Null), "{page}");
        let items = page["items"].as_array().unwrap();
        let word = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
        items.iter().map(|item| (word(item, "name"), word(item, "role"))).collect()
    };
    let pairs =
        |pairs: [(&str, &str); 2]| pairs.map(|(name, role)| (name.to_owned(), role.to_owned())).to_vec();
    assert_eq!(listed(&one), pairs([("one", "writer"), ("two", "follower")]));
    let (_, page) = two.get("/v1/nodes");
    let keys: Vec<&String> = page["items"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "address", "version", "role", "epoch", "last_seen", "lag", "clock", "waiting"]);
    assert_eq!(page["items"][0]["address"], one.url.as_str());
    let (_, metrics) = two.get_text("/metrics");
    assert!(
        metrics.contains("\nwilco_elections_total 0\n") && metrics.contains("\nwilco_epoch 1\n"),
        "{metrics}"
    );
    one.kill();
    sent(&two, "after");
    assert_eq!(listed(&two), pairs([("one", "gone"), ("two", "writer")]));
    let (_, events) = two.get("/v1/events?limit=500");
    let of_type = |event: &&Value| event["type"] == "writer-changed";
    let events: Vec<&Value> = events["items"].as_array().unwrap().iter().filter(of_type).collect();
    let changed: Vec<&Value> = events.iter().map(|event| &event["data"]).collect();
    assert_eq!((&changed[0]["epoch"], &changed[0]["node"]), (&json!(1), &json!("one")), "{events:?}");
    assert_eq!((&changed[1]["epoch"], &changed[1]["node"]), (&json!(2), &json!("two")), "{events:?}");
    assert!(changed[1]["down_from"].is_string() && changed[1]["downtime"].is_string(), "{events:?}");
    // PG-17
    let (_, metrics) = two.get_text("/metrics");
    for line in [
        "wilco_elections_total 1",
        "wilco_epoch 2",
        "wilco_forwarded_total ",
        "wilco_forwarded_seconds_count ",
    ] {
        assert!(metrics.contains(&format!("\n{line}")), "{line}: {metrics}");
    }
    let margin = metrics.lines().find_map(|line| line.strip_prefix("wilco_lease_margin_seconds ")).unwrap();
    assert!((0.0..=2.0).contains(&margin.parse::<f64>().unwrap()), "{margin}");
    for name in ["wilco_listen_lag_seconds", "wilco_pool_in_use"] {
        assert!(metrics.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {metrics}");
    }
}

/// PG-10: nodes are for operators, and a server that is alone has none.
#[test]
fn pg_10_nodes_are_for_operators() {
    let server = Server::start();
    let (status, page) = server.get("/v1/nodes");
    assert_eq!((status, page), (200, json!({"items": [], "next": null})));
    for (name, role, expected) in
        [("bob", Role::Agent, 403), ("eye", Role::ReadOnly, 403), ("olga", Role::Operator, 200)]
    {
        assert_eq!(server.with_token(name, role).get("/v1/nodes").0, expected, "{name}");
    }
}

/// PG-10: with a secret of its own a node is believed by those who have the same, and by no other.
#[test]
fn pg_10_a_configured_secret_proves_calls() {
    let data = tempfile::tempdir().unwrap();
    let secret = "a secret of at least thirty-two letters";
    let key = "WILCO_STORE_CLUSTER_SECRET";
    let tokens = |data: &std::path::Path| Tokens::in_schema(realm::target(data));
    drop(wilco_store::Postgres::open(&realm::target(data.path())).unwrap());
    let made = tokens(data.path()).create("olga".into(), Role::Operator).unwrap();
    let guarded = |name: &str, secret: &str| {
        setup(data.path(), name).config("auth = \"required\"").environment(key, secret)
    };
    let (two, three) =
        (guarded("two", secret), || guarded("three", "another one, of thirty-two letters too"));
    let (code, said) = guarded("four", "hunter2 is too short").run_to_end();
    assert!(code == Some(1) && said.contains("store.cluster_secret") && !said.contains("hunter2"), "{said}");
    let mut one = guarded("one", secret).start();
    let put = |server: &Server| server.caller().token(&made.secret).put("/v1/agents/bob", &json!({})).0;
    let mut two = two.start();
    assert_eq!(put(&two), 201);
    let (code, said) = three().run_to_end();
    assert!(code == Some(1) && said.contains("another one here than at one, two"), "{code:?} {said}");
    one.kill();
    two.kill();
    assert_eq!(put(&three().start()), 200, "alone it may have its own");
}

/// PG-10: hosts are named in any letter case, so nodes differ in more than that; and a name is a plain word.
#[test]
fn pg_10_a_name_that_could_be_taken_for_another_is_refused() {
    let one = alone();
    let name = one.get("/readyz").1["node"].as_str().unwrap().to_uppercase();
    for (name, said) in
        [(name.as_str(), "there is a node"), ("", "expected 1 to 64"), ("a b", "expected 1 to 64")]
    {
        let (code, text) = setup(one.data.path(), name).run_to_end();
        assert!(code == Some(1) && text.contains(said), "{name:?}: {code:?} {text}");
    }
}

/// PG-11: each node counts by its own lease how long the writer may be silent, so all have the same.
#[test]
fn pg_11_a_node_with_another_lease_is_refused_while_others_run() {
    let mut one = alone();
    let other = || setup(one.data.path(), "two").environment("WILCO_STORE_LEASE", "9s");
    let (code, text) = other().run_to_end();
    assert!(code == Some(1) && text.contains("9000 ms here and 2000 ms at"), "{code:?} {text}");
    let other = other();
    one.kill();
    assert_eq!(other.start().get("/readyz").0, 200, "alone it may have its own");
}

/// PG-11: a stream does not go on from where nothing is yet: its reader would miss what comes there.
#[test]
fn pg_11_a_place_beyond_the_head_is_gone() {
    let one = alone();
    let two = another(&one, "two");
    one.send(&text("alice", "bob", "hello"));
    let head = one.get("/readyz").1["position"].as_u64().unwrap();
    for server in [&one, &two] {
        for path in ["/v1/events", "/v1/agents/bob/inbox"] {
            let stream = server.caller().header("accept", "text/event-stream");
            let (status, gone) = stream.header("last-event-id", &(head + 5).to_string()).get(path);
            assert_eq!((status, &gone["type"]), (410, &json!("tag:wilco,2026:cursor-gone")), "{gone}");
        }
    }
}
