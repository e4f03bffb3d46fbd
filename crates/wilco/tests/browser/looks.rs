//! How pages look: whether everybody can read and use them, in both themes and at three widths.

use super::{Browser, target};
use crate::server::{Server, Setup, ack, said, task, task_with};
use serde_json::{Value, json};

/// Something of everything.
fn furnish(server: &Server) -> String {
    server.register(&["boss", "worker", "reviewer", "ops"]);
    let (shown, judged) = ("GH-42", "GH-43");
    let id = server.begin(&task(shown));
    server.advance("5m");
    server.send(&ack(shown));
    let update =
        |text: &str| said("worker", "boss", "progress-update", json!({"task_id": shown, "message": text}));
    server.advance("4m");
    server.send(&update("The counter is there, with a test. Next: the **reset** after one minute."));
    let mut second = task_with(judged, json!({"understanding": "initiator"}));
    second["to"] = json!("reviewer");
    server.begin(&second);
    let mut understood = ack(judged);
    understood["from"] = json!("reviewer");
    server.send(&understood);
    let mut late = task("GH-44");
    late["to"] = json!("ops");
    server.begin(&late);
    server.advance("7m");
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

/// WEB-8, WEB-11: axe-core finds nothing serious on any page in both themes; pictures at three widths.
#[test]
fn web_11_everybody_can_read_it_in_both_themes_at_three_widths() {
    let server = Server::start();
    let id = furnish(&server);
    let axe = axe();
    let browser = Browser::open();
    let pages = [
        ("overview", "/".to_owned()),
        ("exchanges", "/exchanges".to_owned()),
        ("exchange", format!("/exchanges/{id}")),
        ("past", format!("/exchanges/{id}?at=2")),
    ];
    let mut found = Vec::new();
    for theme in ["light", "dark"] {
        browser.tell(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": theme}]}),
        );
        for (name, page) in &pages {
            browser.widen(1400, 1000);
            browser.go(&format!("{}{page}", server.url));
            let one = |width: u32| {
                browser.widen(width, 1000);
                let height = browser.run("return document.documentElement.scrollHeight").as_u64().unwrap();
                browser.widen(width, u32::try_from(height).unwrap().clamp(400, 4000));
                browser.picture(&format!("{name}-{theme}-{width}.png"));
            };
            [1400, 800, 360].into_iter().for_each(one);
            // The narrow page too: there something may scroll that does not elsewhere.
            let narrow = violations(&browser, &axe);
            browser.widen(1400, 1000);
            let wide = violations(&browser, &axe);
            found.extend(narrow.into_iter().chain(wide).map(|one| (theme, name, one)));
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
    browser.picture("sign-in-dark-1400.png");
}
