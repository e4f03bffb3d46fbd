//! Who calls, which server, and with which token.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::program::{Server, ran, wilco};

/// The owner of the inbox that is listed.
fn whose(out: &str) -> &str {
    out.trim().strip_prefix("No messages for ").and_then(|rest| rest.strip_suffix('.')).unwrap_or(out)
}

#[test]
fn cli_2_the_name_comes_from_the_flag_then_wilco_agent_then_ai_maestro() {
    let server = Server::of(&["anna", "bob", "carl"]);
    let mut inbox = wilco();
    inbox.args(["inbox", "--url", &server.url]).env("AI_MAESTRO_AGENT_ID", "carl");
    assert_eq!(whose(&ran(&mut inbox).ok()), "carl");
    assert_eq!(whose(&ran(inbox.env("WILCO_AGENT", "bob")).ok()), "bob");
    assert_eq!(whose(&ran(inbox.args(["--as", "anna"])).ok()), "anna");
}

/// Whose a token is, the server says in the header of its answers, so that nobody needs to name itself besides.
#[test]
fn sec_2_with_a_token_nobody_needs_to_say_who_it_is() {
    let server = Server::of(&["anna", "bob"]);
    let data = server.data.path().to_str().expect("a path");
    let secret = ran(wilco().args(["token", "create", "bob", "--data", data])).ok();
    let with_token = |words: &[&str]| {
        let mut command = wilco();
        command.args(words).args(["--url", &server.url]).env("WILCO_TOKEN", secret.trim());
        ran(&mut command)
    };
    assert_eq!(whose(&with_token(&["inbox"]).ok()), "bob");
    assert_eq!(with_token(&["todo"]).ok(), server.run("bob", &["todo"]).ok());
    with_token(&["send", "anna", "Hello."]).ok();
    assert_eq!(server.newest("anna", "text")["from"], "bob");
    with_token(&["inbox", "--as", "anna"]).fails(1);
}

/// Ends the tmux server that it names.
struct Tmux(String);

impl Tmux {
    fn command(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.0, "-f", "/dev/null"]);
        tmux
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").status();
    }
}

#[test]
fn cli_2_in_tmux_the_session_says_who() {
    let server = Server::of(&["bob"]);
    let tmux = Tmux(format!("wilco-identity-{}", std::process::id()));
    let (out, program) = (server.data.path().join("out"), env!("CARGO_BIN_EXE_wilco"));
    let line = format!(
        "unset WILCO_AGENT AI_MAESTRO_AGENT_ID; {program} inbox --url {} > {} 2>&1; tmux -L {} wait-for -S done; exec cat",
        server.url,
        out.display(),
        tmux.0
    );
    let begun = tmux.command().args(["new-session", "-d", "-s", "bob", &line]).status().expect("tmux");
    assert!(begun.success());
    assert!(tmux.command().args(["wait-for", "done"]).status().expect("tmux").success());
    assert_eq!(whose(&fs::read_to_string(out).expect("its output")), "bob");
}

/// CLI-30: what else is known of an agent stays.
#[test]
fn cli_30_in_tmux_only_the_nudge_and_its_session_are_set() {
    let server = Server::of(&["bob"]);
    let register = ["agent", "register", "bob", "--alias", "bobby", "--capability", "rust"];
    server.run("operator", &register).ok();
    let tmux = Tmux(format!("wilco-install-{}", std::process::id()));
    let (program, url) = (env!("CARGO_BIN_EXE_wilco"), &server.url);
    let run = |number: usize, words: &str| {
        let line = format!(
            "{program} install tmux --as bob --url {url} {words}; tmux -L {} wait-for -S done{number}; exec cat",
            tmux.0
        );
        let begun =
            tmux.command().args(["new-session", "-d", "-s", &format!("shop-{number}"), &line]).status();
        assert!(begun.expect("tmux").success());
        assert!(
            tmux.command().args(["wait-for", &format!("done{number}")]).status().expect("tmux").success()
        );
        let bob = server.get("/v1/agents/bob");
        assert_eq!((&bob["alias"], &bob["capabilities"]), (&json!("bobby"), &json!(["rust"])), "{bob}");
        (bob["nudge"]["kind"].clone(), bob["session"].clone())
    };
    assert_eq!(run(1, ""), (json!("tmux"), json!("shop-1")));
    assert_eq!(run(2, "--remove"), (Value::Null, json!("shop-1")));
}

#[test]
fn cli_2_the_server_comes_from_the_flag_then_wilco_url() {
    let server = Server::of(&["bob"]);
    let mut inbox = wilco();
    inbox.args(["inbox", "--as", "bob"]).env("WILCO_URL", "http://127.0.0.1:9");
    assert!(ran(&mut inbox).fails(1).contains("http://127.0.0.1:9"));
    ran(inbox.args(["--url", &server.url])).ok();
    let mut inbox = wilco();
    ran(inbox.args(["inbox", "--as", "bob"]).env("WILCO_URL", &server.url)).ok();
}

#[test]
fn cli_2_the_token_comes_from_the_environment_then_a_file() {
    let server = Server::with(&["--config", "strict.toml"]);
    let data = server.data.path().to_str().expect("a path");
    let secret = ran(wilco().args(["token", "create", "bob", "--data", data])).ok();
    let inbox = || {
        let mut inbox = wilco();
        inbox.args(["inbox", "--as", "bob", "--url", &server.url]);
        inbox
    };
    assert!(ran(&mut inbox()).fails(1).contains("token"));
    let mut register = wilco();
    register.args(["agent", "register", "bob", "--url", &server.url]).env("WILCO_TOKEN", secret.trim());
    ran(&mut register).ok();
    assert_eq!(whose(&ran(inbox().env("WILCO_TOKEN", secret.trim())).ok()), "bob");

    // Named, and in its usual place.
    let folder = server.data.path().join("wilco");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("token");
    fs::write(&file, &secret).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("private");
    assert_eq!(whose(&ran(inbox().env("WILCO_TOKEN_FILE", &file)).ok()), "bob");
    assert_eq!(whose(&ran(inbox().env("XDG_CONFIG_HOME", data)).ok()), "bob");
    assert!(
        ran(inbox().env("WILCO_TOKEN", "wilco_no").env("XDG_CONFIG_HOME", data)).fails(1).contains("token")
    );
}

/// TALK-40: a slip is refused with the name that was meant, and registers nobody; `--new` makes it.
#[test]
fn talk_40_a_name_that_is_nearly_known_is_refused_with_the_nearest() {
    let server = Server::of(&["anna", "worker", "w1"]);
    for line in [
        &["send", "wroker", "Hi"][..],
        &["delegate", "worke", "--title", "T"],
        &["delegate", "w1", "--title", "T", "--candidate", "wrker"],
        &["operate", "restart", "--agents", "w1,workr", "--message", "M"],
        &["handoff", "--from", "workerr", "--to", "w1", "--reason", "R"],
    ] {
        let said = server.run("anna", line).fails(1);
        assert!(said.contains("did you mean worker?") && said.contains("--new"), "{line:?}: {said}");
    }
    let said = server.run("annna", &["send", "worker", "Hi"]).fails(1);
    assert!(said.contains("did you mean anna?"), "{said}");
    let known = || server.get("/v1/agents")["items"].as_array().unwrap().len();
    assert_eq!(known(), 3, "nobody was registered");
    // Digits alone make two agents.
    server.run("w2", &["send", "worker", "Hi"]).ok();
    server.run("anna", &["send", "wroker", "Hi", "--new"]).ok();
    assert_eq!(known(), 5);
}

/// TALK-40: an inactive agent gets no task; the refusal says who is there.
#[test]
fn talk_40_an_inactive_agent_gets_no_task() {
    let server = Server::of(&["anna", "bob", "carl"]);
    server.run("anna", &["agent", "register", "bob", "--status", "inactive"]).ok();
    let said = server.run("anna", &["delegate", "bob", "--title", "T"]).fails(1);
    assert!(said.contains("inactive") && said.contains("carl"), "{said}");
}
