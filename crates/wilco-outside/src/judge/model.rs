//! A model behind an address: one request, and what its answer is worth. Only the configured address is called, no
//! redirect is followed, and the key appears nowhere.

use std::fmt;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::Value;
use wilco_language::judge::JudgeCase;
use wilco_protocol::Time;
use wilco_protocol::judgement::JudgeTokens;

use super::{NoAnswer, RawAnswer, anthropic, bounded, gemini, openai, prompt};
use crate::call::{Answer, call};
use crate::place::CallAddress;
use crate::tls::Tls;

/// Whose format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProvider {
    OpenAi,
    Anthropic,
    Gemini,
}

/// Where a model is, and by which name.
pub struct ModelEndpoint {
    pub(super) provider: ModelProvider,
    pub(super) model: String,
    place: CallAddress,
    key: ModelKey,
    insecure: bool,
    tls: Tls,
}

/// What is sent to be let in.
pub enum ModelKey {
    None,
    /// This variable should hold it, and is empty.
    Empty {
        variable: String,
    },
    Set {
        variable: String,
        key: String,
    },
}

impl fmt::Debug for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModelKey::None => "none",
            ModelKey::Empty { .. } => "empty",
            ModelKey::Set { .. } => "set",
        })
    }
}

/// What a provider sends for a question.
pub(super) struct ModelCall {
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

/// What a provider's answer holds: the text or object of the model, unless it refused or was cut.
pub(super) struct Told {
    pub(super) said: Result<String, String>,
    pub(super) tokens: Option<JudgeTokens>,
}

/// Another try makes sense after this time.
pub(super) struct Again {
    pub(super) reason: String,
    pub(super) after: Duration,
}

/// A larger answer is none.
const MAX_ANSWER: usize = 1 << 20;

impl ModelProvider {
    pub const ALL: [ModelProvider; 3] =
        [ModelProvider::OpenAi, ModelProvider::Anthropic, ModelProvider::Gemini];

    pub fn word(self) -> &'static str {
        match self {
            ModelProvider::OpenAi => "openai",
            ModelProvider::Anthropic => "anthropic",
            ModelProvider::Gemini => "gemini",
        }
    }

    /// Its public address.
    fn public(self) -> &'static str {
        match self {
            ModelProvider::OpenAi => "https://api.openai.com",
            ModelProvider::Anthropic => "https://api.anthropic.com",
            ModelProvider::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    fn version(self) -> &'static str {
        match self {
            ModelProvider::OpenAi | ModelProvider::Anthropic => "/v1",
            ModelProvider::Gemini => "/v1beta",
        }
    }

    fn asked(self, model: &str, key: Option<&str>, question: &str) -> ModelCall {
        match self {
            ModelProvider::OpenAi => openai::asked(model, key, question),
            ModelProvider::Anthropic => anthropic::asked(model, key, question),
            ModelProvider::Gemini => gemini::asked(model, key, question),
        }
    }

    fn told(self, body: &Value) -> Told {
        match self {
            ModelProvider::OpenAi => openai::told(body),
            ModelProvider::Anthropic => anthropic::told(body),
            ModelProvider::Gemini => gemini::told(body),
        }
    }
}

impl ModelEndpoint {
    /// `url`: the base, with or without its version; empty: the provider's public address. What is wrong is said without
    /// repeating an address that may hold a secret.
    pub fn new(
        provider: ModelProvider,
        url: &str,
        model: &str,
        key: ModelKey,
        insecure: bool,
        tls: Tls,
    ) -> Result<ModelEndpoint, String> {
        let place = base(provider, url)?;
        let plain = !place.is_secure() && !place.is_loopback();
        if plain && !insecure && !matches!(key, ModelKey::None) {
            return Err(format!(
                "the key would go to {} over plain http; use https, or set judge.insecure = true",
                place.named()
            ));
        }
        Ok(ModelEndpoint { provider, model: model.to_owned(), place, key, insecure, tls })
    }

    pub(super) fn named(&self) -> String {
        format!("{} at {}", self.model, self.place.named())
    }

    /// Nobody is called without the key that is configured.
    pub(super) fn is_ready(&self) -> Result<(), String> {
        match &self.key {
            ModelKey::None | ModelKey::Set { .. } => Ok(()),
            ModelKey::Empty { variable } => {
                Err(format!("the variable {variable}, which judge.key_env names, is empty"))
            }
        }
    }

    /// One request. The outer error is final; the inner one may pass.
    pub(super) async fn ask(
        &self,
        case: &JudgeCase,
        now: Time,
    ) -> Result<Result<RawAnswer, Again>, NoAnswer> {
        let boundary = prompt::boundary(case)?;
        let key = match &self.key {
            ModelKey::Set { key, .. } => Some(key.as_str()),
            ModelKey::None | ModelKey::Empty { .. } => None,
        };
        let asked = self.provider.asked(&self.model, key, &prompt::question(case, &boundary));
        let answer = self.called(asked).await.map_err(|why| NoAnswer::from(self.without_key(&why)))?;
        if answer.status.is_success() {
            return self.read(&answer).map(Ok);
        }
        let reason = self.without_key(&self.refused(&answer));
        let passing = answer.status == StatusCode::TOO_MANY_REQUESTS || answer.status.is_server_error();
        match wait(&answer.headers, now).filter(|_| passing) {
            Some(after) => Ok(Err(Again { reason, after })),
            None => Err(reason.into()),
        }
    }

    async fn called(&self, asked: ModelCall) -> Result<Answer, String> {
        let named = self.place.named();
        let address = self.place.resolve(true).await?;
        let bare = !self.place.is_secure() && !address.ip().is_loopback();
        if bare && !self.insecure && !matches!(self.key, ModelKey::None) {
            return Err(format!("{named} is not on this machine, and the key does not go over plain http"));
        }
        let path = format!("{}{}", self.place.path.trim_end_matches('/'), asked.path);
        let mut request = Request::post(path)
            .header(header::HOST, self.place.header())
            .header(header::USER_AGENT, concat!("wilco/", env!("CARGO_PKG_VERSION")))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/json");
        for (name, text) in asked.headers {
            let value = HeaderValue::from_str(&text).map(|mut value| {
                value.set_sensitive(true);
                value
            });
            request =
                request.header(name, value.map_err(|_| "the key holds signs that no header may".to_owned())?);
        }
        let request = request.body(Full::from(asked.body.to_string()));
        let request = request.map_err(|_| "the request cannot be made; check judge.url".to_owned())?;
        let called = call(&self.place, address, &self.tls, request, Some(MAX_ANSWER)).await;
        called.map_err(|why| match why.contains("length limit") {
            true => format!("{named}: its answer is larger than 1 MiB"),
            false => format!("{named}: {why}"),
        })
    }

    fn read(&self, answer: &Answer) -> Result<RawAnswer, NoAnswer> {
        let body: Value = serde_json::from_slice(&answer.body)
            .map_err(|_| "its answer is not of the schema: it is no JSON".to_owned())?;
        let told = self.provider.told(&body);
        let read = told.said.and_then(|text| prompt::opinion(&text));
        match read {
            Ok(opinion) => Ok(RawAnswer { opinion, tokens: told.tokens }),
            Err(reason) => Err(NoAnswer { reason: self.without_key(&reason), tokens: told.tokens }),
        }
    }

    fn refused(&self, answer: &Answer) -> String {
        let (named, status) = (self.place.named(), answer.status);
        if status.is_redirection() {
            return format!("{named} answered {status}; redirects are not followed");
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let error = &body["error"];
        let said =
            error["message"].as_str().or(error.as_str()).or(body["message"].as_str()).unwrap_or_default();
        let said = match bounded(said, 300) {
            said if said.is_empty() => String::new(),
            said => format!(": {said}"),
        };
        let hint = match (status, &self.key) {
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, ModelKey::Set { variable, .. }) => {
                format!("; check the key in the variable {variable}")
            }
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => {
                "; it may want a key: name its variable in judge.key_env".to_owned()
            }
            _ => String::new(),
        };
        format!("{named} answered {status}{said}{hint}")
    }

    /// Whatever a provider says, the key is not repeated.
    fn without_key(&self, text: &str) -> String {
        match &self.key {
            ModelKey::Set { key, .. } => text.replace(key.as_str(), "(the key)"),
            ModelKey::None | ModelKey::Empty { .. } => text.to_owned(),
        }
    }
}

/// The base address with its version.
fn base(provider: ModelProvider, url: &str) -> Result<CallAddress, String> {
    let given = if url.trim().is_empty() { provider.public() } else { url.trim() };
    if given.contains(['?', '#', '@']) {
        return Err("expected an address such as https://host/v1, without user, query or fragment".to_owned());
    }
    let given = given.trim_end_matches('/');
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let path =
        given.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    match path.split('/').any(is_version) {
        true => CallAddress::read(given),
        false => CallAddress::read(&format!("{given}{}", provider.version())),
    }
}

/// How long it asks to wait: seconds, or a date by its own clock, else by ours.
fn wait(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let asked = text("retry-after")?;
    if let Ok(seconds) = asked.parse::<f64>() {
        return (seconds.is_finite() && (0.0..1e9).contains(&seconds))
            .then(|| Duration::from_secs_f64(seconds));
    }
    let date = |text: &str| {
        let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(at.as_millisecond())
    };
    let theirs = text("date").and_then(date);
    let ours = || now.to_string().parse::<jiff::Timestamp>().ok().map(|at| at.as_millisecond());
    let millis = date(asked)? - theirs.or_else(ours)?;
    Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

impl fmt::Debug for ModelEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = !matches!(self.key, ModelKey::None);
        f.debug_struct("ModelEndpoint").field("at", &self.named()).field("key", &key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ju_1_an_address_may_have_its_version_or_not() {
        let path = |provider, url: &str| base(provider, url).unwrap().path;
        for (url, expected) in [
            ("", "/v1"),
            ("http://localhost:11434", "/v1"),
            ("http://localhost:11434/", "/v1"),
            ("http://localhost:11434/v1", "/v1"),
            ("http://localhost:11434/v1/", "/v1"),
            ("https://openrouter.ai/api", "/api/v1"),
            ("https://openrouter.ai/api/v1/", "/api/v1"),
            ("https://host/v1beta/openai", "/v1beta/openai"),
        ] {
            assert_eq!(path(ModelProvider::OpenAi, url), expected, "{url}");
        }
        assert_eq!(path(ModelProvider::Gemini, "http://127.0.0.1:9"), "/v1beta");
        assert_eq!(path(ModelProvider::Gemini, "http://127.0.0.1:9/v1beta/"), "/v1beta");
        for wrong in ["ftp://a", "a", "https://a/?key=abc", "https://user:abc@a/"] {
            let said = base(ModelProvider::OpenAi, wrong).unwrap_err();
            assert!(!said.contains("abc"), "{said}");
        }
    }

    #[test]
    fn ju_1_a_key_goes_over_plain_http_to_this_machine_alone() {
        let key = || ModelKey::Set { variable: "K".to_owned(), key: "sk-1".to_owned() };
        let made = |url, key, insecure| {
            ModelEndpoint::new(ModelProvider::OpenAi, url, "m", key, insecure, Tls::default()).map(|_| ())
        };
        assert!(made("http://10.0.0.1", key(), false).unwrap_err().contains("judge.insecure"));
        assert_eq!(made("http://10.0.0.1", key(), true), Ok(()));
        assert_eq!(made("http://10.0.0.1", ModelKey::None, false), Ok(()));
        assert_eq!(made("http://[::1]:8", key(), false), Ok(()));
        assert_eq!(made("https://10.0.0.1", key(), false), Ok(()));
    }

    #[test]
    fn ju_5_how_long_to_wait() {
        let now: Time = "2026-01-31T14:35:00.000Z".parse().unwrap();
        let after = |headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            headers.iter().for_each(|(name, value)| _ = map.insert(*name, value.parse().unwrap()));
            wait(&map, now)
        };
        assert_eq!(after(&[]), None);
        assert_eq!(after(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(after(&[("retry-after", "0")]), Some(Duration::ZERO));
        assert_eq!(after(&[("retry-after", "soon")]), None);
        let date = ("retry-after", "Sat, 31 Jan 2026 14:35:20 GMT");
        assert_eq!(after(&[date]), Some(Duration::from_secs(20)));
        assert_eq!(after(&[date, ("date", "Sat, 31 Jan 2026 14:35:19 GMT")]), Some(Duration::from_secs(1)));
        assert_eq!(after(&[date, ("date", "Sat, 31 Jan 2026 14:40:00 GMT")]), Some(Duration::ZERO));
    }
}
