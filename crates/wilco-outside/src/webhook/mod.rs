//! Calling a webhook: signed after Standard Webhooks, to allowed hosts only, no redirects.

mod allowed;
mod call;
mod signature;

use std::time::Duration;

pub use signature::Secret;

/// How webhooks may be called.
#[derive(Debug, Clone, Default)]
pub struct Webhooks {
    /// `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Whether addresses of this machine and of private networks may be called.
    pub private: bool,
    pub secret: Option<Secret>,
}

/// One call of a webhook.
#[derive(Debug, Clone)]
pub(crate) struct Hook<'a> {
    pub(crate) url: &'a str,
    /// The same for every try, so that whoever is called can tell a repetition.
    pub(crate) id: &'a str,
    /// Seconds since 1970, when it is called.
    pub(crate) timestamp: i64,
    pub(crate) body: String,
}

const LIMIT: Duration = Duration::from_secs(20);

impl Webhooks {
    /// Calls it; any answer but 2xx is a failure.
    pub(crate) async fn call(&self, hook: &Hook<'_>) -> Result<(), String> {
        let called = tokio::time::timeout(LIMIT, self.called(hook, false)).await;
        called.map_err(|_| format!("it did not answer within {} seconds", LIMIT.as_secs()))?
    }

    /// The same for an address that stands in the configuration itself: that is permission enough.
    pub(crate) async fn call_configured(&self, hook: &Hook<'_>) -> Result<(), String> {
        let called = tokio::time::timeout(LIMIT, self.called(hook, true)).await;
        called.map_err(|_| format!("it did not answer within {} seconds", LIMIT.as_secs()))?
    }

    async fn called(&self, hook: &Hook<'_>, configured: bool) -> Result<(), String> {
        let Some(secret) = &self.secret else {
            return Err("no secret is configured; set nudge.secret".to_owned());
        };
        let place = allowed::Place::read(hook.url)?;
        if !configured && !place.is_listed(&self.hosts) {
            return Err(format!("{} is not in nudge.webhook_hosts", place.named()));
        }
        let address = place.resolve(self.private || configured).await?;
        let signature = secret.sign(hook.id, hook.timestamp, &hook.body);
        let status = call::post(&place, address, hook, &signature).await?;
        match status.as_u16() {
            200..300 => Ok(()),
            300..400 => Err(format!("it answered {status}; redirects are not followed")),
            _ => Err(format!("it answered {status}")),
        }
    }
}
