//! `/v1/exchanges/{id}/log.md`, `log.json`, `diagram.mmd`, `diagram.svg` and `diagram.txt`.

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header;
use wilco_engine::reads;
use wilco_language::scene::{Communication, Scene, communication, log, mermaid, svg, terminal};
use wilco_protocol::Protocol;
use wilco_store::Reader;

use super::exchanges::{id, missing};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;

type Asked = (State<App>, Caller, RawQuery, Path<String>);

pub(crate) async fn log_md(asked: Asked) -> Result<Response, Failure> {
    let text = match logged(asked).await? {
        Logged::Communication(log) => communication(&log),
        Logged::Scene(scene) => log(&scene),
    };
    Ok(shown("text/markdown; charset=utf-8", text))
}

pub(crate) async fn log_json(asked: Asked) -> Result<Response, Failure> {
    let json = match logged(asked).await? {
        Logged::Communication(log) => serde_json::to_string(&*log),
        Logged::Scene(scene) => serde_json::to_string(&*scene),
    };
    Ok(shown("application/json", json.unwrap_or_default()))
}

pub(crate) async fn diagram_mmd(asked: Asked) -> Result<Response, Failure> {
    let scene = asked_for(asked, &[]).await?.0;
    Ok(shown("text/vnd.mermaid; charset=utf-8", mermaid(&scene)))
}

pub(crate) async fn diagram_svg(asked: Asked) -> Result<Response, Failure> {
    let scene = asked_for(asked, &[]).await?.0;
    Ok(shown("image/svg+xml", svg(&scene)))
}

pub(crate) async fn diagram_txt(asked: Asked) -> Result<Response, Failure> {
    let (scene, query) = asked_for(asked, &["width"]).await?;
    let wrong = |text| Failure::bad_request(format!("width: expected a number from 20 to 500, got {text:?}"));
    let width = match query.number("width") {
        None => WIDTH,
        Some(text) => {
            text.parse().ok().filter(|width| (20..=500).contains(width)).ok_or_else(|| wrong(text))?
        }
    };
    Ok(shown("text/plain; charset=utf-8", terminal(&scene, width)))
}

/// A validation has a log of its own.
enum Logged {
    Communication(Box<Communication>),
    Scene(Box<Scene>),
}

async fn logged(asked: Asked) -> Result<Logged, Failure> {
    let (State(app), caller, RawQuery(query), Path(text)) = asked;
    Query::read(query.as_deref(), &[])?;
    let id = id(&text)?;
    let read = move |reader: &dyn Reader| {
        if id.protocol == Protocol::Validation {
            let log = reads::communication(reader, &caller.viewer, id)?;
            return Ok(log.map(|log| Logged::Communication(Box::new(log))));
        }
        Ok(reads::scene(reader, &caller.viewer, id)?.map(|scene| Logged::Scene(Box::new(scene))))
    };
    app.handle.read(read).await?.ok_or_else(|| missing(&text))
}

/// The width of a diagram when nobody says.
const WIDTH: usize = 100;

async fn asked_for(asked: Asked, keys: &[&str]) -> Result<(Scene, Query), Failure> {
    let (State(app), caller, RawQuery(query), Path(text)) = asked;
    let query = Query::read(query.as_deref(), keys)?;
    let id = id(&text)?;
    let scene = app.handle.read(move |reader| reads::scene(reader, &caller.viewer, id)).await?;
    Ok((scene.ok_or_else(|| missing(&text))?, query))
}

/// Drawn from what agents wrote: nothing in it may run.
fn shown(kind: &'static str, text: String) -> Response {
    let policy = (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    let sniff = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    ([(header::CONTENT_TYPE, kind), policy, sniff], text).into_response()
}
