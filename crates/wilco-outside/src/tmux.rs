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
    // Enter would send off what somebody has half typed.
    if !is_empty(target).await? {
        return Err(format!("the pane {target} has something on the line of its cursor; nothing was typed"));
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

/// Whether nothing stands on the line with the cursor, but a prompt perhaps. A long line is wrapped into several rows.
async fn is_empty(target: &str) -> Result<bool, String> {
    let at = tmux(&["display-message", "-p", "-t", target, "#{cursor_x} #{cursor_y}"], None).await?;
    let (column, row) =
        at.trim().split_once(' ').ok_or_else(|| format!("the pane {target} has no cursor"))?;
    let column: usize = column.parse().map_err(|_| format!("the cursor of {target} is at {column:?}"))?;
    let own = cursor_line(target).await?;
    let above = tmux(&["capture-pane", "-p", "-J", "-t", target, "-S", "0", "-E", row], None).await?;
    Ok(holds_nothing(&above, &own, column))
}

/// `above`: the lines of the pane up to the row of the cursor, wrapped ones joined; `row`: that row alone, with the cursor
/// in this column.
fn holds_nothing(above: &str, row: &str, column: usize) -> bool {
    const PROMPTS: [char; 6] = ['$', '#', '%', '>', '❯', '›'];
    // What clients draw into an input that is empty, behind the cursor.
    const HINTS: [&str; 1] = ["Type your message or @path/to/file"];
    // Frames around an input are no text.
    let frame = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257f}').contains(&c);
    let line =
        |text: &str| text.strip_suffix('\n').unwrap_or(text).rsplit('\n').next().unwrap_or("").to_owned();
    let (whole, row) = (line(above), line(row));
    let behind: String = row.chars().skip(column).collect();
    let hinted = HINTS.contains(&behind.trim_matches(frame));
    if !hinted && !behind.trim_matches(frame).is_empty() {
        return false;
    }
    let before: String = whole.strip_suffix(behind.as_str()).unwrap_or(&whole).to_owned();
    let drawn = before.trim_end();
    // Spaces that nobody drew are not captured: the cursor stands behind them.
    let apart = before.len() > drawn.len() || column > row.trim_end().chars().count();
    let own = drawn.trim_matches(frame);
    // Gemini CLI and Qwen Code show by a star that they ask nobody before they act.
    own.is_empty() || (apart && drawn.ends_with(PROMPTS)) || (hinted && own == "*")
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

#[cfg(test)]
mod tests {
    use super::holds_nothing;

    #[test]
    fn sec_15_a_prompt_is_an_empty_line_and_anything_else_is_not() {
        for (line, column, empty) in [
            ("", 0, true),
            ("   ", 3, true),
            ("user@host:~$ ", 13, true),
            ("user@host:~$", 13, true),
            ("# ", 2, true),
            ("❯ ", 2, true),
            ("› ", 2, true),
            ("│ >          │", 4, true),
            ("user@host:~$", 12, false),
            ("user@host:~$ rm -rf", 19, false),
            ("user@host:~$ rm -rf ", 20, false),
            ("> half a thought", 16, false),
            ("> half a thought", 2, false),
            ("> x", 2, false),
            ("a line without a prompt", 23, false),
            (" >   Type your message or @path/to/file", 3, true),
            (" *   Type your message or @path/to/file", 3, true),
            ("*   Type your message or @path/to/file", 2, true),
            (" > ls Type your message or @path/to/file", 5, false),
            (" > Type your message or @path/to/file", 37, false),
            (" * rm *", 7, false),
        ] {
            let above = format!("what stands above\n\n{line}\n");
            assert_eq!(holds_nothing(&above, &format!("{line}\n"), column), empty, "{line:?} at {column}");
        }
        assert!(!holds_nothing("$ a long line that was wrapped \n", "\n", 0), "its last row is empty");
    }
}
