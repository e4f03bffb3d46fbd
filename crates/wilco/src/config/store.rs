//! Where the data is: in a directory, or in a schema of PostgreSQL.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use wilco_runtime::ClusterSecret;
use wilco_store::{PostgresOptions, PostgresTarget, has_password, with_password_of};

use super::Config;

impl Config {
    /// Takes over the address that a flag names. A password there could be read by everybody on this machine.
    pub(crate) fn store_flagged(self, url: Option<String>) -> anyhow::Result<Config> {
        if url.as_deref().is_some_and(has_password) {
            anyhow::bail!(
                "--store with a password would show it to everybody on this machine; give it in WILCO_STORE_URL, \
                 in store.password_file or in the file that PGPASSFILE names"
            );
        }
        // The secret part may stand where nobody else can read it.
        let url = url.map(|url| with_password_of(&url, self.values.text("store.url")));
        Ok(self.flagged("store.url", url, "--store"))
    }

    /// What nodes prove their calls to each other with, if it is not to be the one in the schema.
    pub(crate) fn cluster_secret(&self) -> anyhow::Result<Option<ClusterSecret>> {
        const LETTERS: usize = 32;
        match self.values.text("store.cluster_secret") {
            "" => Ok(None),
            text if text.len() < LETTERS => {
                anyhow::bail!("{}: expected at least {LETTERS} letters", self.named("store.cluster_secret"))
            }
            text => Ok(Some(ClusterSecret(text.as_bytes().to_vec()))),
        }
    }

    /// How long a call waits for a node that writes.
    pub(crate) fn patience(&self) -> anyhow::Result<Duration> {
        self.time("store.patience")
    }

    /// The database, if there is one.
    pub(crate) fn store(&self) -> anyhow::Result<Option<PostgresTarget>> {
        let file = |key: &str| {
            Some(PathBuf::from(self.values.text(key))).filter(|path| !path.as_os_str().is_empty())
        };
        let url = self.values.text("store.url");
        if url.is_empty() {
            return Ok(None);
        }
        let options = PostgresOptions {
            url: url.to_owned(),
            schema: self.values.text("store.schema").to_owned(),
            ca_file: file("store.ca_file"),
            password_file: file("store.password_file"),
            pass_file: std::env::var_os("PGPASSFILE").map(PathBuf::from),
            patience: self.time("store.patience")?,
            lease: self.time("store.lease")?,
        };
        let target = PostgresTarget::new(&options).with_context(|| self.named("store.url"))?;
        Ok(Some(target))
    }
}
