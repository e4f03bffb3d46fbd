//! Assignees and labels of issues and pull requests.

use http::Method;
use serde_json::{Value, json};
use wilco_protocol::Span;
use wilco_protocol::handoff::{IssueUpdate, IssuesOrder, Party};

use super::{Github, Trouble, marker};

/// What became of all of them, and what GitHub said that may pass.
pub(crate) struct Issues {
    pub(crate) issues: Vec<IssueUpdate>,
    pub(crate) pulls: Vec<IssueUpdate>,
    pub(crate) again: Option<(String, Option<Span>)>,
}

impl Github {
    /// Moves every issue to the replacement and comments on it; a pull request gets its assignee. One that
    /// fails does not hold up the others.
    pub(crate) async fn hand_over(&self, order: &IssuesOrder) -> Issues {
        let mut all = Issues { issues: Vec::new(), pulls: Vec::new(), again: None };
        for number in &order.issues {
            let mut update = untouched(*number);
            let done = self.hand_issue(order, &mut update).await;
            all.issues.push(noted(update, done, &mut all.again));
        }
        for number in &order.pulls {
            let mut update = untouched(*number);
            let done = self.assign(*number, order, &mut update).await;
            all.pulls.push(noted(update, done.map(drop), &mut all.again));
        }
        all
    }

    async fn hand_issue(&self, order: &IssuesOrder, update: &mut IssueUpdate) -> Result<(), Trouble> {
        let number = update.number;
        let issue = self.assign(number, order, update).await?;
        self.label(number, &issue, order).await?;
        update.labels_changed = true;
        let marker = marker(&order.handoff_id, "audit");
        update.comment = Some(self.comment(number, &order.comment, &marker).await?);
        Ok(())
    }

    /// GitHub leaves out whom it cannot assign without a word; then the labels still tell.
    async fn assign(
        &self,
        number: u64,
        order: &IssuesOrder,
        update: &mut IssueUpdate,
    ) -> Result<Value, Trouble> {
        let (old, new) = (login(&order.failed), login(&order.replacement));
        let issue = self.of_repository(Method::GET, &format!("/issues/{number}"), None).await?;
        let path = format!("/issues/{number}/assignees");
        let mut assigned = is_assigned(&issue, new);
        if !assigned {
            let body = json!({"assignees": [new]});
            assigned = is_assigned(&self.of_repository(Method::POST, &path, Some(&body)).await?, new);
        }
        if is_assigned(&issue, old) && old != new {
            self.of_repository(Method::DELETE, &path, Some(&json!({"assignees": [old]}))).await?;
        }
        update.assignee_changed = assigned;
        Ok(issue)
    }

    async fn label(&self, number: u64, issue: &Value, order: &IssuesOrder) -> Result<(), Trouble> {
        let has = |label: &str| {
            let mut labels = issue["labels"].as_array().into_iter().flatten();
            labels.any(|known| known["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(label)))
        };
        let (old, new) =
            (format!("assigned:{}", order.failed.id), format!("assigned:{}", order.replacement.id));
        let path = format!("/issues/{number}/labels");
        if !has(&new) {
            self.of_repository(Method::POST, &path, Some(&json!({"labels": [new]}))).await?;
        }
        if has(&old) {
            match self.of_repository(Method::DELETE, &format!("{path}/{}", encoded(&old)), None).await {
                Ok(_) | Err(Trouble::NotFound(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(())
    }
}

fn untouched(number: u64) -> IssueUpdate {
    IssueUpdate { number, assignee_changed: false, labels_changed: false, comment: None, failure: None }
}

fn noted(
    mut update: IssueUpdate,
    done: Result<(), Trouble>,
    again: &mut Option<(String, Option<Span>)>,
) -> IssueUpdate {
    if let Err(trouble) = done {
        update.failure = Some(trouble.reason().to_owned());
        if let Trouble::Passing { reason, after } = trouble {
            let longest = again.take().and_then(|(_, known)| known).max(after);
            *again = Some((reason, longest));
        }
    }
    update
}

fn login(party: &Party) -> &str {
    party.github.as_deref().unwrap_or(&party.id)
}

fn is_assigned(issue: &Value, login: &str) -> bool {
    let mut assignees = issue["assignees"].as_array().into_iter().flatten();
    assignees.any(|known| known["login"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(login)))
}

/// A label within a path.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
