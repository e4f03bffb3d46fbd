//! Comments on issues, each made once.

use http::Method;
use serde_json::{Value, json};

use super::{Github, Trouble};

/// Comments to a page, and pages that are looked through.
const PAGE: usize = 100;
const MAX_PAGES: usize = 30;

impl Github {
    /// Comments on an issue, unless a comment with this marker is there. Gives its address.
    pub(crate) async fn comment(&self, issue: u64, text: &str, marker: &str) -> Result<String, Trouble> {
        if let Some(url) = self.commented(issue, marker).await? {
            return Ok(url);
        }
        let body = json!({"body": format!("{text}\n\n{marker}")});
        let made =
            self.of_repository(Method::POST, &format!("/issues/{issue}/comments"), Some(&body)).await?;
        address(&made)
    }

    async fn commented(&self, issue: u64, marker: &str) -> Result<Option<String>, Trouble> {
        for page in 1..=MAX_PAGES {
            let path = format!("/issues/{issue}/comments?per_page={PAGE}&page={page}");
            let found = self.of_repository(Method::GET, &path, None).await?;
            let comments = found.as_array().map(Vec::as_slice).unwrap_or_default();
            let ours = |comment: &&Value| {
                comment["body"].as_str().is_some_and(|body| body.trim_end().ends_with(marker))
            };
            if let Some(comment) = comments.iter().find(ours) {
                return address(comment).map(Some);
            }
            if comments.len() < PAGE {
                break;
            }
        }
        Ok(None)
    }
}

pub(super) fn address(made: &Value) -> Result<String, Trouble> {
    let url = made["html_url"].as_str().map(str::to_owned);
    url.ok_or_else(|| Trouble::Lasting("GitHub's answer names no html_url".to_owned()))
}
