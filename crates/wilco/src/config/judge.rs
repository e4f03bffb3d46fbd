//! `[judge]`: who judges understandings besides Wilco's own rule and the initiators.

use anyhow::bail;
use wilco_engine::JudgeSettings;
use wilco_language::nearest;
use wilco_outside::{
    JudgeClient, JudgeLimits, JudgeSource, ModelEndpoint, ModelKey, ModelProvider, Program, Tls,
};
use wilco_protocol::Span;

use super::{Config, Origin};

/// The word for a program as judge.
const COMMAND: &str = "command";

/// Who is configured.
enum ConfiguredJudge {
    Model(ModelProvider),
    /// By `[judge]`, and asked by itself; or by `delegation.judge` alone, and asked by those who name it.
    Program {
        argv: Vec<String>,
        auto: bool,
    },
}

impl Config {
    /// What the engine must know of it. Everything that can be wrong with it is said here, at the start.
    pub(super) fn judge_settings(&self) -> anyhow::Result<JudgeSettings> {
        let configured = self.configured_judge()?;
        if let (None, Some((path, origin))) = (&configured, self.policies.names_a_judge()) {
            bail!(
                "{}: needs a judge; set [judge] provider and model (or delegation.judge to a program), or choose auto, \
                 initiator or accept",
                self.placed(path, origin)
            );
        }
        if let Some(ConfiguredJudge::Model(provider)) = configured {
            // Whatever stands in the variable: the address must do for a key.
            let key = match self.values.text("judge.key_env") {
                "" => ModelKey::None,
                variable => ModelKey::Empty { variable: variable.to_owned() },
            };
            self.endpoint(provider, key)?;
        }
        let auto = match configured {
            Some(ConfiguredJudge::Model(_)) => true,
            Some(ConfiguredJudge::Program { auto, .. }) => auto,
            None => false,
        };
        let timeout = self.judge_timeout()?;
        let patience = Span::millis(timeout.as_millis().saturating_mul(2));
        Ok(JudgeSettings {
            named: configured.is_some(),
            auto,
            patience,
            shadow: self.values.flag("judge.shadow"),
        })
    }

    /// The judge itself, if one is configured.
    pub(crate) fn judge(&self) -> anyhow::Result<Option<JudgeClient>> {
        let timeout = std::time::Duration::from_millis(self.judge_timeout()?.as_millis());
        let source = match self.configured_judge()? {
            None => return Ok(None),
            Some(ConfiguredJudge::Program { argv, .. }) => {
                let env = self.values.list("commands.env");
                JudgeSource::Program(Program { argv, limit: timeout, env })
            }
            Some(ConfiguredJudge::Model(provider)) => {
                JudgeSource::Model(Box::new(self.endpoint(provider, self.key())?))
            }
        };
        let limits = JudgeLimits {
            timeout,
            concurrency: (self.values.whole("judge.concurrency") as usize).min(MOST_AT_ONCE),
            per_hour: self.values.whole("judge.per_hour") as usize,
            shadow: self.values.flag("judge.shadow"),
            ticks: wilco_runtime::ticks,
        };
        Ok(Some(JudgeClient::new(source, limits)))
    }

    fn configured_judge(&self) -> anyhow::Result<Option<ConfiguredJudge>> {
        let (provider, command) = (self.values.text("judge.provider"), self.values.list("judge.command"));
        let older = self.values.list("delegation.judge");
        let known = ModelProvider::ALL.into_iter().find(|known| known.word() == provider);
        let set = |key: &&&str| !self.values.text(key).is_empty();
        match (provider, known) {
            ("", _) => {
                let keys = ["judge.url", "judge.model", "judge.key_env"];
                let command = (!command.is_empty()).then_some("judge.command");
                if let Some(key) = keys.iter().find(set).copied().or(command) {
                    bail!("{}: needs judge.provider: openai, anthropic, gemini or command", self.named(key));
                }
                Ok(Some(older)
                    .filter(|argv| !argv.is_empty())
                    .map(|argv| ConfiguredJudge::Program { argv, auto: false }))
            }
            (COMMAND, _) => {
                let argv = if command.is_empty() { older } else { command };
                if argv.first().is_none_or(String::is_empty) {
                    bail!("{}: needs judge.command, the program that judges", self.named("judge.provider"));
                }
                Ok(Some(ConfiguredJudge::Program { argv, auto: true }))
            }
            (_, Some(provider)) => {
                if self.values.text("judge.model").trim().is_empty() {
                    bail!("{}: needs judge.model, the name of a model", self.named("judge.provider"));
                }
                if !command.is_empty() {
                    bail!("{}: belongs to judge.provider = \"command\"", self.named("judge.command"));
                }
                Ok(Some(ConfiguredJudge::Model(provider)))
            }
            (other, None) => {
                let words: Vec<_> =
                    ModelProvider::ALL.map(ModelProvider::word).into_iter().chain([COMMAND]).collect();
                let near = nearest(other, words.iter().copied());
                let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                bail!(
                    "{}: expected one of {}, got {other:?}{near}",
                    self.named("judge.provider"),
                    words.join(", ")
                )
            }
        }
    }

    fn endpoint(&self, provider: ModelProvider, key: ModelKey) -> anyhow::Result<ModelEndpoint> {
        let (url, model) = (self.values.text("judge.url"), self.values.text("judge.model").trim());
        let insecure = self.values.flag("judge.insecure");
        match ModelEndpoint::new(provider, url, model, key, insecure, Tls::default()) {
            Ok(endpoint) => Ok(endpoint),
            Err(wrong) => bail!("{}: {wrong}", self.named("judge.url")),
        }
    }

    /// What is sent to be let in. An empty variable keeps nobody from starting; nobody is called without it.
    fn key(&self) -> ModelKey {
        let variable = self.values.text("judge.key_env").to_owned();
        if variable.is_empty() {
            return ModelKey::None;
        }
        match std::env::var(&variable).map(|key| key.trim().to_owned()) {
            Ok(key) if !key.is_empty() => ModelKey::Set { variable, key },
            Ok(_) | Err(_) => ModelKey::Empty { variable },
        }
    }

    fn judge_timeout(&self) -> anyhow::Result<Span> {
        let older = "delegation.judge_timeout";
        let given = |key: &str| {
            self.values.each().any(|(known, given)| known == key && given.origin != Origin::Default)
        };
        if given(older) && !given("judge.timeout") { self.span(older) } else { self.span("judge.timeout") }
    }
}

/// No provider answers more at once.
const MOST_AT_ONCE: usize = 1_000;
