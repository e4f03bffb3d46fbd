//! token create, list, revoke.

use super::program::{Server, ran, wilco};

#[test]
fn sec_2_a_token_speaks_for_its_agent_until_it_is_revoked() {
    let server = Server::of(&["anna", "bob"]);
    let data = server.data.path().to_str().expect("a path");
    let secret = ran(wilco().args(["token", "create", "bob", "--data", data])).ok();
    let inbox = || {
        let mut command = server.command("", &["inbox", "--agent", "bob"]);
        ran(command.env_remove("WILCO_AGENT").env("WILCO_TOKEN", secret.trim()))
    };
    assert_eq!(inbox().ok(), "No messages for bob.\n");
    let listed = ran(wilco().args(["token", "list", "--data", data])).ok();
    assert!(listed.contains("bob") && !listed.contains(secret.trim()), "{listed}");
    let json = ran(wilco().args(["token", "list", "--json", "--data", data])).json();
    let id = json["items"][0]["id"].as_str().unwrap_or_default();
    ran(wilco().args(["token", "revoke", id, "--data", data])).ok();
    assert!(!inbox().fails(1).contains(secret.trim()));
}

#[test]
fn cli_9_the_doctor_tells_an_agent_what_it_may_see() {
    let server = Server::of(&["anna", "bob"]);
    let data = server.data.path().to_str().expect("a path");
    let secret = ran(wilco().args(["token", "create", "bob", "--data", data])).ok();
    let mut command = server.command("", &["doctor", "--json"]);
    let found = ran(command.env_remove("WILCO_AGENT").env("WILCO_TOKEN", secret.trim()));
    assert!(found.out.contains("\"findings\":[{"), "{found:?}");
}

/// An agent's token that began an operation when it might: the doctor names it, and what to do.
#[test]
fn sec_10_the_doctor_lists_agents_tokens_that_began_operations_before() {
    let server = Server::of(&["anna", "bob"]);
    let data = server.data.path().to_str().expect("a path");
    let create = |name: &str| ran(wilco().args(["token", "create", name, "--json", "--data", data])).json();
    let (anna, bob) = (create("anna"), create("bob"));
    server.run("anna", &["operate", "restart", "--agents", "bob", "--message", "Now."]).ok();
    let found = ran(&mut server.command("", &["doctor", "--data", data])).out;
    let about = format!("token {} of anna: began operations before", anna["id"].as_str().unwrap_or_default());
    assert!(found.contains(&about), "{found}");
    assert!(
        found.contains(&format!("wilco token role {} orchestrator", anna["id"].as_str().unwrap_or_default()))
    );
    assert!(!found.contains(bob["id"].as_str().unwrap_or("-")), "{found}");
}

#[test]
fn sec_5_tokens_are_not_read_through_a_symlink() {
    let data = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let [theirs, own] = [&data[0], &data[1]].map(|data| data.path().to_str().expect("a path"));
    ran(wilco().args(["token", "create", "bob", "--data", theirs])).ok();
    std::os::unix::fs::symlink(data[0].path().join("tokens.json"), data[1].path().join("tokens.json"))
        .expect("a link");
    for command in [&["list"][..], &["create", "eve"]] {
        let said = ran(wilco().arg("token").args(command).args(["--data", own])).fails(1);
        assert!(said.contains("tokens.json"), "{said}");
    }
    assert!(data[1].path().join("tokens.json").is_symlink(), "nothing was changed");
}

#[test]
fn cli_5_a_new_token_is_printed_alone_or_as_json() {
    let data = tempfile::tempdir().expect("a directory");
    let data = data.path().to_str().expect("a path");
    let create = |options: &[&str]| {
        let base = ["token", "create", "bob", "--role", "operator", "--data", data];
        ran(wilco().args(base).args(options))
    };
    let made = create(&["--json"]).json();
    let secret = made["token"].as_str().unwrap_or_default();
    assert!(secret.starts_with("wilco_"), "{made}");
    assert_eq!((made["name"].as_str(), made["role"].as_str()), (Some("bob"), Some("operator")));
    let listed = ran(wilco().args(["token", "list", "--json", "--data", data])).json();
    assert_eq!(listed["items"][0]["id"], made["id"]);
    assert_eq!(create(&[]).ok().lines().count(), 1, "only the token");
}
