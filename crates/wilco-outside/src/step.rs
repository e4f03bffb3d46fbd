//! Running the command of an operation for one agent, or the check of a phase: a configured program, no shell, nothing on its
//! standard input, bounded in time; the end of what it prints is kept.

use std::collections::BTreeMap;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::sleep;
use wilco_protocol::Span;
use wilco_protocol::operation::StepEnd;

use crate::command::{Group, inherited};
use crate::left_running;

/// What is printed beyond this is forgotten, the oldest first.
const MAX_PRINTED: usize = 64 << 10;
/// How long what a program left running in the background may hold its output open.
const AFTERMATH: Duration = Duration::from_millis(500);

/// An absolute program, and the server's variables that it inherits. Its arguments come with the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepProgram {
    pub program: String,
    pub env: Vec<String>,
}

#[derive(Deserialize)]
struct Payload {
    command: String,
    arguments: Vec<String>,
    problem: Option<String>,
    time_limit: Span,
    /// What it finds in its environment besides what it inherits.
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

/// Runs it; whatever goes wrong, the step has failed and says why.
pub(crate) async fn run(
    commands: &BTreeMap<String, StepProgram>,
    payload: &serde_json::Value,
    tag: &str,
) -> StepEnd {
    let payload: Payload = match serde_json::from_value(payload.clone()) {
        Ok(payload) => payload,
        Err(error) => return failed(format!("the order cannot be read: {error}")),
    };
    if let Some(problem) = payload.problem {
        return failed(problem);
    }
    let Some(StepProgram { program, env }) = commands.get(&payload.command) else {
        return failed(format!("the command {:?} is not configured any more", payload.command));
    };
    let spawned = Command::new(program)
        .args(&payload.arguments)
        .env_clear()
        .envs(inherited(env))
        .envs(&payload.environment)
        .env(left_running::VARIABLE, tag)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    match spawned {
        Ok(child) => watch(child, payload.time_limit).await,
        Err(error) => failed(format!("cannot start {program}: {error}")),
    }
}

fn failed(reason: String) -> StepEnd {
    StepEnd { exit_code: None, stdout: String::new(), stderr: String::new(), failure: Some(reason) }
}

/// Follows a program until it ends, or its time is up and its whole group with it.
async fn watch(mut child: Child, limit: Span) -> StepEnd {
    let mut group = Group::of(&child);
    let (mut out, mut err) = (Tail::of(child.stdout.take()), Tail::of(child.stderr.take()));
    let mut patience = Box::pin(sleep(Duration::from_millis(limit.as_millis())));
    let mut ended: Option<std::io::Result<ExitStatus>> = None;
    let mut overdue = false;
    while ended.is_none() || out.open() || err.open() {
        tokio::select! {
            () = out.read(), if out.open() => {}
            () = err.read(), if err.open() => {}
            status = child.wait(), if ended.is_none() => {
                ended = Some(status);
                patience = Box::pin(sleep(AFTERMATH));
            }
            () = &mut patience => {
                if ended.is_some() {
                    break;
                }
                overdue = true;
                group.end();
                patience = Box::pin(sleep(AFTERMATH));
            }
        }
    }
    group.leave();
    let (exit_code, failure) = match ended {
        _ if overdue => (None, Some(format!("it did not end within {limit}"))),
        Some(Ok(status)) => (status.code(), status.code().is_none().then(|| status.to_string())),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, Some("it was left".to_owned())),
    };
    StepEnd { exit_code, stdout: out.text(), stderr: err.text(), failure }
}

/// The end of what is printed.
struct Tail<R> {
    pipe: Option<R>,
    kept: Vec<u8>,
    chunk: Box<[u8; 8192]>,
}

impl<R: AsyncRead + Unpin> Tail<R> {
    fn of(pipe: Option<R>) -> Tail<R> {
        Tail { pipe, kept: Vec::new(), chunk: Box::new([0; 8192]) }
    }

    fn open(&self) -> bool {
        self.pipe.is_some()
    }

    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut self.chunk[..]).await {
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => {
                self.kept.extend_from_slice(&self.chunk[..count]);
                let surplus = self.kept.len().saturating_sub(MAX_PRINTED);
                self.kept.drain(..surplus);
            }
        }
    }

    /// As text, within the bound also where bytes are no text.
    fn text(self) -> String {
        let text = String::from_utf8_lossy(&self.kept).into_owned();
        let surplus = text.len().saturating_sub(MAX_PRINTED);
        let start = (surplus..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text[start..].to_owned()
    }
}
