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

/// PG-13: a revoked token stops within a second.
#[test]
fn pg_13_tokens_are_in_the_schema() {
    let data = tempfile::tempdir().unwrap();
    let target = realm::target(data.path());
    drop(wilco_store::Postgres::open(&target).unwrap());
    let tokens = Tokens::in_schema(target);
    let made = tokens.create("olga".into(), Role::Operator).unwrap();
    let server = setup(data.path(), "one").config("auth = \"required\"").start_on(data);
    let olga = server.caller().token(&made.secret);
    assert_eq!(olga.get("/v1/agents").0, 200);
    tokens.revoke(&made.token.id).unwrap();
    until("the token does not count any more", || olga.get("/v1/agents").0 == 401);
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
