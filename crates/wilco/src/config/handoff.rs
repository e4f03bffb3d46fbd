//! `[handoff]` and `[github]`: where handoffs leave their traces.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use wilco_outside::{Github, Handoffs, Template, Tls};

use super::Config;

/// What stands for the data directory in a path.
const DATA: &str = "{data}";

impl Config {
    /// Checked here, so that a broken template or a missing token shows at the start.
    pub(super) fn handoffs(&self, data: &Path) -> anyhow::Result<Handoffs> {
        let state_file = self.values.text("handoff.state_file");
        Ok(Handoffs {
            tables: self.store()?,
            documents: self.beneath("handoff.documents", data)?,
            template: self.template(data)?,
            github: self.github()?,
            state_file: (!state_file.is_empty())
                .then(|| self.beneath("handoff.state_file", data))
                .transpose()?,
            audit_file: self.beneath("handoff.audit_file", data)?,
            audit_rotate_bytes: self.values.whole("handoff.audit_rotate_bytes"),
            turn: Arc::default(),
        })
    }

    fn beneath(&self, key: &str, data: &Path) -> anyhow::Result<PathBuf> {
        match self.values.text(key) {
            "" => bail!("{}: expected a path", self.named(key)),
            text => Ok(match text.strip_prefix(DATA) {
                Some(rest) => data.join(rest.trim_start_matches('/')),
                None => PathBuf::from(text),
            }),
        }
    }

    fn template(&self, data: &Path) -> anyhow::Result<Template> {
        const KEY: &str = "handoff.template";
        if self.values.text(KEY).is_empty() {
            return Ok(Template::default());
        }
        let path = self.beneath(KEY, data)?;
        let named = || format!("{}: {}", self.named(KEY), path.display());
        let text = std::fs::read_to_string(&path).with_context(named)?;
        match Template::read(&text) {
            Ok(template) => Ok(template),
            Err(wrong) => bail!("{}: {wrong}", named()),
        }
    }

    /// None when no repository is configured. No error repeats the token.
    pub(crate) fn github(&self) -> anyhow::Result<Option<Github>> {
        let repository = self.values.text("github.repository");
        if repository.is_empty() {
            return Ok(None);
        }
        let variable = self.values.text("github.token_env");
        let Some(token) = std::env::var(variable).ok().filter(|token| !token.is_empty()) else {
            bail!(
                "{}: needs a token; set the environment variable {variable:?}, or name another in github.token_env",
                self.named("github.repository")
            );
        };
        match Github::new(self.values.text("github.base_url"), repository, token, Tls::default()) {
            Ok(github) => Ok(Some(github)),
            Err(wrong) => bail!("{}: {wrong}", self.named("github.repository")),
        }
    }
}
