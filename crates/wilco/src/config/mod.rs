//! The configuration: defaults, then the file, then the environment; the later wins.

mod file;
mod handoff;
mod judge;
mod keys;
mod policy;
mod program_table;
mod programs;
mod sample;
mod store;
mod values;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wilco_language::nearest;

use anyhow::{Context, bail};
use serde_json::Value;
use wilco_engine::{
    Authority, AutoRegister, EscalationSettings, HandoffSettings, Holder, NudgeSettings, Right, Settings,
};
use wilco_language::parse::DEEPEST;
use wilco_outside::{Outside, Program, Secret, Tls, Webhooks};
use wilco_protocol::{Name, Span};
use wilco_server::{Configured, Limits};

use file::File;
pub(crate) use file::user_directory;
use keys::{KEYS, environment_name};
use policy::Policies;
use programs::{NUDGE, OPERATION, Programs, VALIDATION, environment_prefix};
pub(crate) use sample::sample;
use values::Values;
pub(crate) use values::{Given, Origin};

/// How long the program that reaches a person may take.
const HUMAN_LIMIT: Duration = Duration::from_secs(30);

/// How long a program that nudges may take.
const NUDGE_LIMIT: Duration = Duration::from_secs(30);

/// Everything that the server is told by its configuration.
#[derive(Debug)]
pub(crate) struct Config {
    values: Values,
    policies: Policies,
    /// What operations may run.
    commands: Programs,
    /// What checks phases of validations.
    checks: Programs,
    /// What nudges.
    nudges: Programs,
    /// The file that was read.
    file: Option<PathBuf>,
}

impl Config {
    /// Reads the given file, or the first that is found, and the environment.
    pub(crate) fn load(path: Option<&Path>) -> anyhow::Result<Config> {
        Config::read(file::read(path)?, &environment())
    }

    fn read(mut file: File, environment: &[(String, String)]) -> anyhow::Result<Config> {
        let commands = Programs::take(OPERATION, &mut file.table, &file.place, environment)?;
        let checks = Programs::take(VALIDATION, &mut file.table, &file.place, environment)?;
        let nudges = Programs::take(NUDGE, &mut file.table, &file.place, environment)?;
        let (values, rest) = Values::read(file.table, &file.place, environment)?;
        let policies = Policies::read(rest.as_ref(), &file.place, environment)?;
        let secrets = [values.text("judge.key_env"), values.text("github.token_env")];
        let others: Vec<_> =
            environment.iter().filter(|(name, _)| !secrets.contains(&name.as_str())).cloned().collect();
        known_variables(&others, &policies)?;
        Ok(Config { values, policies, commands, checks, nudges, file: file.path })
    }

    /// Takes over what a flag says, where there is one.
    pub(crate) fn flagged(mut self, key: &'static str, value: Option<String>, flag: &'static str) -> Config {
        if let Some(value) = value {
            self.values.flagged(key, value, flag);
        }
        self
    }

    /// Every key with its value and where that came from.
    pub(crate) fn each(&self) -> Vec<(String, Given)> {
        let mut rows: Vec<_> =
            self.values.each().map(|(key, given)| (key.to_owned(), given.clone())).collect();
        for (_, given) in rows.iter_mut().filter(|(key, given)| key == "data" && given.value == "") {
            given.value =
                self.data().map_or_else(|error| error.to_string(), |path| path.display().to_string()).into();
        }
        for (_, given) in rows.iter_mut().filter(|(key, given)| Values::is_secret(key) && given.value != "") {
            given.value = "(set)".into();
        }
        rows.extend(self.commands.each());
        rows.extend(self.checks.each());
        rows.extend(self.nudges.each());
        rows.extend(self.policies.each());
        rows
    }

    /// The same, as it is shown to people.
    pub(crate) fn shown(&self) -> Vec<Configured> {
        let file = self.file().map(|path| path.display().to_string());
        let row = |(key, given): (String, Given)| {
            let (from, place) = match given.origin {
                Origin::Default => ("default", None),
                Origin::File => ("file", file.clone()),
                Origin::Environment(name) => ("environment", Some(name)),
                Origin::Flag(name) => ("flag", Some(name.to_owned())),
            };
            Configured { key, value: given.value, from, place }
        };
        self.each().into_iter().map(row).collect()
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The file that was found in the working directory, if that was read.
    pub(crate) fn local_file(&self) -> Option<&Path> {
        self.file().filter(|path| *path == Path::new(file::LOCAL))
    }

    /// Whether a server could use all of it.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let listen = self.listen()?;
        self.auth_required()?;
        self.settings(format!("http://{listen}"))?;
        self.outside(&self.data()?)?;
        self.limits()?;
        self.store()?;
        Ok(())
    }

    pub(crate) fn listen(&self) -> anyhow::Result<SocketAddr> {
        let text = self.values.text("server.listen");
        text.parse().with_context(|| {
            format!(
                "{}: expected an address such as 127.0.0.1:23000, got {text:?}",
                self.named("server.listen")
            )
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
            other => bail!("{}: expected \"local\" or \"required\", got {other:?}", self.named("auth")),
        }
    }

    pub(crate) fn settings(&self, url: String) -> anyhow::Result<Settings> {
        let judge = self.judge_settings()?;
        let auto_register = match self.values.text("agents.auto_register") {
            "conversations" => AutoRegister::Conversations,
            "all" => AutoRegister::All,
            "none" => AutoRegister::None,
            other => bail!(
                "{}: expected conversations, all or none, got {other:?}",
                self.named("agents.auto_register")
            ),
        };
        let controller = self.values.text("escalation.controller");
        Ok(Settings {
            url,
            requires_token: self.auth_required()?,
            auto_enrol: self.values.flag("delegation.auto_enrol"),
            auto_register,
            default_sender: Name::new(self.values.text("agents.default_sender")),
            authority: self.authority()?,
            escalation: EscalationSettings {
                reminder: self.span("escalation.reminder")?,
                controller: Some(Name::new(controller)).filter(|name| !name.as_str().is_empty()),
                reaches_human: !self.values.list("escalation.command").is_empty()
                    || !self.values.text("escalation.webhook").is_empty(),
            },
            delegation: self.policies.of("delegation"),
            operation: self.policies.of("operation"),
            operation_commands: self.commands.rules(),
            validation: self.policies.of("validation"),
            validation_commands: self.checks.rules(),
            judge,
            inbox_limit: self.values.whole("limits.inbox_unread") as usize,
            handoff: HandoffSettings {
                controller: Name::new(self.values.text("handoff.controller")),
                policy: self.policies.of("handoff").base,
                state_file: !self.values.text("handoff.state_file").is_empty(),
                github: !self.values.text("github.repository").is_empty(),
                host: Some(self.values.text("handoff.host").to_owned()).filter(|host| !host.is_empty()),
            },
            nudge: NudgeSettings {
                commands: self.nudges.names().cloned().collect(),
                webhooks: !self.values.list("nudge.webhook_hosts").is_empty() && self.secret()?.is_some(),
            },
        })
    }

    /// Who may begin what.
    fn authority(&self) -> anyhow::Result<Authority> {
        let mut authority = Authority::default();
        for right in Right::ALL {
            let key = format!("authority.{}", right.word());
            let mut holders = Vec::new();
            for word in self.values.list(&key) {
                match Holder::read(&word) {
                    Ok(holder) => holders.extend(holder),
                    Err(wrong) => bail!("{}: {wrong}", self.named(&key)),
                }
            }
            authority.grant(right, holders);
        }
        Ok(authority)
    }

    /// The programs that orders may run.
    pub(crate) fn outside(&self, data: &Path) -> anyhow::Result<Outside> {
        let env = self.values.list("commands.env");
        if let Some(own) = env.iter().find(|name| name.starts_with("WILCO_")) {
            bail!(
                "{}: {own} is not for programs: Wilco's variables may hold tokens",
                self.named("commands.env")
            );
        }
        let program = |key, limit| {
            let argv = Some(self.values.list(key)).filter(|argv| !argv.is_empty());
            argv.map(|argv| Program { argv, limit, env: env.clone() })
        };
        let nudge = |argv: &[String]| Program { argv: argv.to_vec(), limit: NUDGE_LIMIT, env: env.clone() };
        Ok(Outside {
            // Known when a server opens it.
            home: String::new(),
            judge: self.judge()?.map(Arc::new),
            human: program("escalation.command", HUMAN_LIMIT),
            commands: self.commands.step_programs(&env),
            checks: self.checks.step_programs(&env),
            human_webhook: self.human_webhook()?,
            hibernate: program("agents.commands.hibernate", HUMAN_LIMIT),
            wake: program("agents.commands.wake", HUMAN_LIMIT),
            nudges: self.nudges.iter().map(|(name, argv)| (name.clone(), nudge(argv))).collect(),
            handoffs: self.handoffs(data)?,
            webhooks: Webhooks {
                hosts: self.values.list("nudge.webhook_hosts"),
                private: self.values.flag("nudge.private_addresses"),
                secret: self.secret()?,
                tls: self.tls()?,
            },
        })
    }

    /// Whose certificates are trusted.
    fn tls(&self) -> anyhow::Result<Tls> {
        match self.values.text("nudge.ca_file") {
            "" => Ok(Tls::default()),
            file => match Tls::with_authorities(Path::new(file)) {
                Ok(tls) => Ok(tls),
                Err(wrong) => bail!("{}: {wrong}", self.named("nudge.ca_file")),
            },
        }
    }

    /// What webhooks are signed with. An error does not repeat it.
    fn secret(&self) -> anyhow::Result<Option<Secret>> {
        match self.values.text("nudge.secret") {
            "" => Ok(None),
            text => match Secret::read(text) {
                Ok(secret) => Ok(Some(secret)),
                Err(wrong) => bail!("{}: {wrong}", self.named("nudge.secret")),
            },
        }
    }

    fn human_webhook(&self) -> anyhow::Result<Option<String>> {
        let url = Some(self.values.text("escalation.webhook").to_owned()).filter(|url| !url.is_empty());
        if url.is_some() && self.secret()?.is_none() {
            bail!("{}: needs nudge.secret to be signed with", self.named("escalation.webhook"));
        }
        Ok(url)
    }

    pub(crate) fn limits(&self) -> anyhow::Result<Limits> {
        let time = |key| self.time(key);
        Ok(Limits {
            body_bytes: self.values.whole("limits.body_bytes") as usize,
            depth: self.depth()?,
            header_timeout: time("limits.header_timeout")?,
            body_timeout: time("limits.body_timeout")?,
            idle_timeout: time("limits.idle_timeout")?,
            connections: self.values.whole("limits.connections") as usize,
            waiting_readers: self.values.whole("limits.waiting_readers") as usize,
            wait: time("limits.wait")?,
            stream_bytes: self.values.whole("limits.stream_bytes") as usize,
            stream_events: self.values.whole("limits.stream_events") as usize,
            streams_bytes: self.values.whole("limits.streams_bytes") as usize,
            owner_streams: self.values.whole("limits.owner_streams") as usize,
            broadcast_bytes: self.values.whole("limits.broadcast_bytes") as usize,
            owner_names: self.values.whole("limits.owner_names") as usize,
        })
    }

    fn depth(&self) -> anyhow::Result<usize> {
        match self.values.whole("limits.depth") as usize {
            depth @ ..=DEEPEST => Ok(depth),
            depth => bail!("{}: expected at most {DEEPEST}, got {depth}", self.named("limits.depth")),
        }
    }

    /// A key with the place that its value came from.
    fn named(&self, key: &str) -> String {
        let given = self.values.each().find(|(known, _)| *known == key);
        given.map_or_else(|| key.to_owned(), |(_, given)| self.placed(key, &given.origin))
    }

    fn placed(&self, key: &str, origin: &Origin) -> String {
        let file = self.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        match origin {
            Origin::File => format!("configuration file {file}: {key}"),
            Origin::Environment(name) => format!("environment variable {name}: {key}"),
            Origin::Flag(_) | Origin::Default => key.to_owned(),
        }
    }

    fn time(&self, key: &str) -> anyhow::Result<Duration> {
        self.span(key).map(|span| Duration::from_millis(span.as_millis()))
    }

    fn span(&self, key: &str) -> anyhow::Result<Span> {
        let span: Span = self.values.text(key).parse().with_context(|| key.to_owned())?;
        if span.is_zero() {
            bail!("{}: expected a duration longer than zero", self.named(key));
        }
        Ok(span)
    }
}

/// Every key with its value, as a file of this text and these variables make it, or what is wrong with them. For
/// random inputs: files that the text names are left alone.
#[doc(hidden)]
pub fn effective(text: &str, environment: &[(String, String)]) -> anyhow::Result<Vec<(String, Value)>> {
    let config = Config::read(File::of("wilco.toml".into(), text)?, environment)?;
    config.listen()?;
    config.auth_required()?;
    config.settings(String::new())?;
    config.human_webhook()?;
    config.limits()?;
    Ok(config.each().into_iter().map(|(key, given)| (key, given.value)).collect())
}

/// The variables that are text; others cannot be ours.
fn environment() -> Vec<(String, String)> {
    let texts = std::env::vars_os().map(|(name, text)| (name.into_string(), text.into_string()));
    texts.filter_map(|(name, text)| Some((name.ok()?, text.ok()?))).collect()
}

/// Variables of the command line, which are no keys.
const OTHERS: [&str; 5] = ["WILCO_AGENT", "WILCO_LOG", "WILCO_TOKEN", "WILCO_TOKEN_FILE", "WILCO_URL"];

/// A variable without what all of ours begin with.
fn bare(name: &str) -> &str {
    name.strip_prefix("WILCO_").unwrap_or(name)
}

/// A variable that looks like a key of a section and is none was meant to be one, and so was one that is nearly a
/// key. Further away it may be anything: programs get variables from Wilco, containers from whoever runs them.
fn known_variables(environment: &[(String, String)], policies: &Policies) -> anyhow::Result<()> {
    let mut paths: Vec<_> = KEYS.iter().map(|key| key.path.to_owned()).collect();
    paths.extend(policy::paths(policies));
    let sections = paths.iter().filter_map(|path| path.split_once('.'));
    let sections: BTreeSet<_> = sections.map(|(section, _)| environment_name(section) + "_").collect();
    let known: BTreeSet<_> = paths.iter().map(|path| environment_name(path)).collect();
    let free = [OPERATION, VALIDATION, NUDGE].map(environment_prefix);
    let chosen = |name: &str| free.iter().any(|prefix| name.len() > prefix.len() && name.starts_with(prefix));
    let free = |name: &str| chosen(name) || known.contains(name) || OTHERS.contains(&name);
    for (name, _) in environment.iter().filter(|(name, _)| name.starts_with("WILCO_") && !free(name)) {
        if let Some(near) = nearest(bare(name), known.iter().map(|known| bare(known))) {
            bail!("environment variable {name}: there is no such key; did you mean WILCO_{near}?");
        }
        if sections.iter().any(|section| name.starts_with(section)) {
            bail!("environment variable {name}: there is no such key; wilco config shows them all");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cfg_1_a_mistyped_variable_names_the_nearest() {
        let check = |name: &str| {
            known_variables(&[(name.to_owned(), "x".to_owned())], &Policies::default())
                .map_err(|error| error.to_string())
        };
        assert!(check("WILCO_SERVER_LISTN").unwrap_err().contains("did you mean WILCO_SERVER_LISTEN?"));
        assert!(
            check("WILCO_POLICY_DELEGATION_ACK_TIMOUT")
                .unwrap_err()
                .contains("WILCO_POLICY_DELEGATION_ACK_TIMEOUT?")
        );
        assert!(check("WILCO_ATUH").unwrap_err().contains("did you mean WILCO_AUTH?"));
        assert!(check("WILCO_SERVR_LISTEN").unwrap_err().contains("did you mean WILCO_SERVER_LISTEN?"));
        assert!(
            check("WILCO_LIMIT_BODY_BYTES").unwrap_err().contains("did you mean WILCO_LIMITS_BODY_BYTES?")
        );
        for fine in [
            "WILCO_STEP",
            "WILCO_TASK",
            "WILCO_ISSUE",
            "WILCO_PHASE",
            "WILCO_SERVICE_HOST",
            "WILCO_PORT_23000_TCP_ADDR",
            "WILCO_AGENT",
            "WILCO_URL",
            "WILCO_LOG",
            "WILCO_SERVER_LISTEN",
            "SERVER_LISTN",
            "WILCO_NUDGE_COMMANDS_BELL",
            "WILCO_POLICY_DELEGATION_CRITICAL_BASE_WAIT",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
    }
}
