//! Programs as specialists.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::server::{self, Server, Setup};
use super::{NOON, fixed, of_type, phase, start};

/// A program that the configuration knows as `check`.
fn with_command(script: &str) -> (Server, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("check");
    std::fs::write(&program, format!("#!/bin/sh\ncd '{}'\n{script}\n", folder.path().display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!("[validation.commands]\ncheck = \"{}\"\n", program.display());
    let server = Setup::new().clock_at(NOON).config(&config).start();
    server.register(&["boss", "main"]);
    (server, folder)
}

fn by_command() -> Value {
    start(json!({"phases": [{"name": "unit", "specialist": "cmd:check"}]}))
}

#[test]
fn val_1_a_command_checks_what_is_really_there() {
    let script = "test -f fixed && exit 0; echo 'src/a.rs:3 - not fixed'; exit 1";
    let (server, folder) = with_command(script);
    let id = server.begin(&by_command());
    server::until("the command has failed", || server.state(&id) == "awaiting-fix");
    let failures = &phase(&server, &id, "unit")["failures"];
    assert_eq!(failures, &json!([{"location": "src/a.rs:3", "error": "not fixed"}]));
    std::fs::write(folder.path().join("fixed"), "").unwrap();
    server.send(&fixed("FIXDONE-42-1"));
    server::until("the command has passed", || server.state(&id) == "completed");
    assert_eq!(phase(&server, &id, "unit")["iteration"], 2);
    server.verify();
}

#[test]
fn val_1_val_13_a_command_that_cannot_run_is_run_once_more() {
    let (server, folder) = with_command("echo x >> runs; exit 127");
    let id = server.begin(&by_command());
    server::until("somebody must decide", || server.state(&id) == "escalated");
    let escalation = &of_type(&server, "boss", "escalation")[0];
    assert_eq!(escalation["content"]["reason"], "specialist-error");
    let runs = std::fs::read_to_string(folder.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count(), 2);
}

#[test]
fn val_1_val_13_a_server_that_is_killed_during_a_check_runs_it_once_more() {
    let (server, folder) = with_command("echo run >> runs; test -f go && exit 0; exec sleep 600");
    let runs = || std::fs::read_to_string(folder.path().join("runs")).unwrap_or_default().lines().count();
    let id = server.begin(&by_command());
    server::until("the command runs", || server.state(&id) == "in-progress" && runs() == 1);
    std::fs::write(folder.path().join("go"), "").unwrap();
    let server = server.restart();
    server::until("it has passed", || server.state(&id) == "completed");
    assert_eq!(runs(), 2);
    server.verify();
}

#[test]
fn sec_11_a_check_with_fixed_arguments_gets_listed_values() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("check");
    std::fs::write(&program, "#!/bin/sh\n[ \"$1\" = --suite=fast ] && [ $# = 1 ] && [ -z \"$HOME\" ]\n")
        .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!(
        "[validation.commands.check]\nprogram = \"{}\"\nargs = [\"--suite={{suite}}\"]\n\
         values = {{ suite = [\"fast\"] }}\nenv = []\n",
        program.display()
    );
    let server = Setup::new().clock_at(NOON).config(&config).start();
    server.register(&["boss", "main"]);
    let phases =
        |values: Value| json!({"phases": [{"name": "unit", "specialist": "cmd:check", "values": values}]});
    server.refused(&start(phases(json!({"suite": "slow"}))), 422);
    server.refused(&by_command(), 422);
    let id = server.begin(&start(phases(json!({"suite": "fast"}))));
    server::until("the command has passed", || server.state(&id) == "completed");
    server.verify();
}
