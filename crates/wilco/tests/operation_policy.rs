//! What an operation's policy is made from, and what is wrong with it.

use crate::operation::{operate, with_agents};
use crate::server::{Setup, pointers};
use serde_json::{Value, json};

#[test]
fn op_1_policies_presets_and_content_in_their_order() {
    let config = "[policy.operation]\nmax_extension = \"10s\"\n[policy.operation.upgrade]\nacknowledgment_timeout = 40\n";
    let server = Setup::new().config(config).start();
    server.register(&["boss", "worker"]);
    let policy = |fields: Value| {
        let id = server.begin(&operate(json!("worker"), fields));
        server.exchange(&id)["policy"].clone()
    };
    let plain = policy(json!({}));
    assert_eq!(
        (&plain["preset"], &plain["max_extension"], &plain["acknowledgment_timeout"]),
        (&json!("disruptive"), &json!("10s"), &json!("2m"))
    );
    let named = policy(json!({"operation": "upgrade"}));
    assert_eq!((&named["preset"], &named["acknowledgment_timeout"]), (&json!("upgrade"), &json!("40s")));
    assert_eq!(named["acknowledgment_reminder_intervals"], json!(["10s", "20s", "30s"]));
    let emergency = policy(json!({"policy": {"preset": "emergency"}}));
    assert_eq!(
        (&emergency["acknowledgment_timeout"], &emergency["acknowledgment_reminder_intervals"]),
        (&json!("30s"), &json!(["10s", "20s"]))
    );
    let both = policy(
        json!({"preset": "routine", "policy": {"acknowledgment_timeout": 50, "quorum": 1}, "acknowledgment_timeout": 100}),
    );
    assert_eq!(
        (&both["acknowledgment_timeout"], &both["quorum"], &both["acknowledgment_reminder_intervals"]),
        (&json!("1m40s"), &json!(1), &json!(["25s", "50s", "1m15s"]))
    );
    let alias = policy(json!({"reminder_intervals": [5, 500]}));
    assert_eq!(alias["acknowledgment_reminder_intervals"], json!(["5s", "8m20s"]));
}

#[test]
fn msg_3_a_wrong_preset_hides_no_other_wrong_field() {
    let server = with_agents(&["worker"]);
    let fields = json!({"preset": "x", "quorum": "x", "policy": {"on_cancel": "y"}});
    let mut found = pointers(&server.refused(&operate(json!("worker"), fields), 422))
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    found.sort_unstable();
    assert_eq!(found, ["/content/policy/on_cancel", "/content/preset", "/content/quorum"]);
    let command = json!({"execute": {"command": ["ok", 5]}});
    assert_eq!(
        pointers(&server.refused(&operate(json!("worker"), command), 422)),
        ["/content/execute/command/1"]
    );
}
