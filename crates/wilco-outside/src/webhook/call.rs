//! One POST to one address.

use std::net::SocketAddr;

use http::{Request, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Hook;
use super::allowed::Place;

pub(super) async fn post(
    place: &Place,
    address: SocketAddr,
    hook: &Hook<'_>,
    signature: &str,
) -> Result<StatusCode, String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let stream = TcpStream::connect(address).await.map_err(|error| said(&error))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| said(&error))?;
    let request = Request::post(place.path.as_str())
        .header(header::HOST, place.header())
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, concat!("wilco/", env!("CARGO_PKG_VERSION")))
        .header("webhook-id", hook.id)
        .header("webhook-timestamp", hook.timestamp)
        .header("webhook-signature", signature)
        .body(Full::new(Bytes::from(hook.body.clone())))
        .map_err(|error| said(&error))?;
    let answered = async move {
        let answer = sender.send_request(request).await.map_err(|error| said(&error))?;
        Ok(answer.status())
    };
    // The sender is gone with the answer, and then the connection ends too.
    let (answer, _) = tokio::join!(answered, connection);
    answer
}
