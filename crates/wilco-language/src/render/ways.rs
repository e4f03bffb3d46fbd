//! The ways to give one answer: the one that the reader speaks by in full, the others in a line. Every command works
//! when it is pasted as it stands, whatever a model writes between its marks.

use serde_json::Value;
use wilco_protocol::directory::Interface;

use super::Setting;
use super::shell::quoted;

/// One answer, in every way in which it can be given.
pub(super) struct Ways {
    /// As a reply: in full, and in a few words.
    pub(super) reply: String,
    pub(super) briefly: String,
    pub(super) commands: Vec<CommandLine>,
    /// The verb whose help says more.
    pub(super) verb: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// The message over HTTP.
    pub(super) body: Value,
}

/// A command line without `--as` and `--url`, and what it reads on stdin.
pub(super) struct CommandLine {
    pub(super) words: String,
    /// An option that takes a free text, and what stands for that.
    pub(super) text: Option<(&'static str, &'static str)>,
}

impl CommandLine {
    pub(super) fn plain(words: String) -> CommandLine {
        CommandLine { words, text: None }
    }

    pub(super) fn with(words: String, option: &'static str, text: &'static str) -> CommandLine {
        CommandLine { words, text: Some((option, text)) }
    }

    /// To be pasted: free text comes by a quoted heredoc, where no shell looks for `$` and backticks.
    pub(super) fn pasted(&self, me: &str, url: &str) -> String {
        let command = format!("wilco {} --as {}{}", self.words, quoted(me), at(url));
        match self.text {
            Some((option, text)) => {
                let option = if option.is_empty() { String::new() } else { format!(" {option}") };
                format!("{command}{option} - {}", heredoc(text))
            }
            None => command,
        }
    }
}

impl Ways {
    /// What is taught, to whoever is `me`.
    pub(super) fn taught(&self, me: &str, setting: &Setting<'_>) -> String {
        let token = if setting.requires_token { " (your token in WILCO_TOKEN)" } else { "" };
        let full = match setting.speaks {
            Interface::Text => self.reply.clone(),
            Interface::Cli => {
                let lines: Vec<_> = self.commands.iter().map(|one| one.pasted(me, setting.url)).collect();
                format!("Run{token}:\n\n{}\n", lines.join("\n"))
            }
            Interface::Http => {
                format!("Run:\n\n{}\n", curl("/v1", &self.body, setting))
            }
            Interface::Api => {
                format!("Run:\n\n{}\n", curl("/api", &self.body, setting))
            }
            Interface::Mcp => format!("Call the MCP tool {} with {}", self.tool, self.arguments),
        };
        let others = [
            (Interface::Text, format!("reply {}", self.briefly)),
            (Interface::Cli, format!("wilco {} --help", self.verb)),
            (Interface::Mcp, format!("MCP tool {}", self.tool)),
            (Interface::Http, format!("curl {}/v1/messages", setting.url)),
            (Interface::Api, format!("{}/api/messages", setting.url)),
        ];
        let others: Vec<_> =
            others.into_iter().filter(|(way, _)| *way != setting.speaks).map(|(_, how)| how).collect();
        format!("{full}\nOr: {}.", others.join("; "))
    }
}

/// A request that can be pasted.
fn curl(api: &str, body: &Value, setting: &Setting<'_>) -> String {
    let token = match setting.requires_token {
        true => " -H \"Authorization: Bearer $WILCO_TOKEN\"",
        false => "",
    };
    let url = quoted(&format!("{}{api}/messages", setting.url));
    format!(
        "curl {url} -H 'Content-Type: application/json'{token} --data-binary @- {}",
        heredoc(&body.to_string())
    )
}

/// A text on stdin, as it is.
fn heredoc(text: &str) -> String {
    format!("<<'END'\n{text}\nEND")
}

/// The option that leads a command to a server that is not at the usual address.
fn at(url: &str) -> String {
    if url == USUAL_URL { String::new() } else { format!(" --url {}", quoted(url)) }
}

const USUAL_URL: &str = "http://127.0.0.1:23000";
