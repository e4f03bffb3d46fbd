//! Calling a webhook: signed after Standard Webhooks, to allowed hosts only, no redirects.

mod signature;

use std::time::Duration;

use http::{Request, header};
use http_body_util::Full;

pub use signature::Secret;

use crate::call::call;
use crate::place::CallAddress;
use crate::tls::Tls;

/// How webhooks may be called.
#[derive(Debug, Clone, Default)]
pub struct Webhooks {
    /// `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Whether addresses of this machine and of private networks may be called.
    pub private: bool,
    pub secret: Option<Secret>,
    /// Whose certificates are trusted.
    pub tls: Tls,
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
        let place = CallAddress::read(hook.url)?;
        if !configured && !place.is_listed(&self.hosts) {
            return Err(format!("{} is not in nudge.webhook_hosts", place.named()));
        }
        let address = place.resolve(self.private || configured).await?;
        let signature = secret.sign(hook.id, hook.timestamp, &hook.body);
        let request = Request::post(place.path.as_str())
            .header(header::HOST, place.header())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, concat!("wilco/", env!("CARGO_PKG_VERSION")))
            .header("webhook-id", hook.id)
            .header("webhook-timestamp", hook.timestamp)
            .header("webhook-signature", signature)
            .body(Full::from(hook.body.clone()))
            .map_err(|error| error.to_string())?;
        let status = call(&place, address, &self.tls, request, None).await?.status;
        match status.as_u16() {
            200..300 => Ok(()),
            300..400 => Err(format!("it answered {status}; redirects are not followed")),
            _ => Err(format!("it answered {status}")),
        }
    }
}
