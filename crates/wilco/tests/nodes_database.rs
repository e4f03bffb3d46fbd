//! What is said of a database before it is trusted with a realm, and how its schema is brought to a newer version.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use wilco_protocol::Time;
use wilco_store::{Beat, NodeSession, Postgres, PostgresTarget, Reader, tampering};
use wilco_testkit::postgres_server::{PostgresServer, shared};

use crate::server::{Server, Setup, in_time, realm, text};

/// A node on the schema of this directory.
fn node(data: &Path, name: &str) -> Setup {
    let mut setup = Setup::new().real_clock().option("--node").option(name);
    for (name, value) in realm::environment(data) {
        setup = setup.environment(&name, &value);
    }
    setup
}

/// What `wilco doctor --json` says, its exit code, and its findings.
fn doctor(url: &str, schema: &str, server: Option<&Server>) -> (Option<i32>, Vec<Value>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wilco"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
        command.env_remove(name);
    }
    let answering = server.map_or("http://127.0.0.1:1", |server| &server.url);
    command.args(["doctor", "--json", "--url", answering]).current_dir("/");
    command.env("WILCO_STORE_SCHEMA", schema).env("WILCO_STORE_PATIENCE", "500ms");
    let output = command.env("WILCO_STORE_URL", url).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("hunter2"), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said} {:?}", output.stderr));
    (output.status.code(), said["findings"].as_array().unwrap().clone())
}

fn level<'a>(found: &'a [Value], about: &str) -> &'a str {
    let finding = found.iter().find(|finding| finding["about"] == about);
    finding.unwrap_or_else(|| panic!("{about}: {found:?}"))["level"].as_str().unwrap()
}

/// Everything that is wrong or worth knowing says what to do.
fn each_has_a_next_step(found: &[Value]) {
    for finding in found.iter().filter(|finding| finding["level"] != "ok") {
        assert!(finding["next"].is_string() || finding["about"] == "synchronous_commit", "{finding}");
    }
}

/// PG-2: without a synchronous standby that is a warning; everything else is fine, and the exit code 0.
#[test]
fn pg_2_doctor_looks_at_the_database() {
    let data = tempfile::tempdir().unwrap();
    let environment = realm::environment(data.path());
    let server = node(data.path(), "one").start_on(data);
    let (code, found) = doctor(&shared().url(), &environment[1].1, Some(&server));
    assert_eq!(code, Some(0), "{found:?}");
    for about in ["database", "version", "schema", "durability", "clock"] {
        assert_eq!(level(&found, about), "ok", "{about}: {found:?}");
    }
    assert_eq!(level(&found, "synchronous standby"), "note");
    each_has_a_next_step(&found);
}

/// PG-10, PG-14: of several nodes doctor says which is gone, what waits for it, and where another answers than should.
#[test]
fn pg_14_doctor_says_what_waits_for_a_node_that_is_gone() {
    let data = tempfile::tempdir().unwrap();
    let schema = realm::environment(data.path())[1].1.clone();
    let bell = |name: &str| node(data.path(), name).config("[nudge.commands]\nbell = [\"/bin/true\"]\n");
    let one = bell("one").start();
    let mut two = bell("two").option("--advertise").option(&one.url).start();
    let found = || doctor(&shared().url(), &schema, Some(&one));
    let about = |found: &[Value], about: &str| {
        let finding = found.iter().find(|finding| finding["about"] == about);
        finding.unwrap_or_else(|| panic!("{about}: {found:?}"))["text"].as_str().unwrap().to_owned()
    };
    let (code, said) = found();
    assert_eq!(
        (code, level(&said, "node one"), level(&said, "node two")),
        (Some(1), "ok", "wrong"),
        "{said:?}"
    );
    assert!(about(&said, "node two").contains("where others call it, answers one"), "{said:?}");
    two.kill();
    in_time("it is gone", || level(&found().1, "node two") == "note");
    let bob = serde_json::json!({"nudge": {"kind": "command", "command": "bell"}, "host": "two"});
    assert_eq!(one.put("/v1/agents/bob", &bob).0, 201);
    one.send(&text("alice", "bob", "hello"));
    in_time("it waits", || level(&found().1, "node two") == "wrong");
    let (_, said) = found();
    assert!(about(&said, "node two").contains("orders that wait for it: 1"), "{said:?}");
    assert!(about(&said, "bob").contains("waits for node two, which is gone"), "{said:?}");
    each_has_a_next_step(&said);
}

/// PG-2: what is not durable, a wrong password, missing rights, a database that takes no writes, and a newer schema are
/// errors, each with its next step.
#[test]
fn pg_2_doctor_says_what_is_wrong_with_a_database() {
    let server = PostgresServer::start();
    let url = server.url();
    let wrong = |url: &str, schema: &str, about: &str, words: &str| {
        let (code, found) = doctor(url, schema, None);
        assert_eq!((code, level(&found, about)), (Some(1), "wrong"), "{found:?}");
        let finding = found.iter().find(|finding| finding["about"] == about).unwrap();
        assert!(finding["text"].as_str().unwrap().contains(words), "{finding}");
        each_has_a_next_step(&found);
    };
    wrong("postgres://u:hunter2@127.0.0.1:1/db", "w", "database", "cannot be reached");
    wrong(&url.replace("wilco@", "guest:hunter2@"), "w", "database", "does not let us in");
    wrong(&url.replace("/postgres", "/nowhere"), "w", "database", "nowhere");
    server.psql("CREATE ROLE poor LOGIN");
    wrong(&url.replace("wilco@", "poor@"), "w", "rights", "CREATE on the database");
    let options = wilco_store::PostgresOptions {
        url: url.clone(),
        schema: "w".to_owned(),
        ca_file: None,
        password_file: None,
        pass_file: None,
        patience: Duration::from_secs(5),
        lease: Duration::from_secs(2),
    };
    drop(Postgres::open(&PostgresTarget::new(&options).unwrap()).unwrap());
    server.psql(&tampering::of_version("w", 99));
    wrong(&url, "w", "schema", "version 99");
    server.set("fsync", "off");
    wrong(&url, "v", "fsync", "off");
    server.set("synchronous_commit", "off");
    wrong(&url, "v", "synchronous_commit", "off");
    server.set("default_transaction_read_only", "on");
    wrong(&url, "v", "database", "does not allow writes");
}

/// PG-2: a start that would migrate is refused while nodes of the older schema live, and names them; with `--migrate`
/// those answer 503 and end.
#[test]
fn pg_2_older_nodes_are_named_or_end() {
    let data = tempfile::tempdir().unwrap();
    let (schema, target) = (realm::environment(data.path())[1].1.clone(), realm::target(data.path()));
    let old = NodeSession::open(&target, "old").unwrap();
    let beat = Beat {
        address: "http://127.0.0.1:1",
        version: "0.0",
        epoch: 0,
        position: 0,
        now: Time::from_millis(0),
    };
    old.beat(&beat).unwrap();
    shared().psql(&tampering::of_first_version(&schema));
    let (code, said) = node(data.path(), "new").run_to_end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("old") && said.contains("--migrate") && said.contains("version 1"), "{said}");
    let server = node(data.path(), "new").option("--migrate").start();
    assert_eq!(server.get("/readyz").0, 200);
    drop(old);
}

/// PG-2: a schema that a newer wilco made is refused with both versions named; a node that finds it under its feet
/// serves nothing more, and ends.
#[test]
fn pg_2_a_newer_schema_is_served_by_nobody() {
    let data = tempfile::tempdir().unwrap();
    let (schema, place) = (realm::environment(data.path())[1].1.clone(), data.path().to_owned());
    let mut one = node(&place, "one").start_on(data);
    let mut two = node(&place, "two").start();
    assert_eq!(one.post("/v1/messages", &text("alice", "bob", "before")).0, 201);
    shared().psql(&tampering::of_version(&schema, 99));
    let body = text("alice", "bob", "after").to_string();
    let tried =
        two.caller().header("Idempotency-Key", "k").try_post("/v1/messages", "application/json", &body);
    assert_ne!(tried.ok().map(|(status, _)| status), Some(201));
    for server in [&mut one, &mut two] {
        assert_eq!(server.ended().code(), Some(1));
    }
    assert_eq!(Postgres::reader(&realm::target(&place)).messages_before(None, 10).unwrap().len(), 1);
    let (code, said) = node(&place, "three").run_to_end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("version 99") && said.contains("up to 3"), "{said}");
}
