//! What is played: five short delegations, an operation, a validation and a handoff.

use serde_json::{Value, json};
use wilco_language::message::MessageType;

use super::stage::Stage;

pub(crate) fn play(stage: &Stage) -> anyhow::Result<()> {
    for name in ["anna", "bob", "carl", "dora", "erik"] {
        stage.register(name, &["rust"])?;
    }
    stage.tell("anna plans. bob, carl, dora and erik work. None of them knows Wilco: each message teaches how to answer.");
    clean(stage)?;
    question(stage)?;
    misunderstanding(stage)?;
    silence(stage)?;
    escalation(stage)?;
    restart(stage)?;
    validation(stage)?;
    handoff(stage)
}

const LOGS: &str = "The logs of both formats are read, and the logs are written in the new format only";

/// Somebody vanishes in the middle of a task, and somebody else takes it up where it was left.
fn handoff(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("8. An agent vanishes, and its work goes on");
    let task = stage.delegate(
        "anna",
        "bob",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-6", "title": "Change the format of the logs",
            "acceptance_criteria": ["The logs of both formats are read", "The logs are written in the new format only"],
        }),
    )?;
    stage.hear("bob", MessageType::TaskAssignment)?;
    stage.say("bob", &task, received("GH-6", LOGS))?;
    report(stage, &task, 1, "Both formats are read")?;
    stage.tell("bob works on GH-6 and reaches checkpoint 1: both formats are read. Then he vanishes.");
    let id = stage.operate(
        "anna",
        &["wilco"],
        json!({
            "type": MessageType::ReplacementRequest, "failed_agent": "bob", "replacement_agent": "carl",
            "reason": "a lost context",
        }),
    )?;
    stage.tell("anna asks carl to take over. Wilco stops the clock of GH-6 and writes down where it stands.");
    let told = stage.hear("carl", MessageType::ReplacementHandoff)?;
    stage.tell("carl gets the document: the task, what bob reached, what was said, and his first step.");
    let named = text(&told.content["handoff_id"]);
    let ack = |from: &str| {
        format!("[ACK] {named} - READY_TO_PROCEED\nUnderstanding: {LOGS}\nStarting from: {from}")
    };
    let state = stage.reply("carl", &told, &ack("the beginning"))?;
    stage.tell(&format!("carl would begin from the beginning, where bob is at checkpoint 1: {state}."));
    stage.hear("carl", MessageType::HandoffCorrection)?;
    let state = stage.reply("carl", &told, &ack("checkpoint-1"))?;
    stage.tell(&format!("carl acknowledges again, from checkpoint 1: {state}. bob is out. ({id})"));
    stage.hear("carl", MessageType::TaskAssignment)?;
    let state = stage.say("carl", &task, received("GH-6", LOGS))?;
    stage.tell(&format!("Only now GH-6 is carl's, who repeats it in his words: {state}."));
    complete(stage, "carl", &task)?;
    stage.tell("carl is done, and nothing was done twice.");
    Ok(())
}

/// A check fails, is fixed, and passes in the second iteration.
fn validation(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("7. Failures go round until they pass");
    let id = stage.operate(
        "anna",
        &["validation-orchestrator"],
        json!({
            "type": MessageType::ValidationStart, "issue": "GH-1", "feature": "Login page", "main_agent": "bob",
            "phases": [{"name": "unit", "specialist": "dora", "expected_outcome": "All tests pass"}],
        }),
    )?;
    stage.tell("anna lets dora check GH-1, and bob fix what she finds.");
    stage.hear("dora", MessageType::ValidationRequest)?;
    let failure = json!({
        "location": "src/login.rs:31", "error": "expected 401, got 200", "suggestion": "check the password",
    });
    stage.say(
        "dora",
        &id,
        json!({"type": MessageType::ValidationResult, "status": "FAIL", "failures": [failure]}),
    )?;
    stage.tell("dora finds a failure: a wrong password is let in.");
    stage.hear("bob", MessageType::FixRequest)?;
    let fixed = json!({"type": MessageType::FixCompletion, "fixes": ["The password is checked"], "files": ["src/login.rs"]});
    let state = stage.say("bob", &id, fixed)?;
    stage.tell(&format!("bob gets it with her suggestion and fixes it: {state}."));
    stage.hear("dora", MessageType::RevalidationTrigger)?;
    let state = stage.say("dora", &id, json!({"type": MessageType::RevalidationResult, "status": "PASS"}))?;
    stage.tell(&format!("dora checks again, in iteration 2 of 5, and it passes: {state}. ({id})"));
    Ok(())
}

/// A rolling restart of three agents: one is ready, one asks for more time, one is silent.
fn restart(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("6. Nobody is restarted unprepared");
    let id = stage.operate(
        "anna",
        &["bob", "carl", "erik"],
        json!({
            "type": MessageType::PreOperation, "operation": "restart", "message": "I will restart you one after the other.",
            "quorum": "majority", "acknowledgment_timeout": "2s", "max_extension": "2s",
            "execute": {"command": ["restart-agent", "--version"]},
        }),
    )?;
    stage.tell(
        "anna announces a restart to bob, carl and erik. A majority must be ready. Here they have 2 seconds.",
    );
    let asked = stage.hear("bob", MessageType::PreOperation)?;
    stage.reply("bob", &asked, "ok, everything is saved")?;
    stage.tell("bob answers in plain words: \"ok, everything is saved\".");
    let asked = stage.hear("carl", MessageType::PreOperation)?;
    stage.reply("carl", &asked, "not yet, I am writing a file")?;
    stage.hear("carl", MessageType::ExtensionGranted)?;
    stage.tell("carl writes \"not yet\" and gets more time, once.");
    stage.hear("erik", MessageType::TimeoutNotice)?;
    stage.tell("erik was reminded and stays silent. His time is up, which is noted.");
    stage.reply("carl", &asked, "ready now")?;
    stage.hear("carl", MessageType::OperationAuthorized)?;
    stage.tell("carl is ready. Two of three are a majority: the command runs for one after the other.");
    let told = stage.hear("bob", MessageType::PostOperation)?;
    stage.tell(&format!("Everybody hears how it went: {}. ({id})", text(&told.content["outcome"])));
    Ok(())
}

const LOGIN: &str =
    "Add a login page with a form for name and password, with tests that cover wrong passwords";

fn clean(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("1. A task is understood, then done");
    let id = stage.delegate(
        "anna",
        "bob",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-1", "title": "Add a login page",
            "acceptance_criteria": ["A form for name and password", "Tests cover wrong passwords"],
        }),
    )?;
    stage.tell("anna delegates GH-1 to bob: add a login page.");
    let task = stage.hear("bob", MessageType::TaskAssignment)?;
    stage.tell("bob gets it with instructions: the task is his only after he says what he understood.");
    let state = stage.reply("bob", &task, &format!("[ACK] GH-1 - RECEIVED\nUnderstanding: {LOGIN}"))?;
    stage.tell(&format!("bob replies \"[ACK] GH-1 - RECEIVED\" and repeats the task in his words: {state}."));
    report(stage, &id, 1, "The form works")?;
    stage.tell("bob reports checkpoint 1: the form works.");
    complete(stage, "bob", &id)?;
    stage.tell("bob is done, and anna gets a notice with the durations.");
    Ok(())
}

fn question(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("2. A question is answered first");
    let id = stage.delegate(
        "anna",
        "carl",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-2", "title": "Translate the help page",
            "acceptance_criteria": ["The help page is translated"],
        }),
    )?;
    stage.tell("anna delegates GH-2 to carl: translate the help page.");
    stage.hear("carl", MessageType::TaskAssignment)?;
    let asked = json!({
        "type": MessageType::TaskAcknowledgment, "task_id": "GH-2", "status": "needs-clarification",
        "questions": ["Into which language should the help page be translated?"],
    });
    let state = stage.say("carl", &id, asked)?;
    stage.tell(&format!("carl asks: into which language? The task is {state} and not his yet."));
    stage.say("anna", &id, json!({"type": MessageType::TaskClarification, "answers": ["Into French"]}))?;
    stage.tell("anna answers: into French. carl is asked again to acknowledge.");
    stage.hear("carl", MessageType::TaskClarification)?;
    let state = stage.say("carl", &id, received("GH-2", "Translate the help page into French"))?;
    stage.tell(&format!("carl acknowledges: {state}."));
    complete(stage, "carl", &id)?;
    stage.tell("carl is done.");
    Ok(())
}

fn misunderstanding(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("3. A misunderstanding is found before work begins");
    let id = stage.delegate(
        "anna",
        "bob",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-3", "title": "Remove the old search index",
            "acceptance_criteria": ["The old search index is removed", "The new search index stays"],
        }),
    )?;
    stage.tell("anna delegates GH-3 to bob: remove the old search index.");
    stage.hear("bob", MessageType::TaskAssignment)?;
    let state = stage.say("bob", &id, received("GH-3", "Rebuild the search index from scratch"))?;
    stage.tell(&format!(
        "bob acknowledges: \"Rebuild the search index from scratch.\" That is doubtful: {state}."
    ));
    let verdict = json!({
        "type": MessageType::Verdict, "verdict": "wrong-summary",
        "correction": "Remove the old search index; the new search index stays",
    });
    stage.say("anna", &id, verdict)?;
    stage.tell("anna's verdict: wrong summary. bob is sent what is right beside what he wrote.");
    stage.hear("bob", MessageType::TaskCorrection)?;
    let mut state = stage.say(
        "bob",
        &id,
        received("GH-3", "The old search index is removed, the new search index stays"),
    )?;
    if state == "in-review" {
        state = stage.say("anna", &id, json!({"type": MessageType::Verdict, "verdict": "correct"}))?;
    }
    stage.tell(&format!("bob acknowledges again, this time rightly: {state}."));
    complete(stage, "bob", &id)?;
    stage.tell("bob is done, and no work was wasted.");
    Ok(())
}

fn silence(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("4. Silence leads to another agent");
    let id = stage.delegate(
        "anna",
        "dora",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-4", "title": "Update the licence year",
            "candidates": ["carl"],
            "policy": {"ack_timeout": "2s", "retry_timeouts": ["1s"]},
        }),
    )?;
    stage.tell(
        "anna delegates GH-4 to dora, carl is the next candidate. Here silence counts after 2 seconds.",
    );
    stage.hear("dora", MessageType::AckRequest)?;
    stage.tell("dora has not answered. She gets a request to acknowledge, and one more second.");
    stage.hear("carl", MessageType::TaskAssignment)?;
    stage.tell("Still silence: dora is marked unresponsive, an incident is recorded, carl gets the task.");
    stage.hear("dora", MessageType::TaskCancel)?;
    stage.tell("dora is told to stop, so that the task never has two assignees.");
    let state = stage.say("carl", &id, received("GH-4", "Update the licence year"))?;
    stage.tell(&format!("carl acknowledges: {state}."));
    complete(stage, "carl", &id)?;
    stage.tell("carl is done.");
    Ok(())
}

fn escalation(stage: &Stage) -> anyhow::Result<()> {
    stage.scene("5. When nobody is left, somebody decides");
    let id = stage.delegate(
        "anna",
        "erik",
        json!({
            "type": MessageType::TaskAssignment, "task_id": "GH-5", "title": "Restart the nightly build",
            "policy": {"ack_timeout": "2s", "retry_timeouts": ["1s"]},
        }),
    )?;
    stage.tell("anna delegates GH-5 to erik, with nobody else in line.");
    let asked = stage.hear("anna", MessageType::Escalation)?;
    let escalation = asked.content["escalation"].clone();
    stage.tell(&format!(
        "erik stays silent. Nothing gets stuck: anna gets escalation {} with her options.",
        text(&escalation)
    ));
    let decision = json!({"type": MessageType::Decision, "escalation": escalation, "option": "reassign", "agent": "bob"});
    let state = stage.say("anna", &id, decision)?;
    stage.tell(&format!("anna decides to reassign it to bob: {state}."));
    stage.hear("bob", MessageType::TaskAssignment)?;
    let state = stage.say("bob", &id, received("GH-5", "Restart the nightly build"))?;
    stage.tell(&format!("bob acknowledges: {state}."));
    complete(stage, "bob", &id)?;
    stage.tell("bob is done.");
    Ok(())
}

pub(crate) fn received(task: &str, understanding: &str) -> Value {
    json!({
        "type": MessageType::TaskAcknowledgment, "task_id": task, "status": "received", "understanding": understanding,
    })
}

fn report(stage: &Stage, id: &str, checkpoint: u32, summary: &str) -> anyhow::Result<()> {
    let content = json!({"type": MessageType::CheckpointAck, "checkpoint": checkpoint, "status": "done", "summary": summary});
    stage.say("bob", id, content).map(drop)
}

fn complete(stage: &Stage, agent: &str, id: &str) -> anyhow::Result<()> {
    let state = stage.say(agent, id, json!({"type": MessageType::TaskComplete, "message": "Done"}))?;
    anyhow::ensure!(state == "completed", "expected completed, got {state}");
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
