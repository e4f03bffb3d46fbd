//! Moments: the slider through an exchange's history, and countdowns on the server's clock.

use super::Browser;
use crate::server::{Server, Setup, ack, said, task};
use serde_json::json;

/// WEB-4, WEB-11: the slider keeps its moment in the address, and what happens now does not disturb it.
#[test]
fn web_4_the_slider_shows_the_exchange_as_it_was() {
    let server = Server::start();
    let id = server.begin_working("GH-1");
    let browser = Browser::open();
    browser.go(&format!("{}/exchanges/{id}", server.url));
    let update =
        |text: &str| said("worker", "boss", "progress-update", json!({"task_id": "GH-1", "message": text}));
    server.send(&update("A beginning"));
    // The slider is exchanged with its part, and works on.
    browser.until("document.querySelector('#messages').textContent.includes('A beginning')");
    browser.run(
        "const slider = document.querySelector('input[type=range]');
         slider.value = 1; slider.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    browser.until("location.search === '?at=1'");
    browser.until("document.querySelector('#head .state')");
    let shown = browser.text("#head .state");
    assert_ne!(shown, "working");
    assert_eq!(browser.run("return document.body.dataset.live"), "off");
    assert_eq!(browser.count("form[data-action=stop], form[data-action=pause]"), 0, "no actions in the past");
    browser.run("window.mark = 1");
    server.send(&update("Half of it"));
    let other = browser.tab();
    browser.new_tab();
    browser.go(&format!("{}/exchanges/{id}", server.url));
    browser.until("document.querySelector('#messages').textContent.includes('Half of it')");
    browser.switch_to(&other);
    assert_eq!(browser.run("return [location.search, window.mark]"), json!(["?at=1", 1]));
    assert_eq!(browser.text("#head .state"), shown);
    assert!(!browser.text("main").contains("Half of it"));
    browser.run(
        "[...document.querySelectorAll('.slider a')].find((one) => one.textContent === 'one after').click()",
    );
    browser.until("location.search === '?at=2'");
    browser.run(
        "[...document.querySelectorAll('.slider a')].find((one) => one.textContent === 'present').click()",
    );
    browser.until("location.search === '' && document.body.dataset.live === 'on'");
    assert_eq!(browser.text("#head .state"), "working");
    browser.check(&server.url);
}

/// WEB-2: the browser counts on the server's clock, whatever its own says.
#[test]
fn web_2_countdowns_follow_the_servers_clock() {
    let server = Setup::new().clock_at("2031-01-01T00:00:00Z").start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let due = server.exchange(&id)["timers"][0]["due"].clone();
    let browser = Browser::open();
    browser.go(&format!("{}/exchanges/{id}", server.url));
    let time = "document.querySelector('#head time[data-due]')";
    assert_eq!(browser.run(&format!("return {time}.getAttribute('datetime')")), due);
    let exact =
        browser.run(&format!("return new Date(Number({time}.dataset.due)).toISOString() === {time}.title"));
    assert_eq!(exact, json!(true));
    browser.until(&format!("/^in (5m|4m 5\\ds)$/.test({time}.textContent)"));
    browser.until(&format!("/^in 4m 5\\ds$/.test({time}.textContent)"));
    server.advance("2m");
    browser.until(&format!("/^in (3m|2m 5\\ds)$/.test({time}.textContent)"));
    server.send(&ack("GH-1"));
    browser.until("document.querySelector('#head .state').textContent === 'working'");
    browser.check(&server.url);
}
