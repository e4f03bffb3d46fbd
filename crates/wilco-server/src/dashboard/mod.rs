//! The dashboard: what a person keeps open while a fleet works.
//!
//! Pages are made on the server from what the native API answers to the viewer, and act by the same messages as
//! everybody. A small script renews the parts that changed. Everything is embedded.

mod actions;
mod agent;
mod agents;
mod assets;
mod audit;
mod diagram;
mod error;
mod exchange;
mod exchanges;
mod filters;
mod flash;
mod form;
mod handoffs;
mod incidents;
mod live;
mod look;
mod markdown;
mod messages;
mod operations;
mod overview;
mod page;
mod settings;
mod sign_in;
mod start;
mod text;
mod time;
mod validations;
mod words;

use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Extension, Router};
use http::{HeaderMap, header};

use crate::app::App;
use crate::v1::wrong_method;
use crate::within::NativeRoutes;
pub(crate) use error::{error_page, is_open, is_page};
pub(crate) use look::SESSION;

pub(crate) fn router(app: &App, routes: NativeRoutes) -> Router<App> {
    Router::new()
        .route("/", get(overview::page))
        .route("/exchanges", get(exchanges::page).post(exchanges::delegate))
        .route("/exchanges/{id}", get(exchange::page))
        .route("/exchanges/{id}/{action}", get(actions::shown_again).post(actions::act))
        .route("/operations", get(operations::page).post(operations::operate))
        .route("/validations", get(validations::page))
        .route("/handoffs", get(handoffs::page))
        .route("/agents", get(agents::page).post(agents::register))
        .route("/agents/{name}", get(agent::page))
        .route("/messages", get(messages::page))
        .route("/audit", get(audit::page))
        .route("/audit/verify", post(audit::verify))
        .route("/incidents", get(incidents::page))
        .route("/settings", get(settings::page))
        .route("/sign-in", get(sign_in::page).post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/look-as", post(sign_in::look_as))
        .route("/theme", post(sign_in::choose_theme))
        .route("/live", get(live::live))
        .route("/style.css", get(assets::style))
        .route("/live.js", get(assets::script))
        .route("/icon.svg", get(assets::icon))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), error::with_viewer))
        .layer(Extension(routes))
}

/// The value of a cookie.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}
