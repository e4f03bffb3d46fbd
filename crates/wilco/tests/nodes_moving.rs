//! PG-4: everything moves between a data directory and PostgreSQL in one file, and back.

use std::process::{Command, Output};

use serde_json::{Value, json};
use wilco_server::{Role, Tokens};
use wilco_store::{Postgres, Reader, tampering};
use wilco_testkit::postgres_server::shared;

use crate::server::{Server, Setup, ack, realm, task, text};

/// `wilco` with the store of this directory.
fn wilco(data: &std::path::Path, on_postgres: bool, line: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wilco"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
        command.env_remove(name);
    }
    if on_postgres {
        command.envs(realm::environment(data));
    }
    command.args(line).current_dir("/").output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A node whose time stands still, on the schema of this directory.
fn node(data: tempfile::TempDir) -> Server {
    let mut setup = Setup::new().option("--node").option("one");
    for (name, value) in realm::environment(data.path()) {
        setup = setup.environment(&name, &value);
    }
    setup.start_on(data)
}

/// What everybody sees, and a key that was used.
fn shown(server: &Server, exchange: &str) -> Value {
    let (status, again) =
        server.caller().header("Idempotency-Key", "k1").post("/v1/messages", &text("boss", "worker", "hi"));
    assert_eq!(status, 201);
    let (_, inbox) = server.get("/v1/agents/worker/inbox?limit=100");
    let (_, events) = server.get(&format!("/v1/exchanges/{exchange}/events?limit=100"));
    let exchange = server.exchange(exchange);
    json!({"exchange": exchange, "inbox": inbox["items"], "events": events["items"], "again": again["message"]["id"]})
}

#[test]
fn pg_4_an_embedded_store_moves_into_postgres_and_back() {
    let mut server = Server::start();
    server.register(&["boss", "worker"]);
    let open = server.begin(&task("T-1"));
    let before = shown(&server, &open);
    server.kill();
    let place = tempfile::tempdir().unwrap();
    let [first, second] =
        ["one.db", "two.db"].map(|name| place.path().join(name).to_str().unwrap().to_owned());
    let data = server.data.path().to_str().unwrap().to_owned();
    let copied = json(&wilco(place.path(), false, &["backup", &first, "--json", "--data", &data]));

    let schema = tempfile::tempdir().unwrap();
    let restored = json(&wilco(schema.path(), true, &["restore", &first, "--json"]));
    assert_eq!((&restored["events"], &restored["head"]), (&copied["events"], &copied["head"]));
    let occupied = refused(&wilco(schema.path(), true, &["restore", &first]));
    assert!(occupied.contains("--force"), "{occupied}");
    let target = realm::target(schema.path());
    assert_eq!(wilco_engine::differs(&Postgres::reader(&target)).unwrap(), None);
    let verified = json(&wilco(
        schema.path(),
        true,
        &["audit", "verify", "--deep", "--json", "--store", &shared().url()],
    ));
    assert_eq!(verified["ok"], true);
    let rescued = wilco(schema.path(), true, &["doctor", "--rescue", "--store", &shared().url()]);
    assert_eq!(
        rescued.stdout.iter().filter(|byte| **byte == b'\n').count(),
        events(&copied) + 1,
        "{rescued:?}"
    );

    let server = node(schema);
    assert_eq!(shown(&server, &open), before);
    server.verify();
    for line in [&["restore", first.as_str(), "--force"][..], &["rebuild", "--store", &shared().url()]] {
        let living = refused(&wilco(server.data.path(), true, line));
        assert!(living.contains("one") && living.contains("stop them first"), "{living}");
    }
    // While it runs, and everything that happens after the copy is behind it.
    let again = json(&wilco(server.data.path(), true, &["backup", &second, "--json"]));
    assert_eq!(server.send(&ack("T-1"))["exchange"]["state"], "working");
    let schema = server.data.path().to_owned();
    let back = tempfile::tempdir().unwrap();
    let restored = json(&wilco(
        &schema,
        false,
        &["restore", &second, "--json", "--data", back.path().to_str().unwrap()],
    ));
    assert_eq!((&restored["events"], &restored["head"]), (&again["events"], &again["head"]));
    let embedded = Setup::new().start_on(back);
    assert_eq!(shown(&embedded, &open), before);
    assert_eq!(embedded.send(&ack("T-1"))["exchange"]["state"], "working");
    embedded.verify();
}

fn events(copied: &Value) -> usize {
    usize::try_from(copied["events"].as_u64().unwrap()).unwrap()
}

/// PG-4: with `--force` what is there moves aside, tokens stay, ids are not given out again; an interrupted rebuild is
/// said and done again.
#[test]
fn pg_4_a_copy_takes_the_place_of_a_schema() {
    let data = tempfile::tempdir().unwrap();
    let mut server = node(data);
    let (schema, target) = (server.data.path().to_owned(), realm::target(server.data.path()));
    server.register(&["boss", "worker"]);
    let kept = server.begin(&task("T-1"));
    let tokens = Tokens::in_schema(target.clone());
    let made = tokens.create("olga".into(), Role::Operator).unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("copy.db").to_str().unwrap().to_owned();
    json(&wilco(&schema, true, &["backup", &file, "--json"]));
    let lost = server.begin(&task("T-2"));
    let head = server.get("/readyz").1["position"].as_u64().unwrap();
    server.kill();
    let restored = json(&wilco(&schema, true, &["restore", &file, "--force", "--json"]));
    assert!(restored["aside"].as_str().unwrap().ends_with("_before_1"), "{restored}");
    assert!(restored["first"].as_u64().unwrap() > head + 1_000_000);
    assert_eq!(tokens.list().unwrap().len(), 1, "{}", made.token.id);
    let mut server = server.up_again();
    assert_eq!(
        (server.get(&format!("/v1/exchanges/{lost}")).0, server.get(&format!("/v1/exchanges/{kept}")).0),
        (404, 200)
    );
    server.kill();
    let name = realm::environment(&schema)[1].1.clone();
    shared().psql(&tampering::rebuilding(&name));
    let rebuilt = json(&wilco(&schema, true, &["rebuild", "--json", "--store", &shared().url()]));
    assert!(rebuilt["events"].as_u64().unwrap() > 0);
    assert_eq!(wilco_engine::differs(&Postgres::reader(&target)).unwrap(), None);
    assert!(Postgres::reader(&target).head().unwrap().position > head);
}
