//! The document of a handoff: written from a template or given, saved, then published where its reader finds it.
//!
//! It lies on the disk, synced, before anything is published. Whatever fails after that, Wilco serves it itself.

mod save;
mod template;

use std::path::Path;

use wilco_protocol::handoff::{Body, DocumentOrder, Publish, Published};

pub(crate) use save::saved;
pub use template::Template;

use crate::github::{Github, Trouble, marker};

/// GitHub takes comments of this many characters.
pub(crate) const MAX_COMMENT: usize = 65_536;
/// How often GitHub is asked before another way is taken; its reader waits for the document.
const TRIES: u32 = 3;
/// The wait after the first failure; it doubles.
const FIRST_WAIT: std::time::Duration = std::time::Duration::from_millis(250);

/// The text of a document.
pub(crate) fn text(template: &Template, body: &Body) -> Result<String, String> {
    match body {
        Body::Given(text) => Ok(text.clone()),
        Body::Template(variables) => template.filled(variables),
    }
}

/// Saves it beneath the directory of documents; gives the name that it got.
pub(crate) fn save(directory: &Path, name: &str, text: &str) -> std::io::Result<String> {
    save::save(&crate::disk::Disk::default(), directory, name, text)
}

/// Publishes what was saved: as ordered, or the next way that works.
pub(crate) async fn publish(github: Option<&Github>, order: &DocumentOrder, text: &str) -> Published {
    let mut failures = Vec::new();
    for way in ways(order, text) {
        let url = match (way, github) {
            (Publish::Local, _) => Ok(order.local_url.clone()),
            (_, None) => Err("no repository is configured; set github.repository".to_owned()),
            (Publish::GithubIssue, Some(github)) => on_issue(github, order, text).await,
            (Publish::GithubGist, Some(github)) => {
                again(|| github.gist(&order.name, text, &order.description, &order.handoff_id)).await
            }
        };
        match url {
            Ok(url) => {
                let (bytes, at) = (text.len() as u64, order.at);
                return Published { url, bytes, published_as: way, failures, at };
            }
            Err(reason) => failures.push(format!("{}: {reason}", way.word())),
        }
    }
    // The last way always works.
    let (url, bytes) = (order.local_url.clone(), text.len() as u64);
    Published { url, bytes, published_as: Publish::Local, failures, at: order.at }
}

/// The ordered way and those behind it. A text that is too long for a comment goes into a gist.
fn ways(order: &DocumentOrder, text: &str) -> Vec<Publish> {
    let marked = text.chars().count() + marker(&order.handoff_id, &order.name).chars().count() + 2;
    match order.publish {
        Publish::Local => vec![Publish::Local],
        Publish::GithubIssue if marked <= MAX_COMMENT => {
            vec![Publish::GithubIssue, Publish::GithubGist, Publish::Local]
        }
        Publish::GithubIssue | Publish::GithubGist => vec![Publish::GithubGist, Publish::Local],
    }
}

async fn on_issue(github: &Github, order: &DocumentOrder, text: &str) -> Result<String, String> {
    let Some(issue) = order.issue else { return Err("no issue was named".to_owned()) };
    let marker = marker(&order.handoff_id, &order.name);
    again(|| github.comment(issue, text, &marker)).await
}

/// A few tries close together. Who is told to wait takes another way.
async fn again<F: Future<Output = Result<String, Trouble>>>(call: impl Fn() -> F) -> Result<String, String> {
    let mut failed = String::new();
    for attempt in 0..TRIES {
        match call().await {
            Ok(url) => return Ok(url),
            Err(Trouble::Passing { reason, after: None }) => failed = reason,
            Err(trouble) => return Err(trouble.reason().to_owned()),
        }
        tokio::time::sleep(FIRST_WAIT * 2u32.pow(attempt)).await;
    }
    Err(failed)
}
