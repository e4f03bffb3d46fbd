//! Who looks: signing in, what a role shows, signing out and revoking.

use std::time::Duration;

use super::Browser;
use crate::server::{Setup, task};
use serde_json::json;
use wilco_protocol::Name;
use wilco_server::{Role, Tokens};

/// WEB-7: what is revoked or left ends within so long, also in other tabs.
const ENDED: Duration = Duration::from_secs(10);

/// WEB-7, WEB-11: sign-in, roles, sign-out, revoking.
#[test]
fn web_7_signing_in_and_out_and_what_a_role_shows() {
    let server = Setup::new().config("auth = \"required\"").start();
    let tokens = Tokens::new(server.data.path());
    let make = |name: &str, role| tokens.create(Name::new(name), role).unwrap();
    let (boss, reader) = (make("boss", Role::Agent), make("watch", Role::ReadOnly));
    let operator = server.with_token("op", Role::Operator);
    operator.register(&["boss", "worker"]);
    let id = server.caller().token(&boss.secret).begin(&task("GH-1"));
    let browser = Browser::open();
    let sign_in = |secret: &str| {
        browser.type_into("#token", secret);
        browser.submit("[data-action=sign-in] button");
    };
    browser.go(&format!("{}/exchanges/{id}", server.url));
    sign_in("wilco_wrong");
    assert!(browser.text("[role=alert]").contains("not known"));
    sign_in(&reader.secret);
    assert_eq!(browser.address(), format!("{}/exchanges/{id}", server.url), "led back");
    assert_eq!(browser.run("return document.body.dataset.role"), "read-only");
    assert_eq!(browser.count("main form"), 0, "somebody who only reads has no buttons");
    browser.until("document.body.dataset.live === 'on'");
    let first = browser.tab();
    let second = browser.new_tab();
    browser.go(&server.url);
    browser.until("document.body.dataset.live === 'on'");
    browser.submit("[data-action=sign-out] button");
    assert_eq!(browser.count("[data-action=sign-in]"), 1);
    browser.switch_to(&first);
    browser.until_within(ENDED, "document.querySelector('[data-action=sign-in]')");
    assert!(!browser.text("main").contains(&id), "nothing of before is shown");
    sign_in(&boss.secret);
    assert_eq!(
        browser.run("return [document.body.dataset.role, document.body.dataset.viewer]"),
        json!(["agent", "boss"])
    );
    assert_eq!(browser.count("form[data-action=stop]"), 1, "its own task");
    assert_eq!(browser.count("nav a[href=\"/settings\"]"), 0);
    browser.until("document.body.dataset.live === 'on'");
    tokens.revoke(&boss.token.id).unwrap();
    browser.until_within(ENDED, "document.querySelector('[data-action=sign-in]')");
    browser.switch_to(&second);
    let complaints = browser.complaints();
    let refused = |complaint: &String| complaint.contains("401");
    assert!(complaints.iter().all(refused), "{complaints:#?}");
}
