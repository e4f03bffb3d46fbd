//! Names that are registered by the way, because they were written to, wrote or waited: every owner has so many a day. Whoever
//! registers agents outright is not counted.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use http::StatusCode;
use wilco_engine::Post;
use wilco_protocol::directory::Unresolved;

use super::Owner;
use crate::app::App;
use crate::problem::Failure;

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// How many names each owner brought today.
#[derive(Debug, Default)]
pub(crate) struct NewNames {
    /// Held only to count; never over an await.
    today: Mutex<Today>,
}

#[derive(Debug, Default)]
struct Today {
    day: i64,
    brought: HashMap<Owner, usize>,
}

/// The names that a request would bring. What was not registered in the end is not counted.
#[derive(Debug)]
pub(crate) struct Newcomers<'a> {
    app: &'a App,
    owner: Owner,
    names: HashSet<String>,
}

impl<'a> Newcomers<'a> {
    pub(crate) fn of(app: &'a App, owner: Owner) -> Newcomers<'a> {
        let owner = owner.if_known(|name| app.handle.find_agent(name).is_some());
        Newcomers { app, owner, names: HashSet::new() }
    }

    /// Counts the names in a message that nobody knows yet; 429 when they are too many for one day.
    pub(crate) fn admit(&mut self, post: &Post) -> Result<(), Failure> {
        self.admit_names(post.incoming.to.iter().chain(&post.incoming.from).map(String::as_str))
    }

    pub(crate) fn admit_names<'n>(&mut self, texts: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
        let mut new = HashSet::new();
        self.app.handle.ask_directory(|all| {
            for text in texts {
                let is_new = matches!(all.find(text), Err(Unresolved::Unknown { .. }));
                let name = text.trim_start_matches('@').to_ascii_lowercase();
                if is_new && !self.names.contains(&name) {
                    new.insert(name);
                }
            }
        });
        if new.is_empty() {
            return Ok(());
        }
        let most = self.app.config.limits.owner_names;
        let day = self.app.handle.now().millis().div_euclid(DAY_MILLIS);
        let mut today = self.app.new_names.today.lock().unwrap_or_else(PoisonError::into_inner);
        if today.day != day {
            *today = Today { day, brought: HashMap::new() };
        }
        let brought = today.brought.entry(self.owner.clone()).or_default();
        if *brought + new.len() > most {
            let detail = format!(
                "{most} agents were registered for you today by being written to, by writing or by waiting; register \
                 others yourself (PUT /v1/agents/NAME), or go on tomorrow"
            );
            return Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, "too-many", detail));
        }
        *brought += new.len();
        self.names.extend(new);
        Ok(())
    }
}

impl Drop for Newcomers<'_> {
    fn drop(&mut self) {
        let unknown = |name: &&String| self.app.handle.find_agent(name).is_none();
        let unused = self.names.iter().filter(unknown).count();
        if unused > 0 {
            let mut today = self.app.new_names.today.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(brought) = today.brought.get_mut(&self.owner) {
                *brought = brought.saturating_sub(unused);
            }
        }
    }
}
