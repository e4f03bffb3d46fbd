//! Style, script and icon, embedded.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use http::header;

use crate::query::Query;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("live.js");

pub(super) async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE.to_owned())
}

pub(super) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT.to_owned())
}

/// The icon shows how many escalations are open.
pub(super) async fn icon(RawQuery(query): RawQuery) -> Response {
    let open = Query::open(query.as_deref()).text("n").and_then(|n| n.parse::<u32>().ok()).unwrap_or(0);
    let badge = match open {
        0 => String::new(),
        open => {
            let shown = if open > 9 { "9+".to_owned() } else { open.to_string() };
            format!(
                "<circle cx=\"23\" cy=\"9\" r=\"9\" fill=\"#c62828\"/><text x=\"23\" y=\"13.5\" font-size=\"12\" \
                 font-family=\"sans-serif\" font-weight=\"700\" text-anchor=\"middle\" fill=\"#fff\">{shown}</text>"
            )
        }
    };
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><rect y=\"2\" width=\"30\" height=\"30\" \
         rx=\"7\" fill=\"#0b57a4\"/><path d=\"M6 12l4 13 5-10 5 10 4-13\" fill=\"none\" stroke=\"#fff\" \
         stroke-width=\"3\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>{badge}</svg>"
    );
    asset("image/svg+xml", svg)
}

fn asset(kind: &'static str, body: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // A new binary brings new ones; the browser asks each time and is told quickly.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, body).into_response()
}
