//! Typing a line into a tmux pane: the text and Enter apart, each checked and repeated.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// How often a step is repeated before the nudge counts as failed.
const TRIES: usize = 3;
/// A program in a pane takes a moment to draw what was pasted, and to take a key after a paste.
const PAUSE: Duration = Duration::from_millis(150);
/// tmux answers at once or not at all.
const LIMIT: Duration = Duration::from_secs(5);

/// Pastes the line and presses Enter. `buffer` names the paste buffer, which is gone afterwards.
pub(crate) async fn type_line(target: &str, line: &str, buffer: &str) -> Result<(), String> {
    // tmux says nothing at all about a pane that is not there.
    match tmux(&["display-message", "-p", "-t", target, "#{pane_in_mode}"], None).await?.trim() {
        "0" => {}
        "" => return Err(format!("there is no pane {target}")),
        _ => return Err(format!("the pane {target} is in copy mode")),
    }
    paste(target, line, buffer).await?;
    for _ in 0..TRIES {
        tmux(&["send-keys", "-t", target, "Enter"], None).await?;
        tokio::time::sleep(PAUSE).await;
        if !cursor_line(target).await?.contains(line) {
            return Ok(());
        }
    }
    Err(format!("the pane {target} does not take Enter"))
}

async fn paste(target: &str, line: &str, buffer: &str) -> Result<(), String> {
    for _ in 0..TRIES {
        tmux(&["load-buffer", "-b", buffer, "-"], Some(line)).await?;
        tmux(&["paste-buffer", "-d", "-p", "-b", buffer, "-t", target], None).await?;
        for _ in 0..TRIES {
            tokio::time::sleep(PAUSE).await;
            // A line that is longer than the pane is wide is drawn in pieces.
            let shown = tmux(&["capture-pane", "-p", "-J", "-t", target], None).await?;
            if shown.contains(line) {
                return Ok(());
            }
        }
    }
    Err(format!("the pane {target} does not show what was pasted"))
}

/// The line with the cursor: what has not been taken yet stands there.
async fn cursor_line(target: &str) -> Result<String, String> {
    let row = tmux(&["display-message", "-p", "-t", target, "#{cursor_y}"], None).await?;
    let row = row.trim();
    tmux(&["capture-pane", "-p", "-J", "-t", target, "-S", row, "-E", row], None).await
}

async fn tmux(arguments: &[&str], input: Option<&str>) -> Result<String, String> {
    let call = async {
        let mut child = Command::new("tmux")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start tmux: {error}"))?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            stdin.write_all(input.as_bytes()).await.map_err(|error| error.to_string())?;
        }
        let output = child.wait_with_output().await.map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(format!("tmux: {}", String::from_utf8_lossy(&output.stderr).trim())),
        }
    };
    let slow = |_| format!("tmux did not answer within {} seconds", LIMIT.as_secs());
    tokio::time::timeout(LIMIT, call).await.map_err(slow)?
}
