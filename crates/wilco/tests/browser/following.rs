//! A page follows what happens: without reload, without taking what somebody types, and not faster than one reads.

use std::time::Duration;

use super::Browser;
use crate::server::{Setup, ack, said, task, task_with, text};
use serde_json::json;

/// WEB-9: changes show within so long.
const SOON: Duration = Duration::from_secs(3);

/// WEB-9, WEB-11: what happens shows without reload, and leaves alone what somebody types.
#[test]
fn web_9_a_page_follows_and_takes_neither_focus_nor_text() {
    let server = Setup::new().start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let browser = Browser::open();
    browser.go(&format!("{}/exchanges/{id}", server.url));
    browser.until("document.body.dataset.live === 'on'");
    browser.run("window.mark = 'the same page'");
    browser.click("#a-stop summary");
    browser.type_into("#i-stop-reason", "not needed any");
    server.send(&ack("GH-1"));
    browser.until_within(SOON, "document.querySelector('#head .state').textContent === 'working'");
    browser.until_within(SOON, "document.title.includes('working')");
    browser.until("document.querySelector('[data-exchange]').dataset.state === 'working'");
    browser.until("document.querySelectorAll('#diagram a[href^=\"#\"]').length >= 2");
    browser.type_into("#i-stop-reason", " more");
    let held = browser.run("return [document.activeElement.id, document.activeElement.value, window.mark]");
    assert_eq!(held, json!(["i-stop-reason", "not needed any more", "the same page"]));
    assert_eq!(browser.count("[data-action=pause]"), 0, "the forms wait while somebody types");
    browser.run("document.activeElement.value = ''; document.activeElement.blur()");
    browser.until_within(SOON, "document.querySelector('[data-action=pause]')");
    assert_eq!(
        browser.run("return document.querySelector('#a-stop').open"),
        json!(true),
        "opened stays open"
    );
    assert_eq!(browser.run("return window.mark"), "the same page");
    browser.check(&server.url);
}

/// WEB-9: forms that nobody touched follow too, also those in which something can be chosen.
#[test]
fn web_9_a_form_that_nobody_touched_follows() {
    let server = Setup::new().start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
    server.send(&ack("GH-1"));
    let browser = Browser::open();
    browser.go(&format!("{}/exchanges/{id}", server.url));
    browser.until("document.body.dataset.live === 'on' && document.querySelector('[data-action=verdict]')");
    let mut verdict = said("boss", "worker", "verdict", json!({"verdict": "correct"}));
    verdict["exchange"] = json!(id);
    server.send(&verdict);
    browser.until("!document.querySelector('[data-action=verdict]')");
}

/// WEB-9: however much happens, a page asks at most five times a second, and does not grow.
#[test]
fn web_9_many_events_are_shown_as_fast_as_a_person_reads() {
    let server = Setup::new().start();
    server.register(&["boss", "worker"]);
    let browser = Browser::open();
    browser.go(&server.url);
    browser.until("document.body.dataset.live === 'on'");
    browser.run("performance.setResourceTimingBufferSize(5000); window.mark = 1");
    for number in 0..60 {
        server.begin(&task(&format!("T-{number}")));
        server.send(&text("boss", "worker", &format!("word {number}")));
    }
    server.send(&said("boss", "worker", "text", json!({"message": "the last word"})));
    browser.until("document.querySelector('#counts').textContent.includes('60')");
    let asked = browser.run(
        "const at = performance.getEntriesByType('resource').map((one) => one.startTime);
         return Math.max(...at.map((from) => at.filter((one) => one >= from && one < from + 1000).length))",
    );
    assert!(asked.as_u64().unwrap() <= 5, "{asked} requests within one second");
    let events = browser.count("#events [data-position]");
    assert!((1..=100).contains(&events), "{events} events");
    assert_eq!(browser.run("return window.mark"), 1);
    browser.check(&server.url);
}

/// WEB-9: a browser has six connections to a server; however many tabs are open, all of them follow, also when the one
/// that listens for them is closed, and others can be opened.
#[test]
fn web_9_many_tabs_follow_together() {
    const TABS: usize = 8;
    let server = Setup::new().start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let browser = Browser::open();
    let mut tabs = vec![browser.tab()];
    tabs.extend((1..TABS).map(|_| browser.new_tab()));
    for tab in &tabs {
        browser.switch_to(tab);
        browser.go(&format!("{}/exchanges/{id}", server.url));
        browser.run("window.mark = 1");
    }
    let all_show = |tabs: &[thirtyfour::WindowHandle], state: &str| {
        for tab in tabs {
            browser.switch_to(tab);
            browser.until(&format!("document.querySelector('#head .state').textContent === '{state}'"));
            assert_eq!(browser.run("return [document.body.dataset.live, window.mark]"), json!(["on", 1]));
        }
    };
    all_show(&tabs, "awaiting-ack");
    server.send(&ack("GH-1"));
    all_show(&tabs, "working");
    browser.switch_to(&tabs[0]);
    browser.close_tab();
    let mut stop = said("boss", "worker", "task-cancel", json!({"reason": "enough"}));
    stop["exchange"] = json!(id);
    server.send(&stop);
    all_show(&tabs[1..], "cancelled");
    browser.go(&format!("{}/agents", server.url));
    browser.until_within(SOON, "document.readyState === 'complete' && document.querySelector('#agents')");
    browser.check(&server.url);
}

/// WEB-9: a restart of the server is noticed, shown, and resumed by itself.
#[test]
fn web_9_a_restart_is_noticed_and_resumed() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Setup::new().option(&format!("--listen=127.0.0.1:{port}")).start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    let browser = Browser::open();
    browser.go(&server.url);
    browser.until("document.body.dataset.live === 'on'");
    browser.run("window.mark = 1");
    server.kill();
    browser.until_within(Duration::from_secs(10), "document.body.dataset.live === 'lost'");
    assert!(browser.text(".live").contains("lost"), "it says so in words");
    let server = server.up_again();
    browser.until_within(Duration::from_secs(20), "document.body.dataset.live === 'on'");
    server.send(&ack("GH-1"));
    let shown = format!("document.querySelector('tr[data-exchange=\"{id}\"]').dataset.state === 'working'");
    browser.until_within(SOON, &shown);
    assert_eq!(browser.run("return window.mark"), 1, "without a reload");
}
