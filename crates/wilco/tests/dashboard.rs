//! The pages of the dashboard on real data, and what their forms do, as a browser without JavaScript meets them.

use crate::server::{Server, Setup, ack, said, task, task_with, text, until};
use crate::sign_in::{Browser, Page, guarded, secret};
use serde_json::{Value, json};
use wilco_server::Role;

/// What somebody may call a thing to do harm.
const HOSTILE: &str = "<script>alert(1)</script> \u{202e}\"quoted\" & <b>";

/// The value of the first hidden field of this name behind a place in a page.
fn hidden(page: &str, place: &str, name: &str) -> String {
    let from = page.find(place).unwrap_or_else(|| panic!("no {place} in {page}"));
    let field = format!("name=\"{name}\" value=\"");
    let rest =
        page[from..].split_once(&field).unwrap_or_else(|| panic!("no {name} behind {place}: {page}")).1;
    rest.split('"').next().unwrap().to_owned()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Fills in a form of a page, and sends it.
fn send(browser: &mut Browser<'_>, page: &str, form: &str, to: &str, fields: &[(&str, &str)]) -> Page {
    let shown = browser.get(page);
    assert_eq!(shown.status, 200, "{page}: {}", shown.body);
    let place = format!("data-action=\"{form}\"");
    let mut pairs = vec![("token_of_form", hidden(&shown.body, &place, "token_of_form"))];
    let start = shown.body.find(&place).unwrap();
    let end = start + shown.body[start..].find("</form>").unwrap();
    for name in ["key", "waiting", "ack", "escalation"] {
        if shown.body[start..end].contains(&format!("name=\"{name}\" value=")) {
            pairs.push((name, hidden(&shown.body, &place, name)));
        }
    }
    pairs.extend(fields.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let body: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    browser.send(to, &body.join("&"))
}

fn location(page: &Page) -> String {
    let line = page.head.lines().find(|line| line.starts_with("location: ")).unwrap_or_else(|| {
        panic!("{} {}\n{}", page.status, page.head, page.body);
    });
    line["location: ".len()..].to_owned()
}

fn is_whole(page: &Page, path: &str) {
    assert_eq!(page.status, 200, "{path}: {}", page.body);
    let (head, body) = page.body.split_once("</head>").unwrap();
    assert_eq!(head.matches("<title>").count(), 1, "{path}");
    for one in ["<main", "<h1", "<nav"] {
        assert_eq!(body.matches(one).count(), 1, "{path} has one {one}");
    }
    assert!(page.body.contains("Wilco</title>"), "{path}");
    assert!(!page.body.contains("<script>"), "{path}");
    assert!(!page.body.contains('\u{202e}'), "{path}");
}

fn failing(from: &str, location: &str) -> Value {
    let failure = json!({"location": location, "error": "expected 401, got 200", "suggestion": "check it"});
    said(
        from,
        "validation-orchestrator",
        "validation-result",
        json!({"status": "FAIL", "failures": [failure]}),
    )
}

/// Something of everything.
fn fleet() -> (Server, [String; 4]) {
    let server = Server::start();
    let exchanges = begin_fleet(&server, HOSTILE);
    (server, exchanges)
}

/// A delegation, an operation, a validation and a handoff that are under way, and whose texts are these words.
pub(crate) fn begin_fleet(server: &Server, words: &str) -> [String; 4] {
    server.register(&["boss", "worker", "helper", "ann", "bob", "main", "alice", "ecos-controller"]);
    let mut hostile = task("T-1");
    hostile["content"]["title"] = json!(words);
    hostile["subject"] = json!(words);
    let delegation = server.begin(&hostile);
    server.send(&ack("T-1"));
    let operation = server.begin(&json!({"from": "boss", "to": ["ann", "bob"], "content": {
        "type": "pre-operation", "operation": "restart", "message": words, "kind": "coordinated",
    }}));
    server.advance("20s");
    server.send(&text("ann", "boss", "ok"));
    server.advance("15s");
    server.send(&text("bob", "boss", "wait"));
    let validation = server.begin(&said(
        "boss",
        "validation-orchestrator",
        "validation-start",
        json!({
            "issue": 42, "feature": words, "main_agent": "main",
            "phases": [{"name": "unit", "specialist": "alice", "expected_outcome": "All tests pass"}],
        }),
    ));
    server.send(&failing("alice", "src/login.rs:31"));
    let asked = server.newest("main");
    server.send(&said("main", "validation-orchestrator", "fix-completion", json!({
        "fixes": ["The password is checked"], "files": ["src/login.rs"], "message_id": asked["content"]["message_id"],
    })));
    server.send(&failing("alice", "src/login.rs:31"));
    let handoff = server.begin(&said("boss", "wilco", "replacement-request", json!({
        "failed_agent": "worker", "replacement_agent": "helper", "reason": words, "policy": {"understanding": "accept"},
    })));
    until("the replacement was told", || server.state(&handoff) == "awaiting-ack");
    let told =
        server.inbox("helper").into_iter().rfind(|one| one["content"]["type"] == "replacement_handoff");
    server.send(&said("helper", "boss", "handoff_ack", json!({
        "handoff_id": told.unwrap()["content"]["handoff_id"], "status": "ready_to_proceed",
        "understanding": "Continue the open task of the failed agent", "starting_from": "anything", "questions": [],
    })));
    [delegation, operation, validation, handoff]
}

/// WEB-2 and WEB-5: every page, with what it stands for in its attributes; what somebody wrote breaks nothing.
#[test]
fn web_5_every_page_shows_the_fleet() {
    let (server, [delegation, operation, validation, handoff]) = fleet();
    let mut browser = Browser::new(&server);
    let mut page = |path: &str| {
        let page = browser.get(path);
        is_whole(&page, path);
        page.body
    };
    for path in ["/", "/exchanges", "/incidents", "/settings", "/agents", "/messages", "/audit"] {
        page(path);
    }
    for id in [&delegation, &operation, &validation, &handoff] {
        let shown = page(&format!("/exchanges/{id}"));
        assert!(shown.contains(&format!("data-exchange=\"{id}\"")), "{shown}");
    }
    let shown = page("/operations");
    let card = shown.split_once(&format!("data-exchange=\"{operation}\" data-state=\"waiting\"")).unwrap().1;
    let track = |agent: &str| {
        let rest = card.split_once(&format!("class=\"track\" data-agent=\"{agent}\"")).unwrap().1;
        rest.split("class=\"track\"").next().unwrap().to_owned()
    };
    assert!(track("ann").contains(">ready<") && track("ann").contains("answered after 20s"), "{card}");
    let bob = track("bob");
    assert!(bob.contains(">waiting<") && bob.contains("extended") && bob.contains("1 reminder"), "{bob}");
    assert!(
        bob.contains("class=\"mark\"") && bob.contains("class=\"more\"") && bob.contains("data-due="),
        "{bob}"
    );
    assert!(card.contains("quorum not reached") && card.contains("1 of 2 ready, 2 needed"), "{card}");
    let shown = page("/validations");
    assert!(shown.contains(&format!("data-exchange=\"{validation}\"")), "{shown}");
    assert!(shown.contains("Round 2") && shown.contains("src/login.rs:31"), "{shown}");
    assert_eq!(shown.matches(">1 again<").count(), 1, "only the second round's came again: {shown}");
    assert!(shown.contains(&format!("/v1/exchanges/{validation}/log.md")), "{shown}");
    let shown = page("/handoffs");
    assert!(shown.contains(&format!("data-exchange=\"{handoff}\" data-state=\"complete\"")), "{shown}");
    for word in
        ["It names this handoff", "It understood the work", "It starts from the right place", "Checklist"]
    {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(
        shown.contains("class=\"document\"") && shown.contains("<h4>"),
        "the document is rendered: {shown}"
    );
    let shown = page("/agents/helper");
    assert!(
        shown.contains("data-agent=\"helper\"") && shown.contains("Presence over the last day"),
        "{shown}"
    );
    assert!(shown.contains("It did something in 1 of the last 24 hours"), "{shown}");
    assert!(shown.contains("It is not nudged") && shown.contains("What it owes"), "{shown}");
    assert_eq!(browser.get("/agents/nobody").status, 404);
}

/// WEB-2: filters stand in the address and in the form, lists go on, no match says so.
#[test]
fn web_2_lists_filter_and_go_on() {
    let (server, [delegation, ..]) = fleet();
    let mut browser = Browser::new(&server);
    let mut page = |path: &str| {
        let page = browser.get(path);
        is_whole(&page, path);
        page.body
    };
    let found = page("/messages?q=rate+limiting&agent=worker&from=&type=");
    assert!(found.contains("value=\"rate limiting\"") && found.contains("data-message=\"msg-"), "{found}");
    assert!(page("/messages?q=zebra").contains("No message matches"));
    assert!(page("/operations?agent=alice").contains("No operation matches"));
    assert!(page("/validations?protocol=handoff").contains("No validation matches"));
    let first = page("/audit?protocol=delegation&limit=2");
    let next =
        first.split_once("rel=\"next\" href=\"").unwrap().1.split('"').next().unwrap().replace("&amp;", "&");
    assert!(next.contains("protocol=delegation") && next.contains("limit=2"), "{next}");
    let positions = |page: &str| -> Vec<u64> {
        page.split("data-position=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect()
    };
    let mut all = positions(&first);
    assert_eq!(all.len(), 2);
    all.extend(positions(&page(&next)));
    assert!(all.is_sorted_by(|one, other| one > other), "newest first, none twice: {all:?}");
    assert!(first.contains(&delegation) && !first.contains("op-"), "{first}");
    let own = page("/audit?agent=alice");
    assert!(own.contains("value=\"alice\"") && !own.contains(&delegation), "{own}");
    for wrong in ["/audit?after=x", "/messages?limit=0", "/operations?protocol=dance", "/agents?colour=red"] {
        let refused = browser.get(wrong);
        assert_eq!((refused.status, refused.body.contains("<h1")), (400, true), "{wrong}");
    }
}

/// WEB-6: what begins by a form goes through the same door; refused, the form comes again with what was typed.
#[test]
fn web_6_forms_begin_tasks_and_operations_and_register_agents() {
    let server = Server::start();
    let mut browser = Browser::new(&server);
    let made =
        send(&mut browser, "/agents", "register", "/agents", &[("name", "zoe"), ("role", "specialist")]);
    assert_eq!((made.status, location(&made).as_str()), (303, "/agents/zoe"));
    assert!(browser.get("/agents/zoe").body.contains("role=\"status\""));
    server.put("/v1/agents/zoe", &json!({"role": "specialist", "capabilities": ["rust"]}));
    send(&mut browser, "/agents", "register", "/agents", &[("name", "zoe"), ("role", "worker")]);
    let zoe = server.get("/v1/agents/zoe").1;
    assert_eq!((&zoe["role"], &zoe["capabilities"]), (&json!("worker"), &json!(["rust"])), "the rest stays");
    let wrong =
        send(&mut browser, "/agents", "register", "/agents", &[("name", "no good"), ("role", "worker")]);
    assert_eq!(wrong.status, 422, "{}", wrong.body);
    assert!(
        wrong.body.contains("role=\"alert\"") && wrong.body.contains("value=\"no good\""),
        "{}",
        wrong.body
    );

    let fields =
        [("to", "zoe"), ("title", "Add a logout"), ("acceptance_criteria", "It works\r\nTests pass\r\n")];
    let begun = send(&mut browser, "/exchanges", "delegate", "/exchanges", &fields);
    assert_eq!(begun.status, 303, "{}", begun.body);
    let id = location(&begun).rsplit('/').next().unwrap().to_owned();
    let opened = server.newest("zoe");
    assert_eq!((&opened["from"], &opened["exchange"]), (&json!("operator"), &json!(id)));
    assert_eq!(opened["content"]["acceptance_criteria"], json!(["It works", "Tests pass"]));
    let fields = [("to", "nobody-here"), ("title", "Typed title <b>")];
    let refused = send(&mut browser, "/exchanges", "delegate", "/exchanges", &fields);
    assert_eq!(refused.status, 404, "{}", refused.body);
    assert!(
        refused.body.contains("role=\"alert\"") && refused.body.contains("Typed title &lt;b&gt;"),
        "{}",
        refused.body
    );

    let fields = [("to", "zoe"), ("operation", "restart"), ("message", "Save your work"), ("quorum", "1")];
    let begun = send(&mut browser, "/operations", "operate", "/operations", &fields);
    let id = location(&begun).rsplit('/').next().unwrap().to_owned();
    assert_eq!(server.exchange(&id)["data"]["quorum"], 1);
    let refused =
        send(&mut browser, "/operations", "operate", "/operations", &[("to", "zoe"), ("message", "typed")]);
    assert_eq!((refused.status, refused.body.contains(">typed</textarea>")), (422, true), "{}", refused.body);

    let verified = send(&mut browser, "/audit", "verify", "/audit/verify", &[]);
    assert_eq!((verified.status, location(&verified).as_str()), (303, "/audit"));
    let said = browser.get("/audit").body;
    let (_, head) = server.get("/v1/audit/verify");
    assert!(said.contains("role=\"status\"") && said.contains(head["head"].as_str().unwrap()), "{said}");
}

/// WEB-6 and DEL-22: an operator judges in the initiator's name, which the message says; a verdict on an ACK that does
/// not wait any more is refused; sent twice it has one effect.
#[test]
fn web_6_an_operators_verdict_is_the_initiators_and_names_its_ack() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    let first = server.send(&ack("T-1"))["message"]["id"].clone();
    let mut browser = Browser::new(&server);
    let (page, to) = (format!("/exchanges/{id}"), format!("/exchanges/{id}/verdict"));
    let shown = browser.get(&page).body;
    let field = |name: &str| hidden(&shown, "data-action=\"verdict\"", name);
    assert_eq!(json!(field("ack")), first);
    let form = |verdict: &str, key: &str| {
        let waiting = field("waiting");
        format!(
            "token_of_form={}&key={key}&waiting={waiting}&ack={}&verdict={verdict}&correction=No",
            field("token_of_form"),
            field("ack")
        )
    };
    let sent = browser.send(&to, &form("wrong-summary", "k1"));
    assert_eq!(sent.status, 303, "{}", sent.body);
    let again = browser.send(&to, &form("wrong-summary", "k1"));
    assert_eq!((again.status, location(&again)), (303, page.clone()), "{}", again.body);
    let verdicts = server.get("/v1/messages?type=verdict").1["items"].clone();
    assert_eq!(verdicts.as_array().unwrap().len(), 1, "{verdicts}");
    assert_eq!((&verdicts[0]["from"], &verdicts[0]["sentBy"]), (&json!("boss"), &json!("operator")));
    assert_eq!(verdicts[0]["in_reply_to"], first);

    // Another ACK waits by now: the old form judges nothing, by whichever door.
    server.send(&ack("T-1"));
    assert_eq!(server.state(&id), "in-review");
    let late = browser.send(&to, &form("correct", "k2"));
    assert_eq!((late.status, late.body.contains("role=\"alert\"")), (409, true), "{}", late.body);
    assert!(late.body.contains("data-state=\"in-review\""), "{}", late.body);
    let mut verdict = said("boss", "wilco", "verdict", json!({"verdict": "correct"}));
    verdict["exchange"] = json!(id);
    verdict["in_reply_to"] = first;
    server.refused(&verdict, 409);
    assert_eq!(server.state(&id), "in-review");
    let sent = send(&mut browser, &page, "verdict", &to, &[("verdict", "correct")]);
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert_eq!(server.state(&id), "working");
    assert!(browser.get(&page).body.contains("sent by "));
    server.verify();
}

/// WEB-2: sources as in `config show`, no secrets; tokens for operators; nothing for agents.
#[test]
fn web_2_settings_show_sources_and_no_secrets() {
    let secret_word = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0";
    let config = format!("[nudge]\nsecret = \"{secret_word}\"\n");
    let server = Setup::new().config(&config).start();
    let shown = Browser::new(&server).get("/settings").body;
    let row = |key: &str| {
        let rest =
            shown.split_once(&format!("data-key=\"{key}\"")).unwrap_or_else(|| panic!("no {key}: {shown}")).1;
        rest.split("</tr>").next().unwrap().to_owned()
    };
    assert!(row("nudge.secret").contains("(set)") && row("nudge.secret").contains("test-config.toml"));
    assert!(row("server.listen").contains("flag") && row("server.listen").contains("--listen"));
    assert!(row("server.url").contains("default"));
    assert!(!shown.contains(secret_word));

    let server = guarded();
    let (root, ann, eye) = (
        secret(&server, "root-1", Role::Operator),
        secret(&server, "ann", Role::Agent),
        secret(&server, "eye", Role::ReadOnly),
    );
    let page = |token: &str| {
        let mut browser = Browser::new(&server);
        browser.sign_in(token);
        browser.get("/settings")
    };
    assert!(page(&root).body.contains("root-1") && page(&root).body.contains("read-only"));
    assert_eq!(page(&ann).status, 404);
    let seen = page(&eye);
    assert_eq!((seen.status, seen.body.contains("root-1")), (200, false));
    let mut browser = Browser::new(&server);
    browser.sign_in(&eye);
    for path in ["/exchanges", "/operations", "/agents", "/audit"] {
        assert!(!browser.get(path).body.contains("<button>New"), "{path}");
        assert!(!browser.get(path).body.contains("data-action=\"verify\""), "{path}");
    }
}

/// WEB-1, WEB-3: with much of everything, the first page stays below 100,000 bytes with all that belongs to it, and
/// says how much there is in all.
#[test]
fn web_1_the_first_page_stays_small() {
    let server = Server::start();
    let agents: Vec<String> = (0..60).map(|number| format!("agent-with-a-long-name-{number}")).collect();
    server.register(&agents.iter().map(String::as_str).chain(["boss"]).collect::<Vec<_>>());
    for number in 0..230 {
        let title = format!("Task {number} {}", "with a title of many words ".repeat(5));
        let mut task = task(&format!("GH-{number}"));
        task["to"] = json!(agents[number % agents.len()]);
        task["content"]["title"] = json!(title.trim());
        server.begin(&task);
    }
    server.advance("20m");
    let mut browser = Browser::new(&server);
    let page = browser.get("/");
    is_whole(&page, "/");
    assert!(page.body.matches("data-escalation=").count() >= 50, "{}", page.body);
    assert!(page.body.contains("All 230 open exchanges"), "{}", page.body);
    let parts = ["/style.css", "/live.js", "/icon.svg?n=50"];
    let whole = page.body.len() + parts.iter().map(|part| browser.get(part).body.len()).sum::<usize>();
    assert!(whole < 95_000, "{whole} bytes, of which {} are the document", page.body.len());
}

/// WEB-3: what waits for somebody's word stands first, however much began since; the title counts all escalations, and
/// what is cut off says how much there is and where.
#[test]
fn web_3_nothing_newer_hides_what_waits() {
    let server = Server::start();
    server.register(&["boss", "chief", "worker", "asker", "quiet", "busy"]);
    let given = |from: &str, to: &str, name: &str, policy: Value| {
        let mut task = task_with(name, policy);
        (task["from"], task["to"]) = (json!(from), json!(to));
        server.begin(&task)
    };
    let review = given("boss", "worker", "R-1", json!({"understanding": "initiator"}));
    server.send(&ack("R-1"));
    let question = given("boss", "asker", "Q-1", json!({}));
    let unclear = json!({"task_id": "Q-1", "status": "needs-clarification", "questions": ["Which login?"]});
    server.send(&said("asker", "boss", "task-acknowledgment", unclear));
    assert_eq!(
        (server.state(&review).as_str(), server.state(&question).as_str()),
        ("in-review", "clarifying")
    );
    for number in 0..53 {
        given("chief", "quiet", &format!("E-{number}"), json!({"ack_timeout": "1m"}));
    }
    server.advance("4m");
    for number in 0..210 {
        given("chief", "busy", &format!("N-{number}"), json!({"ack_timeout": "2h"}));
    }
    let mut browser = Browser::new(&server);
    let page = browser.get("/");
    is_whole(&page, "/");
    assert!(page.body.len() < 70_000, "{} bytes", page.body.len());
    assert!(page.body.contains("<title>53 escalations · Wilco"), "{}", page.body);
    assert!(
        page.body.contains("icon.svg?n=53") && page.body.contains("And 47 more to decide"),
        "{}",
        page.body
    );
    assert!(page.body.contains("/exchanges?open=true&amp;state=escalated"), "{}", page.body);
    let (_, waiting) = page.body.split_once("Waiting for somebody").unwrap();
    let place =
        |id: &str| waiting.find(&format!("data-exchange=\"{id}\"")).unwrap_or_else(|| panic!("{waiting}"));
    let first_new = waiting.find("N-").unwrap();
    assert!(place(&review) < first_new && place(&question) < first_new, "{waiting}");
    let token = browser.form_token("/");
    browser.send("/look-as", &format!("token_of_form={token}&agent=boss"));
    let own = browser.get("/").body;
    let (_, waiting) = own.split_once("Waiting for you").unwrap();
    assert!(waiting.contains(&format!("data-exchange=\"{review}\" data-state=\"in-review\"")), "{waiting}");
    assert!(
        waiting.contains(&format!("data-exchange=\"{question}\" data-state=\"clarifying\"")),
        "{waiting}"
    );
    assert!(own.contains("<title>Overview") && !own.contains("E-1"), "{own}");
}

/// WEB-6, WEB-8, WEB-10: a form that was sent is not another one with another button; its address, loaded again, shows
/// the exchange; every page's icon shows what is open.
#[test]
fn web_6_another_button_of_a_form_that_was_sent_changes_nothing() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("GH-1"));
    server.advance("20m");
    let mut browser = Browser::new(&server);
    let shown = browser.get(&format!("/exchanges/{id}"));
    assert!(shown.body.contains("icon.svg?n=1"), "{}", shown.body);
    let place = "data-action=\"decide\"";
    let carried: Vec<_> = ["token_of_form", "key", "escalation"]
        .map(|name| format!("{name}={}", encoded(&hidden(&shown.body, place, name))))
        .into();
    let address = format!("/exchanges/{id}/decide");
    let press = |browser: &mut Browser<'_>, option: &str| {
        browser.send(&address, &format!("{}&option={option}", carried.join("&")))
    };
    assert_eq!(press(&mut browser, "extend&time=10m").status, 303);
    assert_eq!(press(&mut browser, "extend&time=10m").status, 303, "sent twice: the same answer");
    let other = press(&mut browser, "abort");
    assert_eq!(other.status, 409, "{}", other.body);
    assert!(
        other.body.contains("role=\"alert\"") && other.body.contains("nothing was sent"),
        "{}",
        other.body
    );
    let again = browser.get(&address);
    assert_eq!((again.status, location(&again)), (303, format!("/exchanges/{id}")));
    let wrong = browser.get("/theme");
    assert_eq!(wrong.status, 405);
    assert!(wrong.body.contains("data-role=\"operator\""), "{}", wrong.body);
    assert!(wrong.body.contains("<h1>") && wrong.head.contains("content-security-policy"), "{}", wrong.head);
}
