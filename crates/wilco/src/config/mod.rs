//! The configuration: defaults, then the file, then the environment; the later wins.

mod file;
mod keys;
mod policy;
mod values;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use wilco_engine::{AutoRegister, EscalationSettings, PolicySettings, Settings};
use wilco_outside::{Outside, Program};
use wilco_protocol::{Name, Span};
use wilco_server::Limits;

use values::Values;

/// How long the program that reaches a person may take.
const HUMAN_LIMIT: Duration = Duration::from_secs(30);

/// Everything that the server is told by its configuration.
#[derive(Debug)]
pub(crate) struct Config {
    values: Values,
    delegation: PolicySettings,
}

impl Config {
    /// Reads the given file, or the first that is found, and the environment.
    pub(crate) fn load(path: Option<&Path>) -> anyhow::Result<Config> {
        let (table, place) = file::read(path)?;
        let environment = std::env::vars().collect::<Vec<_>>();
        let (values, rest) = Values::read(table, &place, &environment)?;
        let delegation = policy::read(rest.as_ref()).with_context(|| place.clone())?;
        Ok(Config { values, delegation })
    }

    pub(crate) fn listen(&self) -> anyhow::Result<SocketAddr> {
        let text = self.values.text("server.listen");
        text.parse().with_context(|| {
            format!("server.listen: expected an address such as 127.0.0.1:23000, got {text:?}")
        })
    }

    pub(crate) fn data(&self) -> anyhow::Result<PathBuf> {
        match self.values.text("data") {
            "" => file::data_directory()
                .context("no home directory is known; name a data directory with --data DIR"),
            given => Ok(PathBuf::from(given)),
        }
    }

    pub(crate) fn url(&self) -> Option<String> {
        Some(self.values.text("server.url").to_owned()).filter(|url| !url.is_empty())
    }

    pub(crate) fn hosts(&self) -> Vec<String> {
        self.values.list("server.hosts")
    }

    pub(crate) fn origins(&self) -> Vec<String> {
        self.values.list("server.origins")
    }

    pub(crate) fn auth_required(&self) -> anyhow::Result<bool> {
        match self.values.text("auth") {
            "local" => Ok(false),
            "required" => Ok(true),
            other => bail!("auth: expected \"local\" or \"required\", got {other:?}"),
        }
    }

    pub(crate) fn settings(&self, url: String) -> anyhow::Result<Settings> {
        let auto_register = match self.values.text("agents.auto_register") {
            "conversations" => AutoRegister::Conversations,
            "all" => AutoRegister::All,
            "none" => AutoRegister::None,
            other => bail!("agents.auto_register: expected conversations, all or none, got {other:?}"),
        };
        let controller = self.values.text("escalation.controller");
        Ok(Settings {
            url,
            auto_enrol: self.values.flag("delegation.auto_enrol"),
            auto_register,
            default_sender: Name::new(self.values.text("agents.default_sender")),
            escalation: EscalationSettings {
                reminder: self.span("escalation.reminder")?,
                controller: Some(Name::new(controller)).filter(|name| !name.as_str().is_empty()),
                reaches_human: !self.values.list("escalation.command").is_empty(),
            },
            delegation: self.delegation.clone(),
            judge: !self.values.list("delegation.judge").is_empty(),
            inbox_limit: self.values.whole("limits.inbox_unread") as usize,
        })
    }

    /// The programs that orders may run.
    pub(crate) fn outside(&self) -> anyhow::Result<Outside> {
        let program = |key, limit| {
            let argv = Some(self.values.list(key)).filter(|argv| !argv.is_empty());
            argv.map(|argv| Program { argv, limit })
        };
        Ok(Outside {
            judge: program("delegation.judge", self.time("delegation.judge_timeout")?),
            human: program("escalation.command", HUMAN_LIMIT),
        })
    }

    pub(crate) fn limits(&self) -> anyhow::Result<Limits> {
        let time = |key| self.time(key);
        Ok(Limits {
            body_bytes: self.values.whole("limits.body_bytes") as usize,
            header_timeout: time("limits.header_timeout")?,
            body_timeout: time("limits.body_timeout")?,
            idle_timeout: time("limits.idle_timeout")?,
            connections: self.values.whole("limits.connections") as usize,
            waiting_readers: self.values.whole("limits.waiting_readers") as usize,
            wait: time("limits.wait")?,
        })
    }

    fn time(&self, key: &str) -> anyhow::Result<Duration> {
        self.span(key).map(|span| Duration::from_millis(span.as_millis()))
    }

    fn span(&self, key: &str) -> anyhow::Result<Span> {
        let span: Span = self.values.text(key).parse().with_context(|| key.to_owned())?;
        if span.is_zero() {
            bail!("{key}: expected a duration longer than zero");
        }
        Ok(span)
    }
}
