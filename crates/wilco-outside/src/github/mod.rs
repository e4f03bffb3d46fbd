//! GitHub over its REST API: comments, gists, labels, assignees.
//!
//! Everything here can be repeated: comments and gists carry a marker that is looked for first, labels and
//! assignees are what they should be or are made so.

mod check;
mod client;
mod comments;
mod gists;
mod issues;

use std::fmt;
use std::time::Duration;

pub(crate) use client::{MAX_WAIT, Trouble};

use crate::place::CallAddress;
use crate::tls::Tls;

/// A repository and the right to write to it.
#[derive(Debug, Clone)]
pub struct Github {
    base: CallAddress,
    /// `owner/repo`.
    repository: String,
    token: Token,
    tls: Tls,
    patience: Duration,
}

/// GitHub answers within this time or not at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// A token. It shows itself to nobody.
#[derive(Clone)]
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Github {
    /// Checks what stands in the configuration. No error repeats the token.
    pub fn new(base_url: &str, repository: &str, token: String, tls: Tls) -> Result<Github, String> {
        let base = CallAddress::read(base_url)?;
        if !base.is_secure() && !base.is_loopback() {
            return Err(format!("{base_url:?}: expected https://; http is for this machine alone"));
        }
        let is_word = |word: &str| {
            let known = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c);
            !word.is_empty() && word.chars().all(known) && word.chars().any(|c| c != '.')
        };
        if !repository.split_once('/').is_some_and(|(owner, name)| is_word(owner) && is_word(name)) {
            return Err(format!("{repository:?}: expected owner/repo"));
        }
        if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
            return Err("the token is not one: expected printable characters".to_owned());
        }
        Ok(Github { base, repository: repository.to_owned(), token: Token(token), tls, patience: PATIENCE })
    }

    /// The same, with another patience.
    pub fn patient_for(self, patience: Duration) -> Github {
        Github { patience, ..self }
    }
}

/// The invisible end of a comment that tells what it is about.
pub(crate) fn marker(handoff: &str, what: &str) -> String {
    let tame = |text: &str| text.replace(['<', '>', '\n', '\r'], "");
    format!("<!-- wilco handoff {} {} -->", tame(handoff), tame(what))
}
