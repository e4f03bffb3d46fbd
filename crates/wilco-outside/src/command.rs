//! Running a configured program: no shell, JSON on its standard input, bounded in time and output.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// A program with its arguments, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub argv: Vec<String>,
    pub limit: Duration,
}

/// Output beyond this is not kept.
const MAX_OUTPUT: u64 = 64 << 10;

/// What a program printed, if it ended well and in time.
pub(crate) async fn run(program: &Program, input: &str) -> Result<String, String> {
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
    let mut group = Group::of(&child);
    let finished = tokio::time::timeout(program.limit, exchange(&mut child, input)).await;
    match finished {
        Ok(result) => {
            group.leave();
            result
        }
        Err(_) => {
            group.end();
            Err(format!("{name} did not end within {:?}", program.limit))
        }
    }
}

async fn exchange(child: &mut tokio::process::Child, input: &str) -> Result<String, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input is no error.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), out, err, status) = tokio::join!(feed, printed(stdout), printed(stderr), child.wait());
    let failed = |error: std::io::Error| error.to_string();
    let (out, err, status) = (out.map_err(failed)?, err.map_err(failed)?, status.map_err(failed)?);
    if status.success() {
        return Ok(out);
    }
    Err(format!("it ended with {status}: {}", err.trim().chars().take(200).collect::<String>()))
}

/// The beginning of what is printed. The rest is read too, or the program would wait for a reader.
async fn printed(pipe: Option<impl AsyncRead + Unpin>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let mut start = pipe.take(MAX_OUTPUT);
        start.read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut start.into_inner(), &mut tokio::io::sink()).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A program and everything it started. Whoever forgets about it ends it.
pub(crate) struct Group(Option<rustix::process::Pid>);

impl Group {
    pub(crate) fn of(child: &tokio::process::Child) -> Group {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group(id.and_then(rustix::process::Pid::from_raw))
    }

    pub(crate) fn end(&mut self) {
        if let Some(pid) = self.0.take() {
            // It may have ended by itself in the meantime.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }

    /// It has ended; what it left running in the background may go on.
    pub(crate) fn leave(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
