//! Words of others do nothing to a page, whatever stands in them.

use super::{Browser, every_page};
use crate::dashboard::begin_fleet;
use crate::server::{Server, said};
use serde_json::json;

const SCRIPT: &str =
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'><svg onload='window.hit = 3'>";
const LINKS: &str = "[go](javascript:window.hit=4) ![see](http://picture.example/a.png) <iframe src='http://frame.example'></iframe> \
                     [away](http://away.example/) <style>body{display:none}</style> \" onfocus=window.hit=5 autofocus x=\"";

/// Everything that is shown, with everything that could hurt in it.
fn spoil(server: &Server) -> String {
    server.register(&["boss", "worker"]);
    let long = "w".repeat(900);
    let turned = "\u{202e}desrever\u{2066} \u{7}bell\u{1b}[31m";
    let hostile = format!("{SCRIPT} {LINKS} {turned}");
    let mut task = said(
        "boss",
        "worker",
        "task-assignment",
        json!({
            "task_id": "GH-1", "title": format!("{hostile} {}", &long[..80]),
            "description": format!("{hostile}\n\n{long}"),
            "acceptance_criteria": [hostile, long, format!("{turned} {long}")],
            "message": format!("# {hostile}\n\n{long}\n\n```\n{SCRIPT}\n{long}\n```\n\n| a | b |\n|---|---|\n| {long} | {SCRIPT} |"),
            "policy": {"understanding": "initiator"},
        }),
    );
    task["subject"] = json!(format!("{SCRIPT} {turned} {}", &long[..60]));
    let id = server.begin(&task);
    server.send(&said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({"task_id": "GH-1", "status": "received", "understanding": format!("{hostile} {long}")}),
    ));
    server.send(&said("worker", "boss", "progress-update", json!({"task_id": "GH-1", "message": hostile})));
    server.send(&said("worker", "boss", "text", json!({"message": format!("{hostile} {long}")})));
    let (status, body) = server.put(
        "/v1/agents/odd",
        &json!({"role": hostile, "title": hostile, "description": format!("{hostile} {long}")}),
    );
    assert!(status == 201 || status == 422 || status == 400, "{status} {body}");
    let name = "n".repeat(60);
    server.register(&[&name]);
    let mut late = task.clone();
    late["content"]["task_id"] = json!("GH-2");
    late["to"] = json!(name);
    server.begin(&late);
    server.advance("7m");
    id
}

/// WEB-8, WEB-11: it runs nothing, loads nothing, turns nothing round and breaks no layout.
#[test]
fn web_11_hostile_content_is_harmless() {
    let server = Server::start();
    let id = spoil(&server);
    let browser = Browser::open();
    let fleet = begin_fleet(&server, &format!("{SCRIPT} \u{202e}desrever\u{2066} {}", "w".repeat(120)));
    for (_, page) in every_page(&id, &fleet) {
        browser.widen(360, 800);
        browser.go(&format!("{}{page}", server.url));
        browser.run("document.querySelectorAll('details').forEach((one) => one.open = true)");
        browser.until("document.readyState === 'complete'");
        assert_eq!(browser.run("return typeof window.hit"), "undefined", "{page}: a script ran");
        assert_eq!(
            browser.count("main script, main iframe, main img, main style, main [onfocus], main [onerror]"),
            0
        );
        assert_eq!(browser.count("a[href^='javascript:']"), 0, "{page}");
        let unsafe_links = browser.run(
            "return [...document.querySelectorAll('main a')].filter((one) => one.host && one.host !== location.host
                && one.rel !== 'noopener noreferrer').map((one) => one.outerHTML)",
        );
        assert_eq!(unsafe_links, json!([]), "{page}");
        let raw = browser.run(
            "const raw = /[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]/;
             const found = raw.test(document.documentElement.textContent) ? ['text'] : [];
             for (const one of document.querySelectorAll('*')) for (const at of one.attributes)
               if (raw.test(at.value)) found.push(one.tagName + ' ' + at.name);
             return found",
        );
        assert_eq!(raw, json!([]), "{page}: what turns lines round is shown by its number");
        for width in [360, 800, 1400] {
            browser.widen(width, 800);
            let wide = browser.run(
                "const most = window.innerWidth;
                 if (document.documentElement.scrollWidth <= most) return [];
                 return [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > most + 1
                   && !one.closest('.scroll, .diagram, pre')).slice(0, 8).map((one) => one.outerHTML.slice(0, 160))",
            );
            assert_eq!(wide, json!([]), "{page} at {width} px is wider than its window");
        }
    }
    browser.check(&server.url);
}
