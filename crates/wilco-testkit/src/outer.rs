//! The checks of what takes bytes outside the language: requests, and files that others write. As in `checks`, each
//! takes any bytes and panics when something does not hold.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use wilco_engine::Settings;
use wilco_engine::reads::Row;
use wilco_outside::{Outside, edited, replacements_in};
use wilco_protocol::handoff::{Party, Repetition, Replacement, StateFileOrder};
use wilco_protocol::{Name, Span, Time};
use wilco_runtime::{Clock, WriterStart, start};
use wilco_server::mcp::examined;
use wilco_server::{Config, Limits, Sessions, Tokens, answer_to, page};
use wilco_store::{Exported, Memory, genesis, link, verify_export};

/// A check and the name of its target.
type Check = (&'static str, fn(&[u8]));

/// Every check there is.
pub const CHECKS: [Check; 7] = [
    ("config", config),
    ("cursor", cursor),
    ("request", request),
    ("arguments", arguments),
    ("state_file", state_file),
    ("audit_file", audit_file),
    ("export", export),
];

/// A configuration file, and behind a NUL variables, one a line. What is wrong is placed; what is read can be written
/// down and read again.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (file, variables) = text.split_once('\0').unwrap_or((text, ""));
    let variables = variables.lines().filter_map(|line| line.split_once('='));
    let variables: Vec<_> = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let rows = match wilco::effective(file, &variables) {
        Ok(rows) => rows,
        Err(wrong) => {
            let said = format!("{wrong:#}");
            let places = ["wilco.toml", "environment variable ", "policy."];
            assert!(places.iter().any(|place| said.contains(place)), "no place: {said}");
            let quoted = text.contains("$__");
            return assert!(quoted || !said.contains("$__"), "a name that nobody wrote: {said}");
        }
    };
    let mut table = toml::Table::new();
    for (key, value) in rows.iter().filter(|(key, value)| !value.is_null() && key != "nudge.secret") {
        put(&mut table, &segments(key), value);
    }
    // A preset may have no key of its own.
    for (key, name) in
        rows.iter().filter_map(|(key, value)| Some((key.strip_suffix(".preset")?, value.as_str()?)))
    {
        let path: Vec<_> = key.split('.').chain([name]).collect();
        if !rows.iter().any(|(key, _)| key.starts_with(&(path.join(".") + "."))) {
            put(&mut table, &path, &Value::Object(serde_json::Map::new()));
        }
    }
    let written = toml::to_string(&table).expect("a table of keys can be written");
    // What only makes sense with the secret is not asked for without it.
    if rows.iter().any(|(key, value)| key == "nudge.secret" && value != "") {
        return;
    }
    let again = wilco::effective(&written, &[]).unwrap_or_else(|wrong| panic!("{wrong:#} in\n{written}"));
    assert_eq!(plain(again), plain(rows), "{written}");
}

/// The same duration may be written in several ways.
fn plain(rows: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let span = |value: &Value| value.as_str().and_then(|text| text.parse::<Span>().ok());
    let rows = rows.into_iter().map(|(key, value)| {
        let value = span(&value).map_or(value, |span| span.to_string().into());
        (key, value)
    });
    rows.collect()
}

/// The tables that a key stands in, and its name. Programs and presets may be called anything.
fn segments(key: &str) -> Vec<&str> {
    for programs in ["operation.commands", "validation.commands", "nudge.commands"] {
        if let Some(name) = key.strip_prefix(programs).and_then(|rest| rest.strip_prefix('.')) {
            return programs.split('.').chain([name]).collect();
        }
    }
    match key.splitn(3, '.').collect::<Vec<_>>().as_slice() {
        ["policy", protocol, rest] => match rest.rsplit_once('.') {
            Some((preset, key)) => vec!["policy", protocol, preset, key],
            None => vec!["policy", protocol, rest],
        },
        _ => key.split('.').collect(),
    }
}

fn put(table: &mut toml::Table, path: &[&str], value: &Value) {
    let [name, rest @ ..] = path else { return };
    if rest.is_empty() {
        let value = toml::Value::try_from(value).expect("a value of the configuration");
        table.insert((*name).to_owned(), value);
    } else {
        let below = table.entry((*name).to_owned()).or_insert_with(|| toml::Table::new().into());
        put(below.as_table_mut().expect("a table"), rest, value);
    }
}

/// The query of a page, or a cursor alone. What is taken is within its bounds, and a cursor is what it was.
pub fn cursor(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let most = Duration::from_secs(60);
    match page(text, most) {
        Ok((after, limit, wait)) => {
            assert!((1..=1000).contains(&limit) && wait.is_none_or(|wait| wait <= most));
            if let Some(after) = after {
                assert_eq!(page(&format!("after={after}"), most), Ok((Some(after), 50, None)));
            }
        }
        Err(detail) => assert!(!detail.is_empty(), "refused without a reason"),
    }
    if let Ok(row) = text.parse::<Row>() {
        assert_eq!(row.to_string().parse(), Ok(row));
    }
}

/// A request: `METHOD target`, headers, an empty line, the body. Whatever it is, it is answered; what is refused says
/// why, and nothing is the server's fault. Each line of a batch has its answer. The server is a new one, and readers
/// find nothing in it.
pub fn request(bytes: &[u8]) {
    let Some(request) = read(bytes) else { return };
    let path = request.uri().path().to_owned();
    let kind = request.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let post = request.method() == http::Method::POST;
    let batch = post && path == "/v1/messages" && kind.split(';').next().is_some_and(is_ndjson);
    let lines =
        request.body().strip_suffix(b"\n").unwrap_or(request.body()).split(|byte| *byte == b'\n').count();
    let empty = request.body().is_empty();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answer = runtime.block_on(async {
        let handle = start(WriterStart {
            store: Memory::new(),
            readers: Box::new(|| Ok(Box::new(Memory::new()))),
            search: None,
            settings: Settings::default(),
            outside: Outside::default(),
            clock: Clock::test(Time::from_millis(1)),
            last_alive: None,
            test_clock: None,
            version: "0".to_owned(),
        });
        let handle = handle.expect("a server over an empty store");
        let answer = answer_to(handle.clone(), doors(), request).await;
        handle.stop().await;
        answer
    });
    runtime.shutdown_background();
    let status = answer.status().as_u16();
    assert!(status < 500 || status == 501, "{status}: {answer:?}");
    let Some(body) = answer.body() else { return };
    if status >= 400 && path != "/mcp" {
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let reason = [&problem["detail"], &problem["message"]].into_iter().find_map(Value::as_str);
        assert!(reason.is_some_and(|reason| !reason.is_empty()), "refused without a reason: {answer:?}");
    }
    if batch && status == 200 {
        let answers: Vec<_> = body.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(answers.len(), if empty { 0 } else { lines });
        for line in answers {
            let line: Value = serde_json::from_slice(line).expect("a line of JSON");
            assert!(line["status"] == 201 || line["problem"]["detail"].is_string(), "{line}");
        }
    }
}

fn is_ndjson(kind: &str) -> bool {
    kind.trim().eq_ignore_ascii_case("application/x-ndjson")
}

fn read(bytes: &[u8]) -> Option<http::Request<Vec<u8>>> {
    let end = bytes.windows(2).position(|two| two == b"\n\n");
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 2..]));
    let mut lines = std::str::from_utf8(head).ok()?.lines();
    let (method, target) = lines.next()?.split_once(' ')?;
    let mut request = http::Request::builder().method(method).uri(target).header("host", "h");
    for line in lines {
        let (name, value) = line.split_once(':')?;
        request = request.header(name, value.trim());
    }
    request.body(body.to_vec()).ok()
}

fn doors() -> Config {
    Config {
        hosts: vec!["h".to_owned()],
        origins: Vec::new(),
        auth_required: false,
        tokens: Tokens::new(Path::new("/nonexistent")),
        sessions: Sessions::open(Path::new("/nonexistent")),
        limits: Limits { wait: Duration::ZERO, ..Limits::default() },
        patience: Duration::ZERO,
        version: "0".to_owned(),
        url: "http://h".to_owned(),
        default_sender: Name::new("operator"),
        configured: Vec::new(),
    }
}

/// The name of a tool of MCP, and its arguments. What is wrong has a place and says what would be right.
pub fn arguments(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Some((tool, given)) = text.split_once(' ') else { return };
    let Ok(given) = serde_json::from_str::<Map<String, Value>>(given) else { return };
    for wrong in examined(tool, given).into_iter().flatten() {
        assert!(wrong.pointer.starts_with('/') && !wrong.detail.is_empty(), "{wrong:?}");
    }
}

/// The state file of an orchestrator. What is wrong names a line; an order that was carried out changes nothing when it
/// comes again.
pub fn state_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for order in [moved(), repeated(false), repeated(true)] {
        match edited(text, &order) {
            Ok(once) => assert_eq!(edited(&once, &order).as_ref(), Ok(&once), "{text}"),
            Err((line, problem)) => {
                // In YAML a carriage return alone ends a line too.
                let lines = 1 + text.matches(['\n', '\r']).count();
                assert!(!problem.is_empty() && (1..=lines + 1).contains(&line), "{line}: {problem}");
            }
        }
    }
}

fn moved() -> StateFileOrder {
    let party = |id: &str| Party { id: id.to_owned(), session: format!("{id}'s"), github: None };
    StateFileOrder::Replace(Box::new(Replacement {
        failed: party("implementer-1"),
        replacement: party("implementer-2"),
        reason: "context: loss # 1".to_owned(),
        at: Time::from_millis(1),
        handoff_id: "handoff-1".to_owned(),
        handoff_url: "https://example.org/#1".to_owned(),
        tasks: ["task-uuid-12345", "t-3"].map(str::to_owned).into(),
        replacement_status: None,
        note: "Inherited".to_owned(),
    }))
}

fn repeated(verified: bool) -> StateFileOrder {
    let task = "task-uuid-12345".to_owned();
    StateFileOrder::Repeat(Repetition { task, attempts: 2, at: Time::from_millis(1), verified })
}

/// The audit file of handoffs: counted item by item, so that nothing hides the one that follows it.
pub fn audit_file(bytes: &[u8]) {
    let report = replacements_in(bytes);
    assert!(report.recent.len() as u64 == report.total.min(10));
    assert!(report.successful + report.failed + report.partial <= report.total);
    assert!(report.unreadable.iter().all(|unread| unread.problem.starts_with("line ")), "{report:?}");
    if bytes.starts_with(b"- ") {
        let more = replacements_in(&[bytes, b"\n- outcome: failed\n"].concat());
        assert_eq!((more.total, more.failed), (report.total + 1, report.failed + 1), "{more:?}");
    }
}

/// A file of exported events: any is checked to its end; one that was written is whole in both forms, and no other
/// byte in its events is.
pub fn export(bytes: &[u8]) {
    let _ = verify_export(bytes);
    let text = String::from_utf8_lossy(bytes);
    let mut previous = genesis();
    let events = (1..).zip(text.split('\0')).map(|(position, said)| {
        let bytes = json!({"type": "x", "data": {"text": said}}).to_string().into_bytes();
        let hash = link(&previous, position, &bytes);
        Exported { position, bytes, previous: std::mem::replace(&mut previous, hash), hash }
    });
    let events: Vec<_> = events.collect();
    for form in [Exported::line, Exported::yaml] {
        let file: String = events.iter().map(|event| form(event) + "\n").collect();
        let whole = verify_export(file.as_bytes()).expect("what was written is whole");
        assert_eq!((whole.events, whole.head), (events.len() as u64, previous));
        assert!(verify_export(file.replacen(r#""x""#, r#""y""#, 1).as_bytes()).is_err());
    }
}
