//! How pages look: whether everybody can read and use them, in both themes and at three widths.

use super::{Browser, every_page, target};
use crate::dashboard::begin_fleet;
use crate::server::{Server, Setup, ack, said, task, task_with};
use serde_json::{Value, json};

/// A task with a history, one to judge and one that nobody answers.
fn furnish(server: &Server) -> String {
    server.register(&["boss", "dana", "erik", "ops"]);
    let from = |name: &str, mut message: Value| {
        message["from"] = json!(name);
        message
    };
    let to = |name: &str, mut message: Value| {
        message["to"] = json!(name);
        message
    };
    let id = server.begin(&to("dana", task("GH-42")));
    server.advance("5m");
    server.send(&from("dana", ack("GH-42")));
    server.advance("4m");
    let update = "The counter is there, with a test. Next: the **reset** after one minute.";
    server.send(&said("dana", "boss", "progress-update", json!({"task_id": "GH-42", "message": update})));
    server.begin(&to("ops", task("GH-44")));
    server.advance("5m");
    server.begin(&to("erik", task_with("GH-43", json!({"understanding": "initiator"}))));
    server.send(&from("erik", ack("GH-43")));
    server.advance("2m");
    id
}

fn axe() -> String {
    let path = target().join("axe-core/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("axe-core is missing ({error}); `cargo xtask test --only tests` puts it into target/axe-core")
    })
}

/// What axe-core calls serious or critical in the page that is shown.
fn violations(browser: &Browser, axe: &str) -> Vec<Value> {
    browser.run("document.querySelectorAll('details').forEach((one) => one.open = true)");
    let found = browser.run_async(&format!(
        "{axe}; const done = arguments[arguments.length - 1];
         axe.run().then((result) => done(result.violations.map((one) => ({{ id: one.id, impact: one.impact,
           nodes: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' — ' + node.failureSummary) }}))))"
    ));
    let serious = |one: &&Value| matches!(one["impact"].as_str(), Some("serious" | "critical"));
    found.as_array().unwrap().iter().filter(serious).cloned().collect()
}

/// Every page in one theme: pictures at three widths, and what is wrong with it.
fn look(theme: &str) {
    let server = Server::start();
    let id = furnish(&server);
    let fleet = begin_fleet(&server, "Refuse wrong passwords at the login");
    let axe = axe();
    let browser = Browser::open();
    let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
    browser.tell("Emulation.setEmulatedMedia", scheme);
    let mut found = Vec::new();
    for (name, page) in every_page(&id, &fleet) {
        browser.widen(1400, 1000);
        browser.go(&format!("{}{page}", server.url));
        for width in [360, 800, 1400] {
            browser.widen(width, 1000);
            let height = browser.run("return document.documentElement.scrollHeight").as_u64().unwrap();
            browser.widen(width, u32::try_from(height).unwrap().clamp(400, 4000));
            browser.picture(&format!("{name}-{theme}-{width}.png"));
            // What scrolls differs with the width, colours with the theme.
            if width == 1400 || (width == 360 && theme == "light") {
                found.extend(violations(&browser, &axe).into_iter().map(|one| (name, width, one)));
                browser.run("document.querySelectorAll('details').forEach((one) => one.open = false)");
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    browser.check(&server.url);
    let guarded = Setup::new().config("auth = \"required\"").start();
    for page in [format!("{}/exchanges/del-99", server.url), guarded.url.clone()] {
        browser.go(&page);
        let found = violations(&browser, &axe);
        assert!(found.is_empty(), "{page}: {found:#?}");
    }
    browser.picture(&format!("sign-in-{theme}-1400.png"));
}

/// WEB-8, WEB-11: axe-core finds nothing serious on any page; pictures at three widths.
#[test]
fn web_11_everybody_can_read_every_page_in_the_light() {
    look("light");
}

/// WEB-8, WEB-11: the same in the dark.
#[test]
fn web_11_everybody_can_read_every_page_in_the_dark() {
    look("dark");
}
