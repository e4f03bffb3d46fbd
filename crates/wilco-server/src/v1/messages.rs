//! `POST /v1/messages`, one or a batch, and `GET /v1/messages/{id}`. Looking for messages is in `search`.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value};
use wilco_engine::{Accepted, Answer, Api, Command, Done, MarkAs, Post, Viewer, reads};
use wilco_language::parse::{self, FieldError, Incoming, ParseError, Typed};
use wilco_protocol::directory::Interface;
use wilco_protocol::{MessageId, Name};
use wilco_wire as wire;

use super::body::bytes;
use super::path::Path;
use crate::app::{App, Limits};
use crate::auth::{Caller, Newcomers, content_type};
use crate::problem::Failure;
use crate::query::NoQuery;
use crate::shape::{self, DeliveryStatus};

const MAX_KEY: usize = 255;
/// Lines in one batch. A body of the usual size is full before, unless most of its lines are empty.
const MAX_LINES: usize = 20_000;
/// Messages of a batch that are committed together, so that nobody else waits long for their turn.
const TOGETHER: usize = 1000;
const NDJSON: &str = "application/x-ndjson";
const JSON: &str = "application/json";
/// Most answers fit, and grow into no second piece of memory.
const ANSWER_BYTES: usize = 1024;

pub(crate) async fn post(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let key = idempotency_key(&parts.headers)?;
    let body = bytes(body, &app.config.limits).await?;
    if content_type(&parts.headers).is_some_and(|kind| kind.eq_ignore_ascii_case(NDJSON)) {
        return batch(&app, &caller, key, &body).await;
    }
    let asked = ParsedPost::read(&caller, key, &body, Api::V1, &app.config.limits)?;
    let accepted = asked.send(&app, &caller).await?;
    let posted = shape::posted(&accepted, None).ok_or_else(removed)?;
    let mut out = Vec::with_capacity(ANSWER_BYTES);
    write(&mut out, &posted);
    Ok((StatusCode::CREATED, [(header::CONTENT_TYPE, JSON)], out).into_response())
}

/// A message for the writer, or one that is wrong already and may have more wrong with it.
pub(crate) enum ParsedPost {
    Whole(Box<Post>),
    Wrong { content: Map<String, Value>, errors: Vec<FieldError> },
}

impl ParsedPost {
    pub(crate) fn read(
        caller: &Caller,
        idempotency_key: Option<String>,
        body: &[u8],
        api: Api,
        limits: &Limits,
    ) -> Result<ParsedPost, Failure> {
        match parse::message_within(body, limits.depth) {
            Ok(incoming) => {
                few_bytes(incoming.to.len(), body.len(), limits.broadcast_bytes)?;
                let (viewer, claimed) = (caller.viewer.clone(), caller.agent.clone());
                let interface = caller.speaks.unwrap_or_else(|| spoken(&incoming, api));
                let (orchestrates, sent_by) = (caller.orchestrates, caller.sent_by.clone());
                let post = Post {
                    incoming,
                    idempotency_key,
                    viewer,
                    orchestrates,
                    claimed,
                    sent_by,
                    api,
                    interface,
                };
                Ok(ParsedPost::Whole(Box::new(post)))
            }
            Err(ParseError::Fields { errors, content: Some(content) }) => {
                Ok(ParsedPost::Wrong { content, errors })
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) async fn send(self, app: &App, caller: &Caller) -> Result<Accepted, Failure> {
        match self {
            ParsedPost::Whole(post) => {
                let mut newcomers = Newcomers::of(app, caller.owner.clone());
                newcomers.admit(&post)?;
                accepted(app.handle.send(Command::Post(post)).await?)
            }
            ParsedPost::Wrong { content, errors } => Err(wrong(app, &content, errors)),
        }
    }
}

/// What a message shows of how its sender speaks: plain words are a text, whichever door they came by.
fn spoken(incoming: &Incoming, api: Api) -> Interface {
    match (&incoming.typed, api) {
        (Typed::Conversation | Typed::Talk, _) => Interface::Text,
        (_, Api::V1) => Interface::Http,
        (_, Api::Maestro) => Interface::Api,
    }
}

/// Every recipient gets a copy.
fn few_bytes(recipients: usize, bytes: usize, most: usize) -> Result<(), Failure> {
    if recipients < 2 || recipients.saturating_mul(bytes) <= most {
        return Ok(());
    }
    let detail = format!(
        "{bytes} bytes to {recipients} recipients are {} bytes in all; at most {most} are taken: send a shorter text, \
         or to fewer at once",
        recipients.saturating_mul(bytes)
    );
    Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail))
}

/// Everything that is wrong with a message stands in one list.
fn wrong(app: &App, content: &Map<String, Value>, mut errors: Vec<FieldError>) -> Failure {
    let mut more = app.handle.examine(content);
    more.retain(|error| !errors.iter().any(|known| known.pointer == error.pointer));
    errors.extend(more);
    Failure::invalid(errors)
}

pub(crate) fn accepted(answer: Answer) -> Result<Accepted, Failure> {
    match answer? {
        Done::Accepted(accepted) => Ok(accepted),
        Done::Agent(_) | Done::Nothing => Err(Failure::bad_request("nothing was sent")),
    }
}

pub(crate) fn removed() -> Failure {
    Failure::not_found("the message was removed")
}

/// Writing to memory does not fail, and every key is a text.
fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    let _ = serde_json::to_writer(out, value);
}

/// A line of a batch that was refused.
#[derive(Serialize)]
struct Refusal {
    status: u16,
    problem: Box<wire::Problem>,
}

/// The answer to one line of a batch.
fn write_line(out: &mut Vec<u8>, taken: Result<Accepted, Failure>) {
    let refused = match taken {
        Ok(accepted) => match shape::posted(&accepted, Some(StatusCode::CREATED.as_u16())) {
            Some(posted) => return write(out, &posted),
            None => removed(),
        },
        Err(failure) => failure,
    };
    write(out, &Refusal { status: refused.0.status, problem: refused.0 });
}

/// A line for every line, blank ones too, so that answers can be told apart by counting. The last line may or may not
/// end with a line feed.
fn lines(body: &[u8]) -> Vec<&[u8]> {
    let (mut lines, mut rest) = (Vec::new(), body);
    while let Some(end) = memchr::memchr(b'\n', rest) {
        lines.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    lines.extend((!rest.is_empty()).then_some(rest));
    lines
}

/// The batch door: few commits, a result for every line, and a bad line does not stop the others.
async fn batch(app: &App, caller: &Caller, key: Option<String>, body: &[u8]) -> Result<Response, Failure> {
    let lines = lines(body);
    if lines.len() > MAX_LINES {
        let detail = format!("{} messages in one request; at most {MAX_LINES} are taken", lines.len());
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail));
    }
    let of_line = |index: usize| key.as_ref().map(|key| format!("{key}/{index}"));
    let (mut commands, mut results) = (Vec::with_capacity(lines.len()), Vec::with_capacity(lines.len()));
    let mut newcomers = Newcomers::of(app, caller.owner.clone());
    for (index, line) in lines.into_iter().enumerate() {
        results.push(match ParsedPost::read(caller, of_line(index), line, Api::V1, &app.config.limits) {
            Ok(ParsedPost::Whole(post)) => newcomers.admit(&post).map(|()| {
                commands.push(Command::Post(post));
                None
            }),
            Ok(ParsedPost::Wrong { content, errors }) => Ok(Some((content, errors))),
            Err(failure) => Err(failure),
        });
    }
    let mut answers = all_answers(app, commands).await?.into_iter();
    let mut out = Vec::with_capacity(results.len().min(TOGETHER) * ANSWER_BYTES);
    for result in results {
        let taken = match result {
            Err(failure) => Err(failure),
            Ok(Some((content, errors))) => Err(wrong(app, &content, errors)),
            Ok(None) => match answers.next() {
                Some(answer) => accepted(answer),
                None => Err(wilco_runtime::Overloaded.into()),
            },
        };
        write_line(&mut out, taken);
        out.push(b'\n');
    }
    Ok(([(header::CONTENT_TYPE, NDJSON)], out).into_response())
}

/// The answers, in order. What finds no room any more after others were taken has none.
async fn all_answers(app: &App, commands: Vec<Command>) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::with_capacity(commands.len());
    let mut commands = commands.into_iter().peekable();
    while commands.peek().is_some() {
        match app.handle.send_all(commands.by_ref().take(TOGETHER).collect()).await {
            Ok(some) => answers.extend(some),
            Err(overloaded) if answers.is_empty() => return Err(overloaded.into()),
            Err(_) => break,
        }
    }
    Ok(answers)
}

pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let legal =
        |text: &&str| (1..=MAX_KEY).contains(&text.len()) && text.bytes().all(|b| (0x20..0x7f).contains(&b));
    match value.to_str().ok().filter(legal) {
        Some(key) => Ok(Some(key.to_owned())),
        None => Err(Failure::bad_request(format!(
            "Idempotency-Key: expected 1 to {MAX_KEY} printable ASCII characters"
        ))),
    }
}

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let key = MessageId::new(&id);
    let found = app.handle.read(move |reader| {
        let Some(letter) = reads::message(reader, &caller.viewer, &key)? else { return Ok(None) };
        let stage = reads::delivery(reader, &letter.message, letter.position)?;
        let nudge = reads::nudge_of(reader, &letter.message.to, letter.position)?;
        Ok(Some((letter, DeliveryStatus { stage, nudge })))
    });
    let found = found.await?.ok_or_else(|| Failure::not_found(format!("there is no message {id:?}")));
    let (letter, way) = found?;
    Ok(Json(shape::followed(&letter, way)).into_response())
}

/// Marks it as read in the inbox of its recipient.
pub(crate) async fn read(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    happened(&app, caller, &id, |agent, id| Command::Mark { agent, id, mark: MarkAs::Read }).await
}

/// It entered the context of the agent that it is addressed to.
pub(crate) async fn injected(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    happened(&app, caller, &id, |agent, id| Command::Injected { agent, id }).await
}

/// Notes what became of a message at the caller, or at its recipient when nobody says who calls.
async fn happened(
    app: &App,
    caller: Caller,
    id: &str,
    note: impl FnOnce(Name, MessageId) -> Command,
) -> Result<StatusCode, Failure> {
    caller.may_write()?;
    let (key, viewer) = (MessageId::new(id), caller.viewer.clone());
    let lookup = key.clone();
    let found = app.handle.read(move |reader| reads::message(reader, &viewer, &lookup)).await?;
    let letter = found.ok_or_else(|| Failure::not_found(format!("there is no message {id:?}")))?;
    let to = letter.message.to;
    let own = caller.agent.as_ref().map(|agent| agent.as_str().eq_ignore_ascii_case(to.as_str()));
    // Only the reader says what it has read; an operator sees everything, and is somebody else.
    if matches!(caller.viewer, Viewer::Operator) && own != Some(true) {
        let detail = format!("only {to}, to whom this message is addressed, can say so; an operator cannot");
        return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail));
    }
    let agent = caller.agent.filter(|_| own == Some(false)).unwrap_or(to);
    app.handle.send(note(agent, key)).await??;
    Ok(StatusCode::NO_CONTENT)
}
