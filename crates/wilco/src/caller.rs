//! Who calls, and which server: from the options, else from the environment.

use std::env;
use std::process::Command;
use std::sync::OnceLock;

use clap::Args;
use wilco_client::{Answer, Client, Error};
use wilco_language::near_name;
use wilco_protocol::Time;
use wilco_protocol::directory::Interface;

use crate::commands;
use crate::failure::{Refused, Usage};
use crate::output::escape::visible;
use crate::output::{self, Screen};
use crate::token;

const DEFAULT_URL: &str = "http://127.0.0.1:23000";

/// Options that every verb has.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Who and where")]
pub(crate) struct Caller {
    /// Act as this agent; else WILCO_AGENT, AI_MAESTRO_AGENT_ID or the tmux session says who
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The server; else WILCO_URL, else http://127.0.0.1:23000
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Print the server's JSON as it came
    #[arg(long)]
    pub(crate) json: bool,
    /// Take a name that nobody has yet, although it is nearly somebody's
    #[arg(long)]
    pub(crate) new: bool,
}

impl Caller {
    pub(crate) fn client(&self) -> Client {
        let url = self.url.clone().or_else(|| variable("WILCO_URL"));
        let client = Client::new(url.as_deref().unwrap_or(DEFAULT_URL)).speaking(Interface::Cli.word());
        client.named(self.identity()).with_token(token())
    }

    /// The name to act under, if any is known.
    pub(crate) fn identity(&self) -> Option<String> {
        identity(self.name.clone(), variable, session)
    }

    /// The name to act under. With a token the server knows it, so only then it may be missing.
    pub(crate) fn sender(&self) -> anyhow::Result<Option<String>> {
        match self.identity() {
            None if token().is_none() => Err(unnamed().into()),
            name => {
                self.spelt_right(name.as_deref())?;
                Ok(name)
            }
        }
    }

    /// The name, where there must be one. Whose a token is, the server knows.
    pub(crate) fn required(&self) -> anyhow::Result<String> {
        let of_token = match self.identity() {
            None if token().is_some() => self.checked(self.client().token_agent())?,
            name => name,
        };
        let name = of_token.ok_or_else(unnamed)?;
        self.spelt_right([name.as_str()])?;
        Ok(name)
    }

    /// Refuses names that nobody has and that are nearly somebody's. Who may not see the others, or cannot reach the
    /// server, hears of that when it calls.
    pub(crate) fn spelt_right<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
        let bare = |name: &'a str| name.strip_prefix('@').unwrap_or(name).trim();
        let names: Vec<&str> = names.into_iter().map(bare).filter(|name| !name.is_empty()).collect();
        if self.new || names.is_empty() {
            return Ok(());
        }
        let client = self.client();
        let unknown = |name: &&str| matches!(client.agent(name), Err(Error::Problem { problem, .. }) if problem.status == 404);
        let unknown: Vec<&str> = names.into_iter().filter(unknown).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let Ok(known) = client.agents() else { return Ok(()) };
        let known: Vec<&str> = known.value.items.iter().map(|agent| agent.name.as_str()).collect();
        match unknown.iter().find_map(|name| Some((name, near_name(name, known.iter().copied())?))) {
            Some((name, near)) => anyhow::bail!(
                "there is no agent {name:?}; did you mean {near}? If it is new, say so with --new"
            ),
            None => Ok(()),
        }
    }

    /// Prints an answer as JSON or in words. A refusal keeps its form, too.
    pub(crate) fn show<T>(
        &self,
        answer: Result<Answer<T>, Error>,
        words: impl FnOnce(&T, &Screen) -> String,
    ) -> anyhow::Result<T> {
        self.show_at(answer, |value, _, screen| words(value, screen))
    }

    /// The same for words that say how long ago and how soon: they are told what time it is.
    pub(crate) fn show_at<T>(
        &self,
        answer: Result<Answer<T>, Error>,
        words: impl FnOnce(&T, Time, &Screen) -> String,
    ) -> anyhow::Result<T> {
        let answer = self.checked(answer)?;
        if self.json {
            output::print_json(&answer.text);
        } else {
            let now = commands::now(answer.at.as_deref());
            output::print(&words(&answer.value, now, &Screen::of_stdout()));
        }
        Ok(answer.value)
    }

    /// An answer, or an error in the form that the caller wants.
    pub(crate) fn checked<T>(&self, answer: Result<T, Error>) -> anyhow::Result<T> {
        answer.map_err(|error| match error {
            Error::Problem { text, .. } if self.json => Refused(text).into(),
            other => other.into(),
        })
    }
}

fn unnamed() -> Usage {
    Usage("who are you? Say it with --as NAME, or set WILCO_AGENT".to_owned())
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The token, looked up once. A file that cannot be used is told of and left out: a server that needs a
/// token says so itself.
fn token() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        token::find(variable).unwrap_or_else(|error| {
            eprintln!("wilco: {}; going on without a token", visible(&error.to_string()));
            None
        })
    });
    found.clone()
}

fn identity(
    given: Option<String>,
    variable: impl Fn(&str) -> Option<String>,
    session: impl FnOnce() -> Option<String>,
) -> Option<String> {
    given
        .or_else(|| variable("WILCO_AGENT"))
        .or_else(|| variable("AI_MAESTRO_AGENT_ID"))
        .or_else(|| variable("TMUX").and_then(|_| session()))
}

/// The name of the tmux session that this runs in.
fn session() -> Option<String> {
    let shown = Command::new("tmux").args(["display-message", "-p", "#S"]).output().ok()?;
    let name = String::from_utf8(shown.stdout).ok()?.trim().to_owned();
    (shown.status.success() && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn cli_2_the_identity_comes_from_the_nearest_place() {
        let all = ["WILCO_AGENT", "AI_MAESTRO_AGENT_ID", "TMUX"];
        let who = |given: Option<&str>, set: &[&str]| {
            let lookup = |name: &str| set.contains(&name).then(|| name.to_lowercase());
            identity(given.map(str::to_owned), lookup, || Some("session".to_owned()))
        };
        assert_eq!(who(Some("me"), &all).as_deref(), Some("me"));
        assert_eq!(who(None, &all).as_deref(), Some("wilco_agent"));
        assert_eq!(who(None, &all[1..]).as_deref(), Some("ai_maestro_agent_id"));
        assert_eq!(who(None, &all[2..]).as_deref(), Some("session"));
        assert_eq!(who(None, &[]), None);
    }
}
