//! Which data directory is meant, for verbs that work on one without asking the server.

use std::path::PathBuf;

use wilco_store::PostgresTarget;

use crate::config::Config;

#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Where the data is")]
pub(crate) struct Place {
    /// The data directory of the server; else the one that is configured
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The PostgreSQL that has the data instead: postgres://USER@HOST/DATABASE, without a password
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub(crate) store: Option<String>,
    /// The configuration file that names it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl Place {
    pub(crate) fn data(&self) -> anyhow::Result<PathBuf> {
        match &self.data {
            Some(data) => Ok(data.clone()),
            None => Config::load(self.config.as_deref())?.data(),
        }
    }

    /// The database that has the data, if one is named here or configured and no directory is named here.
    pub(crate) fn store(&self) -> anyhow::Result<Option<PostgresTarget>> {
        match &self.data {
            Some(_) => Ok(None),
            None => Config::load(self.config.as_deref())?.store_flagged(self.store.clone())?.store(),
        }
    }
}
