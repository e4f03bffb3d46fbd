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

/// WEB-4, WEB-8: a message of the diagram shows its text when it is pointed at or has the focus; ids can be copied; what
/// comes above does not move what somebody reads.
#[test]
fn web_4_the_diagram_shows_texts_and_nothing_jumps() {
    let server = Setup::new().start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    for number in 0..60 {
        let word = format!("piece {number} is done");
        server.send(&said("worker", "boss", "progress-update", json!({"task_id": "GH-1", "message": word})));
    }
    let browser = Browser::open();
    browser.widen(800, 700);
    browser.go(&format!("{}/exchanges/{id}", server.url));
    browser.until("document.body.dataset.live === 'on'");
    assert!(browser.count(".diagram a[href^='#']") >= 60, "every message has its line");
    let peek =
        "return document.querySelector('.peek').hidden ? '' : document.querySelector('.peek').textContent";
    browser.run(
        "const said = [...document.querySelectorAll('#messages .message')].find((one) => one.textContent.includes('piece 59'));
         document.querySelector(`.diagram a[href=\"#${said.id}\"]`).focus()",
    );
    let shown = browser.run(peek);
    assert!(shown.as_str().unwrap().contains("piece 59 is done"), "{shown}");
    browser.run(
        "document.activeElement.blur(); document.body.dispatchEvent(new Event('mouseover', {bubbles: true}))",
    );
    assert_eq!(browser.run(peek), "");
    assert_eq!(browser.run("return document.querySelector('#head [data-copy]').dataset.copy"), json!(id));
    // Somebody reads the last message while the diagram above it grows.
    browser.run("window.read = [...document.querySelectorAll('#messages .message')].at(-1).id; document.getElementById(window.read).scrollIntoView()");
    let place = "return Math.round(document.getElementById(window.read).getBoundingClientRect().top)";
    let before = browser.run(place).as_i64().unwrap();
    let many = browser.count(".diagram a[href^='#']");
    server.send(&ack("GH-1"));
    browser.until(&format!("document.querySelectorAll('.diagram a[href^=\"#\"]').length > {many}"));
    let after = browser.run(place).as_i64().unwrap();
    assert!((before - after).abs() <= 2, "it stood at {before} and stands at {after}");
}
