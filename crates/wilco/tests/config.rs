//! The configuration: what it changes, and what it refuses.

use crate::server::{Server, Setup, pointers, task, task_with};
use serde_json::json;

fn refused(config: &str) -> String {
    let (code, said) = Setup::new().config(config).run_to_end();
    assert_ne!(code, Some(0), "{config:?} was taken");
    said
}

#[test]
fn cfg_1_unknown_keys_name_the_nearest_known_one() {
    for (config, nearest) in [
        ("[server]\nlistn = \"x\"", "server.listen"),
        ("[limits]\nconections = 3", "limits.connections"),
        ("atuh = \"required\"", "auth"),
        ("[policy.delegation]\nack_timeot = \"1m\"", "ack_timeout"),
        ("[policy.delegaton]\nack_timeout = \"1m\"", "delegation"),
        ("[policy.delegation.critical]\nbase_wiat = \"1m\"", "base_wait"),
        ("[polcy.delegation]\nack_timeout = \"1m\"", "policy.delegation.ack_timeout"),
        ("[polcy.delegation]", "policy.delegation"),
        ("[policy.zork]", "there are delegation, operation, handoff, validation"),
        ("[servr]", "server"),
        ("[nudge.comand]\nx = \"/bin/true\"", "nudge.commands"),
        ("[validation.comands]\nx = \"/bin/true\"", "validation.commands"),
        ("[operaton.commands]\nx = \"/bin/true\"", "operation.commands"),
    ] {
        let said = refused(config);
        assert!(said.contains(nearest), "{config:?}: {said}");
        assert!(said.contains("test-config.toml"), "names the file: {said}");
    }
}

#[test]
fn cfg_1_bad_values_are_named() {
    for (config, key) in [
        ("auth = \"perhaps\"", "auth"),
        ("[limits]\nconnections = 0", "limits.connections"),
        ("[limits]\nheader_timeout = \"-5s\"", "limits.header_timeout"),
        ("[escalation]\nreminder = \"0s\"", "escalation.reminder"),
        ("[agents]\nauto_register = \"some\"", "agents.auto_register"),
        ("[policy.delegation]\nack_timeout = \"soon\"", "ack_timeout"),
        ("[server]\nlisten = 7", "server.listen"),
        ("not toml", "test-config.toml"),
    ] {
        let said = refused(config);
        assert!(said.contains(key), "{config:?}: {said}");
    }
}

#[test]
fn cfg_1_policies_and_presets_come_from_the_file_and_the_request_wins() {
    let config = "[policy.delegation]\nack_timeout = \"1m\"\nretry_timeouts = []\n[policy.delegation.night]\nack_timeout = \"1h\"\n";
    let server = Setup::new().config(config).start();
    server.register(&["boss", "worker"]);
    let due = |id: &str| server.exchange(id)["policy"]["ack_timeout"].clone();
    assert_eq!(due(&server.begin(&task("T-1"))), "1m");
    assert_eq!(due(&server.begin(&task_with("T-2", json!({"preset": "night"})))), "1h");
    assert_eq!(due(&server.begin(&task_with("T-3", json!({"preset": "night", "ack_timeout": "7s"})))), "7s");
    let mut minutes = task("T-4");
    minutes["content"]["ack_timeout_minutes"] = json!(3);
    assert_eq!(due(&server.begin(&minutes)), "3m");
    minutes["content"]["task_id"] = json!("T-5");
    minutes["content"]["policy"] = json!({"ack_timeout": "8s"});
    assert_eq!(due(&server.begin(&minutes)), "8s");
    let unknown = server.refused(&task_with("T-6", json!({"preset": "dawn"})), 422);
    assert_eq!(pointers(&unknown), ["/content/policy/preset"]);
}

#[test]
fn del_21_a_judge_must_be_configured() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let problem = server.refused(&task_with("T-1", json!({"understanding": "command"})), 422);
    assert_eq!(pointers(&problem), ["/content/policy/understanding"]);
}

#[test]
fn del_21_a_policy_that_needs_a_judge_without_one_is_an_error_at_the_start() {
    for (place, key) in [
        ("[policy.delegation]", "policy.delegation.understanding"),
        ("[policy.delegation.night]", "policy.delegation.night.understanding"),
        ("[policy.handoff]", "policy.handoff.understanding"),
    ] {
        let config = format!("{place}\nunderstanding = \"command\"");
        let data = tempfile::tempdir().unwrap();
        let (code, said) = Setup::new().config(&config).run_to_end_on(data.path());
        assert_ne!(code, Some(0));
        for part in ["test-config.toml", key, "delegation.judge", "initiator"] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
        let left: Vec<_> = std::fs::read_dir(data.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing but the configuration: {left:?}");
        let with_judge = format!("{config}\n[delegation]\njudge = [\"/bin/true\"]");
        Setup::new().config(&with_judge).start();
    }
}

#[test]
fn cli_1_the_first_line_names_the_address_and_sigterm_ends_with_0() {
    let mut server = Server::start();
    let port: u16 = server.address().strip_prefix("127.0.0.1:").unwrap().parse().unwrap();
    assert_ne!(port, 0);
    server.register(&["bob"]);
    let poll = server.as_agent("bob");
    let waiting = std::thread::spawn(move || poll.get("/v1/agents/bob/inbox?wait=60s"));
    server.until_seen("bob");
    assert_eq!(server.terminate().code(), Some(0));
    let (status, page) = waiting.join().unwrap();
    assert_eq!((status, &page["items"]), (200, &json!([])), "a reader that waits is answered");
}

#[test]
fn cli_1_an_address_in_use_is_a_clear_error() {
    let server = Server::start();
    let (code, said) = Setup::new().option(&format!("--listen={}", server.address())).run_to_end();
    assert_ne!(code, Some(0));
    assert!(said.contains(server.address()) && said.contains("--listen"), "{said}");
}

#[test]
fn ho_2_a_broken_template_is_an_error_at_the_start_that_names_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let template = directory.path().join("handoff.md");
    let config = format!("[handoff]\ntemplate = {:?}", template.to_str().unwrap());
    let said = refused(&config);
    assert!(said.contains("handoff.template") && said.contains("handoff.md"), "{said}");
    std::fs::write(&template, "# Handoff\n{% for task in %}\n").unwrap();
    let said = refused(&config);
    assert!(said.contains("handoff.template") && said.contains("line 2"), "{said}");
}

#[test]
fn sec_8_a_repository_needs_a_token_and_https_and_no_error_shows_the_token() {
    let said = refused("[github]\nrepository = \"owner/repo\"\ntoken_env = \"NO_SUCH_TOKEN\"");
    assert!(said.contains("github.repository") && said.contains("NO_SUCH_TOKEN"), "{said}");
    for config in [
        "[github]\nrepository = \"owner/repo\"\ntoken_env = \"A_TOKEN\"\nbase_url = \"http://github.example\"",
        "[github]\nrepository = \"owner\"\ntoken_env = \"A_TOKEN\"",
    ] {
        let (code, said) = Setup::new().config(config).environment("A_TOKEN", "ghp_secret1").run_to_end();
        assert_ne!(code, Some(0), "{config}");
        assert!(said.contains("github.repository") && said.contains("expected"), "{said}");
        assert!(!said.contains("ghp_secret1"), "{said}");
    }
}

#[test]
fn cfg_1_a_configured_preset_is_for_those_who_choose_none() {
    let server = Setup::new().config("[policy.delegation]\npreset = \"critical\"").start();
    server.register(&["boss", "worker"]);
    let preset = |message| server.exchange(&server.begin(&message))["policy"]["preset"].clone();
    assert_eq!(preset(task("T-1")), "critical");
    assert_eq!(preset(task_with("T-2", json!({"preset": "standard"}))), "standard");
    for protocol in ["delegation", "operation", "validation"] {
        let said = refused(&format!("[policy.{protocol}]\npreset = \"zork\""));
        assert!(said.contains(&format!("policy.{protocol}.preset")) && said.contains("zork"), "{said}");
    }
}
