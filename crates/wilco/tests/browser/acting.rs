//! Acting from a page: a decision, a verdict, a lost race; with and without scripts.

use super::Browser;
use crate::server::{Server, ack, task, task_with};
use serde_json::json;

fn in_review(server: &Server, task_id: &str) -> String {
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with(task_id, json!({"understanding": "initiator"})));
    assert_eq!(server.send(&ack(task_id))["exchange"]["state"], "in-review");
    id
}

/// WEB-6, WEB-11: an escalation is decided where it is shown, and a review is judged.
#[test]
fn web_11_a_decision_and_a_verdict_from_the_page() {
    let server = Server::start();
    let judged = in_review(&server, "GH-2");
    let late = server.begin(&task("GH-1"));
    server.advance("7m");
    assert_eq!(server.state(&late), "escalated");
    let browser = Browser::open();
    browser.go(&server.url);
    browser.until("document.title.startsWith('1 escalation')");
    browser.until("document.querySelector('link[rel=icon]').href.endsWith('n=1')");
    browser.submit("[data-escalation] button[name=option][value=retry]");
    browser.until("document.querySelector('[role=status]')");
    assert!(browser.text("[role=status]").contains("awaiting-ack"), "{}", browser.text("main"));
    assert_eq!(server.state(&late), "awaiting-ack");
    browser.go(&format!("{}/exchanges/{judged}", server.url));
    browser.run("document.querySelector('[data-action=verdict] select').value = 'correct'");
    browser.submit("[data-action=verdict] button");
    browser.until("document.querySelector('[role=status]')");
    assert_eq!(server.state(&judged), "working");
    browser.check(&server.url);
}

/// WEB-1, WEB-6: everything that can be done can be done without scripts.
#[test]
fn web_6_forms_work_without_a_script() {
    let server = Server::start();
    let judged = in_review(&server, "GH-2");
    let late = server.begin(&task("GH-1"));
    server.advance("7m");
    let browser = Browser::without_script();
    browser.go(&server.url);
    browser.submit("[data-escalation] button[name=option][value=retry]");
    assert!(browser.text("[role=status]").contains("awaiting-ack"));
    assert_eq!(server.state(&late), "awaiting-ack");
    browser.go(&format!("{}/exchanges/{judged}", server.url));
    browser.type_into("[data-action=verdict] select", "wrong-summary");
    browser.submit("[data-action=verdict] button");
    assert!(!browser.text("[role=alert]").is_empty(), "a correction is missing");
    assert_eq!(server.state(&judged), "in-review");
    browser.type_into("[data-action=verdict] select", "wrong-summary");
    browser.type_into("[data-action=verdict] [name=correction]", "Five attempts, not six.");
    browser.submit("[data-action=verdict] button");
    assert!(!browser.text("[role=status]").is_empty());
    assert_eq!(server.state(&judged), "awaiting-ack");
    browser.type_into("[data-action=theme] select", "dark");
    browser.submit("[data-action=theme] button");
    assert_eq!(browser.count("html[data-theme=dark]"), 1);
}

/// WEB-6: Enter in a field sends the option that the field belongs to, and never another; where nothing was chosen it
/// sends nothing.
#[test]
fn web_6_enter_sends_what_was_chosen() {
    let server = Server::start();
    let judged = in_review(&server, "GH-2");
    server.register(&["carl"]);
    let late = server.begin(&task("GH-1"));
    server.advance("7m");
    assert_eq!(server.state(&late), "escalated");
    let browser = Browser::open();
    browser.go(&format!("{}/exchanges/{judged}", server.url));
    browser.type_into("[data-action=verdict] [name=note]", "looks right\n");
    assert_eq!(server.state(&judged), "in-review", "no verdict was chosen");
    browser.go(&server.url);
    let several = browser.run(
        "return [...document.querySelectorAll('[data-action=decide]')].filter((form) =>
           form.querySelector('input:not([type=hidden]), select') && form.querySelectorAll('button').length > 1).length",
    );
    assert_eq!(several, json!(0), "a form with a field has one button");
    browser.type_into("[data-escalation] [name=agent]", "carl\n");
    browser.until("document.querySelector('[role=status]')");
    let decided = server.exchange(&late);
    assert!(decided["participants"].to_string().contains("carl"), "{decided}");
    browser.check(&server.url);
}
