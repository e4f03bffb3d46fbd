//! The signature of Standard Webhooks: `v1,` and the base64 of an HMAC over id, time and body.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A key that is written `whsec_` and base64. It shows itself to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

/// Shorter keys are guessed too easily.
const LEAST: usize = 24;

impl Secret {
    /// Reads what stands in the configuration; an error never repeats it.
    pub fn read(text: &str) -> Result<Secret, String> {
        let wrong = format!("expected whsec_ and the base64 of at least {LEAST} random bytes");
        let encoded = text.strip_prefix("whsec_").ok_or_else(|| wrong.clone())?;
        let bytes = STANDARD.decode(encoded).map_err(|_| wrong.clone())?;
        if bytes.len() < LEAST { Err(wrong) } else { Ok(Secret(bytes)) }
    }

    pub(crate) fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        // A key of any length is taken.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn msg_21_webhooks_are_signed_as_the_standard_says() {
        let secret = Secret::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn sec_8_a_secret_shows_itself_to_nobody() {
        let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(format!("{:?}", Secret::read(text).unwrap()), "Secret(…)");
        for wrong in ["", "whsec_", "whsec_AAAA", "hunter2hunter2hunter2hunter2", "whsec_%%%"] {
            let error = Secret::read(wrong).unwrap_err();
            assert!(wrong.len() < 7 || !error.contains(wrong), "{error}");
        }
    }
}
