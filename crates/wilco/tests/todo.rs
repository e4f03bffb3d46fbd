//! What waits for an agent, through the doors: who may look, and how a model sees it.

use serde_json::json;
use wilco_server::Role;

use crate::server::{Server, Setup, task};

#[test]
fn talk_30_the_list_is_for_its_agent_and_an_unknown_one_has_none() {
    let server = Setup::new().config("auth = \"required\"").start();
    let operator = server.with_token("root", Role::Operator);
    operator.register(&["boss", "worker"]);
    let [boss, worker] = ["boss", "worker"].map(|name| server.with_token(name, Role::Agent));
    let id = boss.begin(&task("GH-1"));
    for caller in [&worker, &operator] {
        let (status, list) = caller.get("/v1/agents/worker/todo");
        assert_eq!(status, 200, "{list}");
        let fields: Vec<_> = list["items"][0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, ["kind", "exchange", "task_id", "from", "due", "asked", "answer"]);
        assert_eq!(list["items"][0]["exchange"], json!(id));
        assert_eq!(list.as_object().unwrap().len(), 1);
    }
    assert_eq!(worker.get("/v1/agents/boss/todo").0, 404);
    assert_eq!(operator.get("/v1/agents/nobody/todo").0, 404);
    assert_eq!(operator.get("/v1/agents/worker/todo?limit=1").0, 400);
}

#[test]
fn talk_30_the_answer_names_a_server_that_is_not_at_the_usual_address() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-1"));
    let (_, list) = server.get("/v1/agents/worker/todo");
    let answer = list["items"][0]["answer"].as_str().unwrap();
    assert!(answer.contains(&format!(" --as worker --url http://{}", server.address())), "{answer}");
}
