//! How a node proves to another on whose behalf it calls. The secret that both know never travels.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderValue, Method, Uri};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wilco_engine::Viewer;
use wilco_protocol::{Name, Span, Time};

/// The call as it was made there, and who made it.
const CALL: &str = "wilco-forwarded";
const PROOF: &str = "wilco-forwarded-proof";

/// An older proof, or one from the future, counts for nothing.
const COUNTS_FOR: Span = Span::seconds(30);
/// Proofs that are remembered; with more, the oldest are forgotten, which are too old by then anyway.
const MAX_REMEMBERED: usize = 200_000;

/// On whose behalf another node calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Forwarded {
    /// `local`, `operator`, `read-only` or `agent`.
    viewer: String,
    agent: Option<String>,
    pub(crate) orchestrates: bool,
    pub(crate) sent_by: Option<String>,
    /// The node that it was made at.
    #[serde(default)]
    pub(crate) node: Option<String>,
    /// SHA-256 of the body, in hexadecimal digits.
    pub(crate) body: String,
    time: i64,
    nonce: String,
}

impl Forwarded {
    pub(super) fn new(
        viewer: &Viewer,
        orchestrates: bool,
        sent_by: Option<String>,
        body: &[u8],
        now: Time,
    ) -> Forwarded {
        let (word, agent) = match viewer {
            Viewer::Local => ("local", None),
            Viewer::Operator => ("operator", None),
            Viewer::ReadOnly => ("read-only", None),
            Viewer::Agent(name) => ("agent", Some(name.to_string())),
        };
        let mut nonce = [0u8; 16];
        // Without chance there is no proof, and the call is refused over there.
        let nonce = getrandom::fill(&mut nonce).map(|()| wilco_store::hex(&nonce)).unwrap_or_default();
        let (viewer, body, time) = (word.to_owned(), digest(body), now.millis());
        Forwarded { viewer, agent, orchestrates, sent_by, node: None, body, time, nonce }
    }

    pub(super) fn through(self, node: &str) -> Forwarded {
        Forwarded { node: Some(node.to_owned()), ..self }
    }

    pub(crate) fn viewer(&self) -> Option<Viewer> {
        match (self.viewer.as_str(), &self.agent) {
            ("local", None) => Some(Viewer::Local),
            ("operator", None) => Some(Viewer::Operator),
            ("read-only", None) => Some(Viewer::ReadOnly),
            ("agent", Some(name)) => Some(Viewer::Agent(Name::new(name))),
            _ => None,
        }
    }

    /// Puts itself and its proof on a call.
    pub(super) fn sign(&self, secret: &[u8], method: &Method, uri: &Uri, headers: &mut HeaderMap) {
        let Ok(text) = serde_json::to_string(self) else { return };
        let proof = proof(secret, method, uri, headers, &text);
        let value = |text: &str| HeaderValue::from_str(text).ok();
        if let (Some(text), Some(proof)) = (value(&wilco_store::hex(text.as_bytes())), value(&proof)) {
            headers.insert(CALL, text);
            headers.insert(PROOF, proof);
        }
    }
}

pub(crate) fn digest(body: &[u8]) -> String {
    wilco_store::hex(&Sha256::digest(body))
}

/// Everything that a call does and for whom; the body by its hash.
fn proof(secret: &[u8], method: &Method, uri: &Uri, headers: &HeaderMap, call: &str) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    let header = |name: &str| headers.get(name).map(HeaderValue::as_bytes).unwrap_or_default();
    let path = uri.path_and_query().map(|path| path.as_str()).unwrap_or_default();
    let parts = [
        method.as_str().as_bytes(),
        path.as_bytes(),
        header("idempotency-key"),
        header("wilco-agent"),
        header("wilco-speaks"),
        header("content-type"),
        call.as_bytes(),
    ];
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    wilco_store::hex(&mac.finalize().into_bytes())
}

/// The proofs that were seen, so that none counts twice.
#[derive(Debug, Default)]
pub(crate) struct SeenProofs {
    /// Held only to look one up; never over an await.
    seen: Mutex<BTreeMap<(i64, String), ()>>,
}

impl SeenProofs {
    /// The call of another node, if it is proven, new, and of now. What is not is as if it were not there.
    pub(crate) fn read(
        &self,
        secret: &[u8],
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        now: Time,
    ) -> Option<Forwarded> {
        use subtle::ConstantTimeEq;
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let call = String::from_utf8(unhex(text(CALL)?)?).ok()?;
        let expected = proof(secret, method, uri, headers, &call);
        if secret.is_empty() || !bool::from(expected.as_bytes().ct_eq(text(PROOF)?.as_bytes())) {
            return None;
        }
        let forwarded: Forwarded = serde_json::from_str(&call).ok()?;
        let made = Time::from_millis(forwarded.time);
        let is_now = now.since(made) <= COUNTS_FOR && made.since(now) <= COUNTS_FOR;
        if !is_now || forwarded.nonce.is_empty() {
            return None;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let old = now.millis() - 2 * COUNTS_FOR.as_millis() as i64;
        while seen.first_key_value().is_some_and(|((time, _), ())| *time < old) || seen.len() > MAX_REMEMBERED
        {
            seen.pop_first();
        }
        seen.insert((forwarded.time, forwarded.nonce.clone()), ()).is_none().then_some(forwarded)
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-10: changed in any part, shown twice, old or made without the secret, a proof counts for nothing.
    #[test]
    fn pg_10_a_proof_counts_once_for_the_call_it_was_made_for() {
        let (now, uri) = (Time::from_millis(1_000_000), Uri::from_static("/v1/messages"));
        let made = |viewer: &Viewer| {
            let mut headers = HeaderMap::new();
            headers.insert("idempotency-key", HeaderValue::from_static("k1"));
            Forwarded::new(viewer, true, None, b"{}", now).sign(b"secret", &Method::POST, &uri, &mut headers);
            headers
        };
        let seen = SeenProofs::default();
        let read = |secret: &[u8], method: &Method, uri: &Uri, headers: &HeaderMap, now: Time| {
            seen.read(secret, method, uri, headers, now).and_then(|forwarded| forwarded.viewer())
        };
        let alice = Viewer::Agent(Name::new("alice"));
        let headers = made(&alice);
        assert_eq!(read(b"other", &Method::POST, &uri, &headers, now), None);
        assert_eq!(read(b"", &Method::POST, &uri, &headers, now), None);
        assert_eq!(read(b"secret", &Method::PUT, &uri, &headers, now), None);
        assert_eq!(read(b"secret", &Method::POST, &Uri::from_static("/v1/agents"), &headers, now), None);
        assert_eq!(read(b"secret", &Method::POST, &uri, &headers, Time::from_millis(1_040_000)), None);
        let mut other = headers.clone();
        other.insert("idempotency-key", HeaderValue::from_static("k2"));
        assert_eq!(read(b"secret", &Method::POST, &uri, &other, now), None);
        assert_eq!(read(b"secret", &Method::POST, &uri, &headers, now), Some(alice));
        assert_eq!(read(b"secret", &Method::POST, &uri, &headers, now), None, "once");
        assert_eq!(
            read(b"secret", &Method::POST, &uri, &made(&Viewer::Operator), now),
            Some(Viewer::Operator)
        );
    }
}
