//! Reaching a person about an escalation by a configured program.

use serde_json::Value;
use wilco_protocol::decision::Report;

use crate::Outcome;
use crate::command::{Program, run};

/// The escalation goes to the program's standard input as JSON.
pub(crate) async fn call(program: Option<&Program>, escalation: u32, payload: &Value) -> Outcome {
    let Some(program) = program else {
        return Outcome::Reported(Report::HumanCalled { escalation, reached: false });
    };
    match run(program, &payload.to_string()).await {
        Ok(_) => Outcome::Reported(Report::HumanCalled { escalation, reached: true }),
        Err(reason) => Outcome::NotYet { reason },
    }
}
