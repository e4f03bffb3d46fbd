//! Signing in with a token, signing out, and what a viewer chooses for itself: as whom to look, and in which colours.

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use maud::{Markup, html};
use wilco_wire::{Agent, segment};

use super::cookie;
use super::form::{Filled, local};
use super::look::{LOOK_AS, Look, SESSION, THEME, Theme};
use super::page::bare;
use crate::app::App;
use crate::auth::Attempt;
use crate::problem::Failure;
use crate::query::Query;

/// How long a browser keeps a choice of colours.
const YEAR: u32 = 31_536_000;

pub(super) async fn page(State(app): State<App>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    if !app.config.auth_required {
        return redirect("/");
    }
    let back = Query::open(query.as_deref()).text("back").map_or("/".to_owned(), local);
    bare(StatusCode::OK, "Sign in", theme(&headers), form(&back, None))
}

/// The form, on a page of its own or on whatever page somebody wanted to see.
pub(super) fn form(back: &str, wrong: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        @if let Some(wrong) = wrong { p role="alert" { (wrong) } }
        section.card {
            form method="post" action="/sign-in" data-action="sign-in" {
                input type="hidden" name="back" value=(back);
                label for="token" { "Your token" }
                input id="token" name="token" type="password" autocomplete="current-password" required;
                button { "Sign in" }
            }
            p.soft { "An operator makes one with " code { "wilco token create NAME" } "." }
        }
    }
}

pub(super) async fn sign_in(
    State(app): State<App>,
    attempt: Attempt,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let filled = Filled::unguarded(&app, body).await?;
    let back = filled.back();
    let token = match attempt.token(&app, filled.text("token").unwrap_or("")).await {
        Ok(token) => token,
        Err(failure) if failure.0.status == 401 => {
            let wrong = form(&back, Some("This token is not known; it may have been revoked."));
            return Ok(bare(StatusCode::UNAUTHORIZED, "Sign in", theme(&headers), wrong));
        }
        Err(failure) => return Err(failure),
    };
    let secret = app.config.sessions.begin(&token).map_err(|error| {
        tracing::error!(%error, "a session cannot be kept");
        Failure::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "sessions",
            "nobody can sign in: the data directory cannot be written",
        )
    })?;
    let mut response = redirect(&back);
    set(&mut response, SESSION, &secret, None);
    Ok(response)
}

pub(super) async fn sign_out(look: Look, headers: HeaderMap, body: Body) -> Result<Response, Failure> {
    Filled::read(&look, body).await?;
    if let Some(secret) = cookie(&headers, SESSION) {
        look.app.config.sessions.end(secret).map_err(|error| {
            tracing::error!(%error, "a session cannot be ended");
            Failure::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "sessions",
                "you are still signed in: the data directory cannot be written",
            )
        })?;
    }
    let mut response = redirect("/sign-in");
    set(&mut response, SESSION, "", Some(0));
    set(&mut response, LOOK_AS, "", Some(0));
    Ok(response)
}

/// An operator looks at what an agent would see; with no name, at everything again.
pub(super) async fn look_as(look: Look, body: Body) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    if !look.is_operator() && !look.looks_as {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "only an operator may look as somebody else",
        ));
    }
    let mut response = redirect(&filled.back());
    match filled.text("agent") {
        None => set(&mut response, LOOK_AS, "", Some(0)),
        Some(name) => {
            let agent: Agent = look.get(&format!("/v1/agents/{}", segment(name)), &[]).await?;
            set(&mut response, LOOK_AS, &segment(&agent.name), None);
        }
    }
    Ok(response)
}

pub(super) async fn choose_theme(look: Look, body: Body) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    let word = filled.text("theme").unwrap_or("system");
    let theme: Theme = word
        .parse()
        .map_err(|_| Failure::bad_request(format!("theme: expected system, light or dark, got {word:?}")))?;
    let mut response = redirect(&filled.back());
    set(&mut response, THEME, theme.into(), Some(YEAR));
    Ok(response)
}

/// The colours that a browser has chosen.
pub(super) fn theme(headers: &HeaderMap) -> Theme {
    cookie(headers, THEME).and_then(|word| word.parse().ok()).unwrap_or_default()
}

pub(super) fn redirect(to: &str) -> Response {
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}

fn set(response: &mut Response, name: &str, value: &str, seconds: Option<u32>) {
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{age}");
    if let Ok(text) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, text);
    }
}
