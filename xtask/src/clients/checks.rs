//! What is looked at: what the model was sent, and a terminal.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::Value;
use wilco_testkit::model_server::ModelRequest;

/// Something that must hold.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) what: &'static str,
    pub(crate) right: bool,
}

impl Check {
    pub(crate) fn that(what: &'static str, right: bool) -> Check {
        Check { what, right }
    }
}

/// Every text that the model was sent.
pub(crate) struct Seen {
    texts: Vec<String>,
    /// Requests that offered tools.
    pub(crate) turns: usize,
}

impl Seen {
    pub(crate) fn of(requests: &[ModelRequest]) -> Seen {
        let mut texts = Vec::new();
        for request in requests {
            let mut body = request.body.clone();
            // What tools are for stands there whatever was told.
            body["tools"] = Value::Null;
            strings(&body, &mut texts);
        }
        Seen { texts, turns: requests.iter().filter(|request| !request.tools.is_empty()).count() }
    }

    /// Whether these words stand between the two lines of a fence, wherever they were sent.
    pub(crate) fn is_fenced(&self, words: &str) -> bool {
        self.stand(words, |before, behind| {
            let Some((mark, _)) = before.rsplit_once("] begin: ") else { return false };
            let Some((_, mark)) = mark.rsplit_once('[') else { return false };
            let end = format!("[{mark}] end");
            !before.contains(&end) && behind.contains(&end)
        })
    }

    /// Whether these words stand where no fence is open.
    pub(crate) fn outside(&self, words: &str) -> bool {
        self.stand(words, |before, _| before.matches("] begin: ").count() == before.matches("] end").count())
    }

    /// Whether these words stand somewhere with this before and this behind them.
    fn stand(&self, words: &str, so: impl Fn(&str, &str) -> bool) -> bool {
        let so = |text: &String| text.match_indices(words).any(|(at, _)| so(&text[..at], &text[at..]));
        self.texts.iter().any(so)
    }

    /// Whether this command arrived as it stands, so that a shell takes it.
    pub(crate) fn runs(&self, command: &str) -> bool {
        let lines =
            self.texts.iter().filter(|text| text.contains("before you stop")).flat_map(|text| text.lines());
        let mut of_command = lines.filter(|line| line.contains(command)).peekable();
        of_command.peek().is_some() && of_command.all(|line| !line.contains('&'))
    }

    /// What names Wilco, each once.
    pub(crate) fn about_wilco(&self) -> String {
        let mut shown: Vec<&str> = Vec::new();
        for text in self.texts.iter().filter(|text| text.contains("Wilco: ")) {
            if !shown.contains(&text.as_str()) {
                shown.push(text);
            }
        }
        shown.join("\n────\n")
    }
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A terminal in a tmux server of its own, which ends with it.
pub(crate) struct Tmux {
    folder: PathBuf,
}

/// A client has drawn its first screen when it does not change for so long.
const STILL: Duration = Duration::from_secs(3);
const LONGEST: Duration = Duration::from_secs(120);

impl Tmux {
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Tmux> {
        Ok(Tmux { folder: folder.to_owned() })
    }

    pub(crate) fn begin(&self, words: &[String], variables: &[(String, String)]) -> anyhow::Result<()> {
        let mut command = self.tmux(&["new-session", "-d", "-s", "bob", "-x", "150", "-y", "45"]);
        command.current_dir(self.folder.join("project"));
        for (name, value) in variables {
            // What a pane finds its programs by, tmux takes from whoever opens it.
            command.env(name, value).args(["-e", &format!("{name}={value}")]);
        }
        command.args(words);
        let done = command.output()?;
        if !done.status.success() {
            bail!("tmux: {}", String::from_utf8_lossy(&done.stderr));
        }
        Ok(())
    }

    /// Waits until what is shown stays as it is; says whether it does.
    pub(crate) fn is_still(&self) -> bool {
        let (begun, mut shown, mut since) = (Instant::now(), String::new(), Instant::now());
        while since.elapsed() < STILL || shown.trim().is_empty() {
            if begun.elapsed() > LONGEST {
                return false;
            }
            std::thread::sleep(Duration::from_millis(200));
            let now = self.shown();
            if now != shown {
                (shown, since) = (now, Instant::now());
            }
        }
        true
    }

    /// Types a line when the screen stands still.
    pub(crate) fn type_when_ready(&self, line: &str) -> anyhow::Result<()> {
        if !self.is_still() {
            bail!("the client draws nothing that stays: {}", self.shown());
        }
        self.tmux(&["send-keys", "-t", "bob", "-l", line]).status()?;
        std::thread::sleep(Duration::from_millis(500));
        self.tmux(&["send-keys", "-t", "bob", "Enter"]).status()?;
        Ok(())
    }

    pub(crate) fn shown(&self) -> String {
        let done = self.tmux(&["capture-pane", "-p", "-t", "bob"]).output();
        done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default()
    }

    fn tmux(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("TMUX_TMPDIR", self.folder.join("tmp")).args(words);
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]).output();
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    /// CLI-50: what the model was sent is looked through for fences, for what stands outside, and for commands that run.
    #[test]
    fn cli_50_what_stands_in_a_fence_is_told_from_what_does_not() {
        let seen = |text: &str| Seen { texts: vec![text.to_owned()], turns: 1 };
        let told = seen("run: send 'green'\n[00ab] begin: message m1\ngreen\n[00ab] end\nwilco ack T-1 'X'");
        assert!(told.is_fenced("green") && told.outside("green") && told.outside("wilco ack"));
        assert!(!told.is_fenced("wilco ack") && !told.is_fenced("red") && !told.outside("red"));
        assert!(!seen("[00ab] begin: m1\ngreen\n[00cd] end").is_fenced("green"));
        let stopped = |command: &str| seen(&format!("before you stop: 1 thing\n{command}")).runs("wilco ack");
        assert!(
            stopped("wilco ack T-1 'X'") && !stopped("wilco ack T-1 - &lt;&lt;'END'") && !stopped("nothing")
        );
    }
}
