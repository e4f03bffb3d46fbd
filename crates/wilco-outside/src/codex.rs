//! Queueing a line for a session of Codex. It runs the line when its turn is over, or keeps it: that it was queued does
//! not mean that anybody read it.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// It hands the line to a daemon, or writes it down; both take a moment.
const LIMIT: Duration = Duration::from_secs(10);
/// All that it has of the server's environment: where programs are, and where its sessions are.
const INHERITED: [&str; 3] = ["PATH", "HOME", "CODEX_HOME"];

pub(crate) async fn queue(thread: Option<&str>, line: &str) -> Result<(), String> {
    let Some(thread) = thread else { return Err("no session of Codex is known".to_owned()) };
    let call = async {
        let variables = INHERITED.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let output = Command::new("codex")
            .args(["queue", "--thread", thread, "--message", line])
            .env_clear()
            .envs(variables)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| format!("cannot start codex: {error}"))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(format!("codex queue: {}", said.trim().chars().take(200).collect::<String>()))
            }
        }
    };
    let slow = |_| format!("codex queue did not end within {} seconds", LIMIT.as_secs());
    tokio::time::timeout(LIMIT, call).await.map_err(slow)?
}
