//! The reference for messages per second: what axum costs when nothing is kept.

use anyhow::Context;
use axum::Json;
use axum::routing::post;
use axum::serve::ListenerExt;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::server::ANNOUNCEMENT;

/// Serves until its standard input ends, so that it never outlives the benchmark.
pub(crate) fn run() -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serving())
}

async fn serving() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
    println!("echo {ANNOUNCEMENT}{}", listener.local_addr()?);
    std::thread::spawn(|| {
        // However it ends, there is nobody left to answer.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let app = axum::Router::new().route("/v1/messages", post(parsed));
    let listener = listener.tap_io(|stream| {
        // As the server does it; without it the answer would only be later.
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, app).await?)
}

async fn parsed(Json(message): Json<Value>) -> (axum::http::StatusCode, Json<Value>) {
    (axum::http::StatusCode::CREATED, Json(json!({"message": message.as_object().map(|map| map.len())})))
}
