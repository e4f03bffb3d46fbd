//! Running a configured program: no shell, JSON on its standard input, bounded in time and output.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub argv: Vec<String>,
}

/// Output beyond this is not read.
const MAX_OUTPUT: u64 = 64 << 10;

/// What a program printed, if it ended well and in time.
pub(crate) async fn run(program: &Program, input: &str, limit: Duration) -> Result<String, String> {
    let [name, arguments @ ..] = program.argv.as_slice() else {
        return Err("no program is configured".to_owned());
    };
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let group = child.id();
    let finished = tokio::time::timeout(limit, exchange(&mut child, input)).await;
    match finished {
        Ok(result) => result,
        Err(_) => {
            end_group(group);
            Err(format!("{name} did not end within {} seconds", limit.as_secs()))
        }
    }
}

async fn exchange(child: &mut tokio::process::Child, input: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is no error.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let (mut out, mut err) = (String::new(), Vec::new());
    if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
        let (mut stdout, mut stderr) = (stdout.take(MAX_OUTPUT), stderr.take(MAX_OUTPUT));
        let (read_out, read_err) =
            tokio::join!(stdout.read_to_string(&mut out), stderr.read_to_end(&mut err));
        read_out.and(read_err).map_err(failed)?;
    }
    let status = child.wait().await.map_err(failed)?;
    if status.success() {
        return Ok(out);
    }
    let said = String::from_utf8_lossy(&err);
    Err(format!("it ended with {status}: {}", said.trim().chars().take(200).collect::<String>()))
}

/// Ends the program and everything it started.
fn end_group(group: Option<u32>) {
    let pid = group.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended by itself in the meantime.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
