//! agents, agent register, agent remove.

use super::program::Server;

#[test]
fn cli_4_agents_are_registered_listed_and_removed() {
    let server = Server::start();
    assert!(server.run("anna", &["agents"]).ok().starts_with("No agents yet"));
    let line =
        ["agent", "register", "bob", "--role", "worker", "--capability", "rust", "--capability", "sql"];
    assert!(server.run("anna", &line).ok().starts_with("bob is registered"));
    let listed = server.run("anna", &["agents"]).ok();
    assert!(listed.contains("bob") && listed.contains("worker") && listed.contains("rust, sql"), "{listed}");
    let json = server.run("anna", &["agents", "--json"]).json();
    assert!(json["items"].as_array().is_some_and(|items| items.iter().any(|agent| agent["name"] == "bob")));
    assert_eq!(server.run("anna", &["agent", "remove", "bob"]).ok(), "bob is removed.\n");
    assert!(!server.run("anna", &["agents"]).ok().contains("bob"));
    server.run("anna", &["agent", "remove", "bob"]).fails(1);
}

#[test]
fn msg_1_a_reserved_name_cannot_be_registered() {
    let server = Server::start();
    server.run("anna", &["agent", "register", "wilco"]).fails(1);
}
