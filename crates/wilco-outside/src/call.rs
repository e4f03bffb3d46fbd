//! One request to one address, over TLS where the address says so. No redirect is followed.

use std::net::SocketAddr;

use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::place::CallAddress;
use crate::tls::Tls;

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A connection, encrypted or not.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// Sends it. Without `most` only the head of the answer counts; a body above it is an error.
pub(crate) async fn call(
    place: &CallAddress,
    address: SocketAddr,
    tls: &Tls,
    request: Request<Full<Bytes>>,
    most: Option<usize>,
) -> Result<Answer, String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let stream = TcpStream::connect(address).await.map_err(|error| said(&error))?;
    let wire: Box<dyn Wire> = match place.is_secure() {
        true => Box::new(tls.connect(stream, place.host()).await.map_err(|error| said(&error))?),
        false => Box::new(stream),
    };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(wire)).await.map_err(|error| said(&error))?;
    let answered = async move {
        let answer = sender.send_request(request).await.map_err(|error| said(&error))?;
        let (head, body) = answer.into_parts();
        let body = match most {
            Some(most) => {
                Limited::new(body, most).collect().await.map_err(|error| error.to_string())?.to_bytes()
            }
            None => Bytes::new(),
        };
        Ok(Answer { status: head.status, headers: head.headers, body })
    };
    // The sender is gone with the answer, and then the connection ends too.
    let (answer, _) = tokio::join!(answered, connection);
    answer
}
