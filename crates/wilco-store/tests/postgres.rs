//! What only a store on PostgreSQL can show: leases, fences, sessions that break, and words beyond an index.

use std::time::Duration;

use wilco_store::conformance::{Author, walk};
use wilco_store::{
    ConnectError, InboxStatus, NodeSession, Postgres, PostgresOptions, PostgresTarget, Reader, SearchFilter,
    Store, StoreError, Term, examine_postgres, words,
};
use wilco_testkit::postgres_server::{PostgresServer, fresh_schema, shared};

fn options(server: &PostgresServer, schema: String) -> PostgresOptions {
    PostgresOptions {
        url: server.url(),
        schema,
        ca_file: None,
        password_file: None,
        pass_file: None,
        patience: Duration::from_secs(5),
        lease: Duration::from_secs(6),
    }
}

/// A schema of its own on the server of this program.
pub(crate) fn target() -> PostgresTarget {
    PostgresTarget::new(&options(shared(), fresh_schema())).unwrap()
}

pub(crate) fn writer(target: &PostgresTarget) -> Postgres {
    let mut store = Postgres::open(target).unwrap();
    store.begin_term(term(target, "one")).unwrap();
    store
}

fn term(target: &PostgresTarget, node: &str) -> Term {
    let session = NodeSession::open(target, node).unwrap();
    session.take_over(&session.writer().unwrap(), "http://127.0.0.1:1").unwrap().unwrap()
}

fn event(author: &mut Author, text: &str) -> wilco_store::Batch {
    author.event(None, text);
    author.take(1)
}

/// PG-11: whoever's epoch is over commits nothing, and knows it.
#[test]
fn pg_11_a_writer_whose_epoch_is_over_commits_nothing() {
    let target = target();
    let (mut old, mut author) = (writer(&target), Author::default());
    old.commit(&event(&mut author, "by the old one")).unwrap();
    let mut new = Postgres::open(&target).unwrap();
    new.begin_term(term(&target, "two")).unwrap();
    let mut behind = author.clone();
    let fenced = old.commit(&event(&mut behind, "too late")).unwrap_err();
    assert!(matches!(fenced, StoreError::Fenced { .. }), "{fenced:?}");
    assert!(matches!(
        old.commit(&event(&mut behind, "again")).unwrap_err(),
        StoreError::NotStored(_) | StoreError::Fenced { .. }
    ));
    new.commit(&event(&mut author, "by the new one")).unwrap();
    let events = new.journal(0, 10).unwrap();
    assert_eq!(
        events.iter().map(|row| &row.bytes[..]).collect::<Vec<_>>(),
        [&b"by the old one"[..], b"by the new one"]
    );
    assert_eq!(new.writer().unwrap().epoch, 2);
}

/// PG-11: a takeover counts only if nothing changed since its taker looked.
#[test]
fn pg_11_a_sign_of_life_keeps_the_lease() {
    let target = target();
    let one = NodeSession::open(&target, "one").unwrap();
    let term = one.take_over(&one.writer().unwrap(), "http://one").unwrap().unwrap();
    let two = NodeSession::open(&target, "two").unwrap();
    let seen = two.writer().unwrap();
    assert_eq!((seen.epoch, seen.node.as_str(), seen.released), (1, "one", false));
    one.renew(&term).unwrap();
    assert_eq!(two.take_over(&seen, "http://two").unwrap(), None);
    one.release(&term).unwrap();
    assert!(matches!(one.renew(&term), Err(StoreError::Fenced { .. })));
    let seen = two.writer().unwrap();
    assert!(seen.released);
    assert_eq!(two.take_over(&seen, "http://two").unwrap().map(|term| term.epoch), Some(2));
}

/// PG-10: a name is one node's; it is free as soon as its session is gone.
#[test]
fn pg_10_a_name_is_held_by_one_session() {
    let mut options = options(shared(), fresh_schema());
    options.lease = Duration::from_millis(300);
    let target = PostgresTarget::new(&options).unwrap();
    let one = NodeSession::open(&target, "one").unwrap();
    let taken = NodeSession::open(&target, "one").unwrap_err();
    assert!(matches!(&taken, ConnectError::NameTaken { name } if name == "one"), "{taken}");
    NodeSession::open(&target, "two").unwrap();
    drop(one);
    NodeSession::open(&target, "one").unwrap();
}

/// PG-13: what one commits another hears of.
#[test]
fn pg_13_a_commit_is_told_to_the_others() {
    let target = target();
    let listener = NodeSession::open(&target, "listener").unwrap();
    assert!(!listener.listen(Duration::from_millis(1)).unwrap());
    let (mut store, mut author) = (writer(&target), Author::default());
    store.commit(&event(&mut author, "one")).unwrap();
    assert!(listener.listen(Duration::from_secs(5)).unwrap());
    assert!(!listener.listen(Duration::from_millis(1)).unwrap(), "each is told once");
}

/// PG-3: NUL, a mebibyte of different words, and ids and keys longer than an index takes.
#[test]
fn pg_3_odd_and_long_values_are_kept_as_they_are() {
    let target = target();
    let (mut store, mut author) = (writer(&target), Author::default());
    let long = format!("task:{}", "x\u{0}y".repeat(3000));
    let id = "i".repeat(9000);
    author.message(&id, None, "{\"nul\":\"\u{0}\"}");
    author.exchange(7, "assigned", true, None);
    author.key(&long, 7, true);
    author.remember("ann", &long, 5, "answer");
    let many: String = (0..130_000).map(|number| format!("w{number:x} ")).collect();
    let letter = author.letter("ann", "bob", None, "many", &format!("{{\"message\":\"{many}\"}}"));
    author.deliver("bob", InboxStatus::Unread);
    store.commit(&author.take(1)).unwrap();
    while store.follow_index().unwrap().1 {}
    let message = store.message(&wilco_protocol::MessageId::new(&id)).unwrap().unwrap();
    assert_eq!(message.body, b"{\"nul\":\"\0\"}");
    assert_eq!(store.find(&long, 5).unwrap(), [7]);
    assert_eq!(store.find(&format!("{long}z"), 5).unwrap(), [0; 0]);
    assert!(store.idempotent(&"ann".into(), &long).unwrap().is_some());
    let filter = SearchFilter { words: words("w1fbcf"), limit: 5, ..SearchFilter::default() };
    assert_eq!(walk(&store, &filter).unwrap(), [letter]);
}

/// API-2 on PostgreSQL: with the index and without it the same messages are found.
#[test]
fn pg_3_the_index_finds_what_looking_finds() {
    let target = target();
    let (mut store, mut author) = (writer(&target), Author::default());
    for number in 0..50 {
        let (from, kind) = (["ann", "bob"][number % 2], ["task", "note"][number % 2]);
        let content = format!("{{\"type\":\"{kind}\",\"message\":\"word{} o'clock a&b\"}}", number % 7);
        author.letter(from, "eve", Some(number as u64 % 3), "Café 登録", &content);
    }
    store.commit(&author.take(1)).unwrap();
    let name = |text: &str| Some(wilco_protocol::Name::new(text));
    let any = SearchFilter { limit: 9, ..SearchFilter::default() };
    let filters = [
        SearchFilter { words: words("word3"), ..any.clone() },
        SearchFilter { words: words("wor o'clock"), from: name("ann"), ..any.clone() },
        SearchFilter { words: words("caf 登"), agent: name("bob"), ..any.clone() },
        SearchFilter { kind: Some("note".to_owned()), exchange: Some(2), ..any.clone() },
        SearchFilter { words: words("a&b | !x"), ..any.clone() },
        SearchFilter { to: name("eve"), words: words("word1"), before: Some(30), ..any },
    ];
    let looked: Vec<_> = filters.iter().map(|filter| walk(&store, filter).unwrap()).collect();
    while store.follow_index().unwrap().1 {}
    let found: Vec<_> = filters.iter().map(|filter| walk(&store, filter).unwrap()).collect();
    assert_eq!(found, looked);
    assert!(looked.iter().filter(|places| !places.is_empty()).count() >= 5, "{looked:?}");
}

/// A crash of the server between two commits costs one of them at most, which then was not stored.
#[test]
fn pg_5_after_a_crash_of_the_server_what_was_acknowledged_is_there() {
    let mut server = PostgresServer::start();
    let target = PostgresTarget::new(&options(&server, "wilco".to_owned())).unwrap();
    let (mut store, mut author) = (writer(&target), Author::default());
    store.commit(&event(&mut author, "before")).unwrap();
    server.crash();
    let mut lost = author.clone();
    let failed = store.commit(&event(&mut lost, "meanwhile")).unwrap_err();
    assert!(matches!(failed, StoreError::NotStored(_)), "{failed:?}");
    server.run();
    store.commit(&event(&mut author, "after")).unwrap();
    let events = Postgres::reader(&target).journal(0, 10).unwrap();
    assert_eq!(events.iter().map(|row| &row.bytes[..]).collect::<Vec<_>>(), [&b"before"[..], b"after"]);
}

/// PG-1, PG-2: what is wrong at the start is said at once, or after the patience, and never with a secret.
#[test]
fn pg_1_what_is_wrong_at_the_start_is_said() {
    let server = shared();
    server.psql("CREATE ROLE guest LOGIN PASSWORD 'hunter2'");
    let with = |change: fn(&mut PostgresOptions)| {
        let mut options = options(server, fresh_schema());
        options.patience = Duration::from_millis(400);
        change(&mut options);
        PostgresTarget::new(&options).and_then(|target| Postgres::open(&target).map(drop))
    };
    let url =
        |options: &mut PostgresOptions, from: &str, to: &str| options.url = options.url.replace(from, to);
    let no_database = with(|options| options.url = options.url.replace("/postgres", "/nothing")).unwrap_err();
    assert!(matches!(no_database, ConnectError::Unwelcome { .. }), "{no_database}");
    let no_user = with(|options| options.url = options.url.replace("wilco@", "nobody:hunter2@")).unwrap_err();
    assert!(matches!(no_user, ConnectError::Unwelcome { .. }), "{no_user}");
    assert!(!format!("{no_user:?}").contains("hunter2"));
    let wrong = with(|options| options.url = options.url.replace("wilco@", "guest:hunter3@")).unwrap_err();
    assert!(
        matches!(wrong, ConnectError::Unwelcome { .. }) && wrong.to_string().contains("password"),
        "{wrong}"
    );
    assert!(!format!("{wrong:?}").contains("hunter3"));
    let mut nobody = options(server, fresh_schema());
    url(&mut nobody, &server.port().to_string(), "1");
    nobody.patience = Duration::from_millis(400);
    let unreachable = Postgres::open(&PostgresTarget::new(&nobody).unwrap()).unwrap_err();
    assert!(matches!(unreachable, ConnectError::Unreachable { .. }), "{unreachable}");
    let no_rights =
        with(|options| options.url = options.url.replace("wilco@", "guest:hunter2@")).unwrap_err();
    assert!(matches!(no_rights, ConnectError::Rights { .. }), "{no_rights}");

    let newer = fresh_schema();
    let target = PostgresTarget::new(&options(server, newer.clone())).unwrap();
    drop(Postgres::open(&target).unwrap());
    server.psql(&format!("UPDATE {newer}.schema_version SET version = 99"));
    let refused = Postgres::open(&target).unwrap_err();
    assert!(matches!(refused, ConnectError::Newer { found: 99, known: 3, .. }), "{refused}");
}

/// PG-2: a schema that another node brought to a newer version takes no commits of this one.
#[test]
fn pg_2_the_version_is_checked_in_every_commit() {
    let target = target();
    let (mut store, mut author) = (writer(&target), Author::default());
    store.commit(&event(&mut author, "one")).unwrap();
    shared().psql(&format!("UPDATE {}.schema_version SET version = 99", target.schema()));
    let refused = store.commit(&event(&mut author, "two")).unwrap_err();
    assert!(matches!(refused, StoreError::Fenced { .. }), "{refused:?}");
}

/// PG-1, PG-2: a pooler that shares sessions between transactions is found; a connection of one's own is not taken for it.
#[test]
fn pg_2_a_pooler_in_transaction_mode_is_found() {
    let mut options = options(shared(), fresh_schema());
    assert!(!examine_postgres(&PostgresTarget::new(&options).unwrap()).unwrap().is_pooled);
    let (_pooler, url) = shared().pooled();
    options.url = url;
    assert!(examine_postgres(&PostgresTarget::new(&options).unwrap()).unwrap().is_pooled);
}

/// PG-15: who does not know the newest format of events leaves writing to others.
#[test]
fn pg_15_a_newer_format_of_events_is_not_taken_over() {
    let target = target();
    let session = NodeSession::open(&target, "one").unwrap();
    shared().psql(&format!("UPDATE {}.writer SET format = 99", target.schema()));
    let seen = session.writer().unwrap();
    assert!(seen.is_foreign().is_some_and(|reason| reason.contains("99")));
    assert_eq!(session.take_over(&seen, "http://one").unwrap(), None);
}
