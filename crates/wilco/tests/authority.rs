//! Who may what, at every door: role of the token × type of the content × what it sets × door. The rows come from the
//! catalogue: a new type has none, and does not compile here.

use serde_json::{Value, json};
use wilco_language::message::MessageType;
use wilco_server::{Role, Tokens};

use crate::mcp::client::{Client, words};
use crate::server::{Caller, Server, Setup};
use crate::sign_in::{Browser, secret};

const ROLES: [Role; 4] = [Role::ReadOnly, Role::Agent, Role::Orchestrator, Role::Operator];

/// Who of them may, in that order.
type Row = [bool; 4];

const NOT_READERS: Row = [false, true, true, true];
const ORCHESTRATORS: Row = [false, false, true, true];
const OPERATORS: Row = [false, false, false, true];

fn row(of: MessageType) -> Row {
    use MessageType as T;
    match of {
        T::PreOperation => ORCHESTRATORS,
        // None of them began a task of the failed agent.
        T::ReplacementRequest | T::ReplacementHandoff => OPERATORS,
        // Begins something, or counts by its sender's part in an exchange; from others it is talk.
        T::TaskAssignment
        | T::ValidationStart
        | T::HandoffOverride
        | T::TaskAcknowledgment
        | T::TaskAcknowledgmentError
        | T::TaskClarification
        | T::AckRequest
        | T::TaskCorrection
        | T::TaskSupplement
        | T::Verdict
        | T::CheckpointAck
        | T::StatusCheck
        | T::BeginNow
        | T::TaskComplete
        | T::TaskAmend
        | T::TaskCancel
        | T::StopAck
        | T::TaskPause
        | T::PauseAck
        | T::TaskResume
        | T::ResumeAck
        | T::TaskExtend
        | T::OperationNotice
        | T::Reminder
        | T::Acknowledgment
        | T::ExtensionGranted
        | T::TimeoutNotice
        | T::OperationAuthorized
        | T::OperationResult
        | T::PostOperation
        | T::OperationCancelled
        | T::OperationAborted
        | T::HandoffAck
        | T::HandoffClarification
        | T::HandoffReminder
        | T::HandoffCorrection
        | T::ReplacementConfirmation
        | T::ValidationRequest
        | T::ValidationResult
        | T::FailureReport
        | T::FixRequest
        | T::FixAcknowledgment
        | T::FixCompletion
        | T::RevalidationTrigger
        | T::RevalidationResult
        | T::SuccessNotification
        | T::TimeoutReminder
        | T::ErrorNotification
        | T::StatusChange
        | T::ProtocolNotice
        | T::Escalation
        | T::Decision
        | T::Conversation
        | T::Response
        | T::Update
        | T::Status
        | T::Report
        | T::Notification => NOT_READERS,
    }
}

/// A content as it is usually sent, without what other rows are about.
fn usual(of: MessageType) -> Vec<(Value, Row)> {
    let contents = of.entry().examples.iter().map(|example| {
        let mut content: Value = serde_json::from_str(example).unwrap();
        for key in ["policy", "execute", "issues", "pulls", "kind"] {
            content.as_object_mut().unwrap().remove(key);
        }
        (content, row(of))
    });
    contents.collect()
}

/// What a field changes about who may.
fn with_fields() -> Vec<(Value, Row)> {
    let operation = |execute: Value| json!({"type": "pre-operation", "operation": "restart", "message": "Soon.", "execute": execute});
    let validation = |specialist: &str| {
        let phases = json!([{"name": "unit", "specialist": specialist}]);
        json!({"type": "validation-start", "issue": "77", "main_agent": "bob", "phases": phases})
    };
    let quiet =
        json!({"type": "pre-operation", "operation": "x", "message": "x", "requires_acknowledgment": false});
    vec![
        (operation(json!("manual")), ORCHESTRATORS),
        (operation(json!("none")), ORCHESTRATORS),
        (quiet, ORCHESTRATORS),
        (operation(json!({"command": ["open", "--wipe", "/"]})), OPERATORS),
        (operation(json!({"command": ["fixed"]})), OPERATORS),
        (operation(json!({"command": ["theirs"]})), ORCHESTRATORS),
        (operation(json!({"command": ["nothing"]})), OPERATORS),
        (validation("tester"), NOT_READERS),
        (validation("cmd:open"), OPERATORS),
        (validation("cmd:theirs"), NOT_READERS),
    ]
}

/// A server that asks for tokens, and the cast of the examples.
fn server() -> Server {
    let config = "auth = \"required\"\n\
        [operation.commands]\nopen = \"/bin/true\"\n\
        [operation.commands.fixed]\nprogram = \"/bin/true\"\n\
        [operation.commands.theirs]\nprogram = \"/bin/true\"\nmay = [\"eve-agent\", \"eve-orchestrator\"]\n\
        [validation.commands]\nopen = \"/bin/true\"\n\
        [validation.commands.theirs]\nprogram = \"/bin/true\"\nmay = [\"eve-agent\", \"eve-orchestrator\"]\n";
    let server = Setup::new().config(config).start();
    let operator = server.with_token("root-1", Role::Operator);
    let eves = ROLES.map(name_of);
    let cast = ["alice", "bob", "carl", "dora", "boss", "worker", "tester"].map(str::to_owned);
    for name in cast.iter().chain(&eves) {
        assert_eq!(operator.put(&format!("/v1/agents/{name}"), &json!({})).0, 201, "{name}");
    }
    server
}

fn name_of(role: Role) -> String {
    format!("eve-{}", role.word())
}

/// To whom it is usually sent.
fn recipient(content: &Value) -> &'static str {
    match content["type"].as_str().unwrap() {
        "validation-start" => "validation-orchestrator",
        "replacement-request" => "wilco",
        "replacement-handoff" => "carl",
        _ => "bob",
    }
}

#[test]
fn sec_10_every_door_asks_the_same_table() {
    let server = server();
    let contents: Vec<_> = MessageType::ALL.iter().flat_map(|of| usual(*of)).chain(with_fields()).collect();
    for (place, role) in ROLES.into_iter().enumerate() {
        let token = secret(&server, &name_of(role), role);
        let caller = server.caller().token(&token);
        let mut mcp = Client::http(&server, &[("Authorization", &format!("Bearer {token}"))]);
        for (content, row) in &contents {
            let told = format!("{role:?}: {content}");
            let message = json!({"to": recipient(content), "content": content});
            let forbidden = over_http(&caller, &message, row[place], &told);
            let result = mcp.call("send_message", message);
            match forbidden {
                true => assert_eq!(result["isError"], true, "{told}: {result}"),
                false => assert!(!words(&result).contains("this token"), "{told}: {result}"),
            }
        }
    }
}

/// The tools that begin something say the same as the other doors.
#[test]
fn sec_10_a_tool_is_refused_with_the_reason_that_the_api_gives() {
    let server = server();
    let agent = secret(&server, &name_of(Role::Agent), Role::Agent);
    let mut mcp = Client::http(&server, &[("Authorization", &format!("Bearer {agent}"))]);
    let said = mcp.refused("start_operation", json!({"agents": ["bob"], "operation": "x", "message": "x"}));
    assert!(said.contains("only orchestrators and operators may begin operations"), "{said}");
    let orchestrator = secret(&server, &name_of(Role::Orchestrator), Role::Orchestrator);
    let mut mcp = Client::http(&server, &[("Authorization", &format!("Bearer {orchestrator}"))]);
    mcp.done("start_operation", json!({"agents": ["bob"], "operation": "x", "message": "x"}));
    let command =
        json!({"agents": ["bob"], "operation": "x", "message": "x", "execute": {"command": ["fixed"]}});
    let said = mcp.refused("start_operation", command);
    assert!(said.contains("only operators may run the command"), "{said}");
}

/// Says it at both doors of HTTP, which answer alike; whether it was forbidden.
fn over_http(caller: &Caller, message: &Value, may: bool, told: &str) -> bool {
    let (native, problem) = caller.post("/v1/messages", message);
    let (scripts, refusal) = caller.post("/api/messages", message);
    // What is not there, and a state that does not fit, is found out by those who may ask.
    assert_eq!((native == 403, scripts == 403), (!may, !may), "{told}: {problem} {refusal}");
    assert!(native != 401 && native < 500, "{told}: {problem}");
    if may {
        return false;
    }
    let detail = problem["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("operator"), "it names who may: {detail}");
    let says = |value: &Value| value.as_str().is_some_and(|text| text.contains(&detail));
    assert!(refusal.as_object().unwrap().values().any(says), "{told}: {refusal}");
    true
}

#[test]
fn sec_10_the_forms_of_the_dashboard_ask_the_same_table() {
    let server = server();
    let operation = |execute: &str| {
        let execute = execute.replace('{', "%7B").replace('}', "%7D").replace('"', "%22").replace(' ', "");
        ("/operations", format!("to=bob&operation=restart&message=Soon&execute={execute}"))
    };
    let rows = [
        (operation("manual"), ORCHESTRATORS),
        (operation("none"), ORCHESTRATORS),
        (("/exchanges", "to=bob&title=Login&task_id=T-1".to_owned()), NOT_READERS),
    ];
    for (place, role) in ROLES.into_iter().enumerate() {
        let mut browser = Browser::new(&server);
        browser.sign_in(&secret(&server, &name_of(role), role));
        let token = browser.form_token("/");
        for ((path, form), row) in &rows {
            let page = browser.send(path, &format!("token_of_form={token}&{form}"));
            assert_eq!(
                page.status == 403,
                !row[place],
                "{role:?} {path} {form}: {} {}",
                page.status,
                page.body
            );
        }
    }
}

/// `token role`: what a token may changes with its role, at once.
#[test]
fn sec_10_a_token_of_another_role_may_something_else() {
    let server = server();
    let tokens = Tokens::new(server.data.path());
    let made = tokens.create(wilco_protocol::Name::new("eve-agent"), Role::Agent).unwrap();
    let caller = server.caller().token(&made.secret);
    let operation =
        json!({"to": "bob", "content": {"type": "pre-operation", "operation": "x", "message": "x"}});
    assert_eq!(caller.post("/v1/messages", &operation).0, 403);
    tokens.change_role(&made.token.id, Role::Orchestrator).unwrap();
    assert_eq!(caller.post("/v1/messages", &operation).0, 201);
    tokens.change_role(&made.token.id, Role::ReadOnly).unwrap();
    assert_eq!(caller.post("/v1/messages", &operation).0, 403);
}
