//! What most scenes need: agents, a task, an answer, a look at what came of it.

use serde_json::{Value, json};

use super::Caller;
use wilco_testkit::scene::{ack, task};

/// The pointers of a problem's wrong fields.
pub(crate) fn pointers(problem: &Value) -> Vec<&str> {
    problem["errors"].as_array().into_iter().flatten().filter_map(|error| error["pointer"].as_str()).collect()
}

/// Asks again and again until it is so, and not for ever. The fact asks the server, which takes time.
pub(crate) fn until(what: &str, fact: impl Fn() -> bool) {
    assert!((0..5000).any(|_| fact()), "never: {what}");
}

/// The same for what takes its time, however often it is asked meanwhile.
pub(crate) fn in_time(what: &str, fact: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !fact() {
        assert!(began.elapsed() < IN_TIME, "never: {what}");
        std::thread::yield_now();
    }
}

const IN_TIME: std::time::Duration = std::time::Duration::from_secs(60);

impl Caller {
    /// Registers agents by their names alone.
    pub(crate) fn register(&self, names: &[&str]) {
        for name in names {
            let (status, body) = self.put(&format!("/v1/agents/{name}"), &json!({}));
            assert!(status == 201 || status == 200, "{status} {body}");
        }
    }

    /// Registers somebody who is taught to answer by this.
    pub(crate) fn speaks(&self, name: &str, interface: &str) {
        let (status, body) = self.put(&format!("/v1/agents/{name}"), &json!({"speaks": interface}));
        assert!(status == 201 || status == 200, "{status} {body}");
    }

    /// Sends what must be accepted.
    pub(crate) fn send(&self, message: &Value) -> Value {
        let (status, body) = self.post("/v1/messages", message);
        assert_eq!(status, 201, "{message} was refused: {body}");
        body
    }

    /// Sends what must be refused with this status.
    pub(crate) fn refused(&self, message: &Value, expected: u16) -> Value {
        let (status, body) = self.post("/v1/messages", message);
        assert_eq!(status, expected, "{message} got {body}");
        assert_eq!(body["status"], expected, "not a problem document: {body}");
        assert!(body["type"].is_string() && body["title"].is_string() && body["detail"].is_string());
        body
    }

    /// Begins a delegation; returns the id of its exchange.
    pub(crate) fn begin(&self, message: &Value) -> String {
        self.send(message)["exchange"]["id"].as_str().unwrap().to_owned()
    }

    /// A delegation that is being worked on.
    pub(crate) fn begin_working(&self, task_id: &str) -> String {
        self.register(&["boss", "worker"]);
        let id = self.begin(&task(task_id));
        assert_eq!(self.send(&ack(task_id))["exchange"]["state"], "working");
        id
    }

    pub(crate) fn exchange(&self, id: &str) -> Value {
        let (status, body) = self.get(&format!("/v1/exchanges/{id}"));
        assert_eq!(status, 200, "{body}");
        body
    }

    pub(crate) fn state(&self, id: &str) -> String {
        self.exchange(id)["state"].as_str().unwrap().to_owned()
    }

    /// Everything in an inbox, oldest first.
    pub(crate) fn inbox(&self, agent: &str) -> Vec<Value> {
        let (mut items, mut after) = (Vec::new(), "0".to_owned());
        loop {
            // A page ends at so many bytes; only an empty one is the last.
            let body = self.get_text(&format!("/v1/agents/{agent}/inbox?limit=1000&after={after}"));
            assert_eq!(body.0, 200, "{}", body.1);
            let page: Value = serde_json::from_str(&body.1).unwrap();
            let found = page["items"].as_array().unwrap();
            if found.is_empty() {
                return items;
            }
            items.extend(found.iter().cloned());
            after = page["next"].as_str().unwrap().to_owned();
        }
    }

    /// The types of what is in an inbox.
    pub(crate) fn kinds(&self, agent: &str) -> Vec<String> {
        let kind = |message: &Value| message["content"]["type"].as_str().unwrap_or("").to_owned();
        self.inbox(agent).iter().map(kind).collect()
    }

    /// The newest message in an inbox.
    pub(crate) fn newest(&self, agent: &str) -> Value {
        self.inbox(agent).pop().unwrap_or(Value::Null)
    }

    /// Every event there is.
    pub(crate) fn events(&self) -> Vec<Value> {
        let (mut all, mut after) = (Vec::new(), "0".to_owned());
        loop {
            let (status, page) = self.get(&format!("/v1/events?limit=1000&after={after}"));
            assert_eq!(status, 200, "{page}");
            let items = page["items"].as_array().unwrap();
            if items.is_empty() {
                return all;
            }
            all.extend(items.iter().cloned());
            after = page["next"].as_str().unwrap().to_owned();
        }
    }

    /// Until a call that another thread makes on behalf of this agent has reached the server.
    pub(crate) fn until_seen(&self, agent: &str) {
        let path = format!("/v1/agents/{agent}");
        until("it called", || !self.get(&path).1["last_seen"].is_null());
    }

    /// Moves the test clock; returns what it shows then.
    pub(crate) fn advance(&self, by: &str) -> String {
        let (status, body) = self.post("/v1/test/clock", &json!({"advance": by}));
        assert_eq!(status, 200, "{body}");
        body["now"].as_str().unwrap().to_owned()
    }

    /// The journal is whole, and positions have no gap but for those that a restore tells of.
    pub(crate) fn verify(&self) {
        let (status, body) = self.get("/v1/audit/verify");
        assert_eq!((status, &body["ok"]), (200, &json!(true)), "{body}");
        let events = self.events();
        // The courier may report something in between.
        let verified = body["events"].as_u64().unwrap() as usize;
        assert!((1..=events.len()).contains(&verified), "{verified} verified, {} there", events.len());
        let mut before = 0;
        for event in &events {
            let follows = event["data"]["follows"].as_u64().filter(|_| event["type"] == "server-restored");
            let position = event["position"].as_u64().unwrap();
            assert_eq!(follows.unwrap_or(position - 1), before, "a gap at {event}");
            before = position;
        }
    }
}
