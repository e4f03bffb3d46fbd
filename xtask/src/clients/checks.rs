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
        self.texts.iter().any(|text| {
            let Some(at) = text.find(words) else { return false };
            let Some((mark, _)) = text[..at].rsplit_once("] begin: ") else { return false };
            let Some((_, mark)) = mark.rsplit_once('[') else { return false };
            !text[..at].contains(&format!("[{mark}] end")) && text[at..].contains(&format!("[{mark}] end"))
        })
    }

    /// Whether these words stand where no fence is open.
    pub(crate) fn outside(&self, words: &str) -> bool {
        self.texts.iter().any(|text| {
            let Some(at) = text.find(words) else { return false };
            let before = &text[..at];
            before.matches("] begin: ").count() == before.matches("] end").count()
        })
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
            command.args(["-e", &format!("{name}={value}")]);
        }
        command.args(words);
        let done = command.output()?;
        if !done.status.success() {
            bail!("tmux: {}", String::from_utf8_lossy(&done.stderr));
        }
        Ok(())
    }

    /// Types a line when the screen stands still.
    pub(crate) fn type_when_ready(&self, line: &str) -> anyhow::Result<()> {
        let (begun, mut shown, mut since) = (Instant::now(), String::new(), Instant::now());
        while since.elapsed() < STILL || shown.trim().is_empty() {
            if begun.elapsed() > LONGEST {
                bail!("the client draws nothing that stays: {shown}");
            }
            std::thread::sleep(Duration::from_millis(200));
            let now = self.shown();
            if now != shown {
                (shown, since) = (now, Instant::now());
            }
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
