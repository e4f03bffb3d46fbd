//! The judge of understandings: a model behind an address, or a program. Asked once per ACK; what its answer leads to is
//! the language's rule. Whatever goes wrong, the initiator is asked instead.

mod anthropic;
mod gemini;
mod model;
mod openai;
mod program;
mod prompt;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;
use wilco_language::judge::{JudgeCase, JudgeOpinion, JudgeOutcome, outcome, report};
use wilco_protocol::decision::Report;
use wilco_protocol::delegation::Verdict;
use wilco_protocol::judgement::{JudgeRecord, JudgeTokens, JudgeWord};
use wilco_protocol::{MessageId, Span, Time};

use crate::EffectResult;
use crate::command::Program;
pub use model::{ModelEndpoint, ModelKey, ModelProvider};

/// The configured judge, and what it may cost.
pub struct JudgeClient {
    source: JudgeSource,
    limits: JudgeLimits,
    places: Semaphore,
    /// When it was asked in the last hour of the server's clock. A mutex, because orders run beside each other; held for a
    /// moment, never over an await.
    asked: Mutex<VecDeque<Time>>,
    spent_input: AtomicU64,
    spent_output: AtomicU64,
}

/// Who answers.
#[derive(Debug)]
pub enum JudgeSource {
    Model(Box<ModelEndpoint>),
    Program(Program),
}

#[derive(Debug, Clone)]
pub struct JudgeLimits {
    /// How long one question may take, a retry included. Waiting for a free place may take as long again.
    pub timeout: Duration,
    /// Questions at the same time.
    pub concurrency: usize,
    pub per_hour: usize,
    /// Asked and recorded; the initiator decides.
    pub shadow: bool,
    /// A clock that only goes forward, to say how long an answer took.
    pub ticks: fn() -> Duration,
}

/// What a judge said, and what would follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeAnswer {
    pub record: JudgeRecord,
    pub outcome: JudgeOutcome,
}

/// What came from outside, before any rule.
pub(crate) struct RawAnswer {
    pub(crate) opinion: JudgeOpinion,
    pub(crate) tokens: Option<JudgeTokens>,
}

/// Why there is no answer, and what it cost all the same.
pub(crate) struct NoAnswer {
    pub(crate) reason: String,
    pub(crate) tokens: Option<JudgeTokens>,
}

impl From<String> for NoAnswer {
    fn from(reason: String) -> NoAnswer {
        NoAnswer { reason, tokens: None }
    }
}

impl JudgeClient {
    pub fn new(source: JudgeSource, limits: JudgeLimits) -> JudgeClient {
        let places = Semaphore::new(limits.concurrency);
        let (asked, spent_input, spent_output) = (Mutex::default(), AtomicU64::new(0), AtomicU64::new(0));
        JudgeClient { source, limits, places, asked, spent_input, spent_output }
    }

    /// Who it is, in words.
    pub fn named(&self) -> String {
        match &self.source {
            JudgeSource::Model(endpoint) => endpoint.named(),
            JudgeSource::Program(program) => format!("the program {}", program.argv.join(" ")),
        }
    }

    /// How many questions it may be asked at the same time.
    pub fn concurrency(&self) -> usize {
        self.limits.concurrency
    }

    /// What all answers since the start cost.
    pub fn spent(&self) -> JudgeTokens {
        JudgeTokens { input: self.spent_input.load(Relaxed), output: self.spent_output.load(Relaxed) }
    }

    /// Asks it about a task and an ACK, as an order holds them.
    pub async fn ask(&self, payload: &Value, now: Time) -> Result<JudgeAnswer, String> {
        let case = JudgeCase::of(payload);
        if let JudgeSource::Model(endpoint) = &self.source {
            endpoint.is_ready()?;
            if case.is_too_long() {
                return Err("task and understanding are too long for a model".to_owned());
            }
        }
        let waited = tokio::time::timeout(self.limits.timeout, self.places.acquire()).await;
        let Ok(Ok(_place)) = waited else {
            return Err(format!(
                "all {} places of judge.concurrency were taken for {:?}",
                self.limits.concurrency, self.limits.timeout
            ));
        };
        let began = (self.limits.ticks)();
        let answered = match &self.source {
            JudgeSource::Model(endpoint) => self.ask_model(endpoint, &case, now, began).await,
            JudgeSource::Program(program) => {
                self.count(now)?;
                program::ask(program, payload).await.map_err(NoAnswer::from)
            }
        };
        let tokens = match &answered {
            Ok(answer) => answer.tokens,
            Err(failed) => failed.tokens,
        };
        self.spend(tokens.unwrap_or_default());
        let answer = answered.map_err(|failed| failed.reason)?;
        let took = (self.limits.ticks)().saturating_sub(began);
        let outcome = outcome(&case, &answer.opinion);
        Ok(JudgeAnswer { record: self.record(answer, took), outcome })
    }

    /// Once, and once more where the provider says when.
    async fn ask_model(
        &self,
        endpoint: &ModelEndpoint,
        case: &JudgeCase,
        now: Time,
        began: Duration,
    ) -> Result<RawAnswer, NoAnswer> {
        let timeout = self.limits.timeout;
        let asked = tokio::time::timeout(timeout, async {
            self.count(now)?;
            let again = match endpoint.ask(case, now).await? {
                Ok(answer) => return Ok(answer),
                Err(again) => again,
            };
            let left = timeout.saturating_sub((self.limits.ticks)().saturating_sub(began));
            if again.after >= left {
                return Err(NoAnswer::from(format!("{}; it asks to wait {:?}", again.reason, again.after)));
            }
            tokio::time::sleep(again.after).await;
            self.count(now)?;
            endpoint.ask(case, now).await?.map_err(|again| NoAnswer::from(again.reason))
        });
        asked.await.unwrap_or_else(|_| Err(format!("it did not answer within {timeout:?}").into()))
    }

    /// A request more, unless there were too many within an hour.
    fn count(&self, now: Time) -> Result<(), String> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        while asked.front().is_some_and(|at| now.since(*at) >= Span::minutes(60)) {
            asked.pop_front();
        }
        if asked.len() >= self.limits.per_hour {
            return Err(format!(
                "it was asked {} times within an hour, which is judge.per_hour",
                asked.len()
            ));
        }
        asked.push_back(now);
        Ok(())
    }

    fn spend(&self, tokens: JudgeTokens) {
        self.spent_input.fetch_add(tokens.input, Relaxed);
        self.spent_output.fetch_add(tokens.output, Relaxed);
    }

    fn record(&self, answer: RawAnswer, took: Duration) -> JudgeRecord {
        let (provider, prompt, model) = match &self.source {
            JudgeSource::Model(endpoint) => {
                (endpoint.provider.word(), Some(prompt::VERSION), Some(endpoint.model.clone()))
            }
            JudgeSource::Program(_) => ("command", None, None),
        };
        let (verdict, covered, missing, added, reason) = match answer.opinion {
            JudgeOpinion::Numbered { verdict, covered, missing, added, reason } => {
                (verdict, covered, missing, added, reason)
            }
            JudgeOpinion::Worded { verdict, correction, .. } => {
                (word(verdict), Vec::new(), Vec::new(), Vec::new(), correction.unwrap_or_default())
            }
        };
        JudgeRecord {
            provider: provider.to_owned(),
            prompt,
            model,
            verdict,
            covered,
            missing,
            added,
            reason: bounded(&reason, LONGEST_REASON),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            tokens: answer.tokens,
            shadow: self.limits.shadow,
        }
    }
}

/// An order to judge an ACK.
pub(crate) async fn judge(
    client: Option<&JudgeClient>,
    ack: &MessageId,
    payload: &Value,
    now: Time,
) -> EffectResult {
    let failed = |reason: String| Report::JudgeFailed { ack: ack.clone(), reason };
    let Some(client) = client else {
        return EffectResult::Reported(failed("no judge is configured".to_owned()));
    };
    EffectResult::Reported(match client.ask(payload, now).await {
        Ok(answer) => report(ack, answer.record, answer.outcome),
        Err(reason) => failed(reason),
    })
}

fn word(verdict: Verdict) -> JudgeWord {
    match verdict {
        Verdict::Correct => JudgeWord::Correct,
        Verdict::Partial => JudgeWord::Partial,
        Verdict::WrongSummary => JudgeWord::WrongSummary,
        Verdict::WrongTask => JudgeWord::WrongTask,
    }
}

/// Characters of a judge's reason.
pub(crate) const LONGEST_REASON: usize = 1_000;

/// On one line, without control characters, and cut.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(most).collect()
}

impl fmt::Debug for JudgeClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgeClient")
            .field("source", &self.source)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
