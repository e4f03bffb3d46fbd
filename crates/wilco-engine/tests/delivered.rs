//! What reaches an inbox.

use serde_json::json;

use crate::realm::{Realm, said};

#[test]
fn del_4_a_task_with_an_empty_text_is_delivered_with_its_title() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    for (message, task) in [("", "T-1"), (" \n ", "T-2")] {
        let fields = json!({"task_id": task, "title": "Add a login page", "message": message});
        realm.send(&said("boss", "worker", "task-assignment", fields));
        let got = realm.newest("worker")["content"]["message"].as_str().unwrap().to_owned();
        assert!(got.starts_with(&format!("## Task: {task} Add a login page")), "{got}");
    }
}
