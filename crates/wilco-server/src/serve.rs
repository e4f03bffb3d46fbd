//! Accepting connections, so many and no more, until told to stop.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use wilco_runtime::Handle;

use crate::accept::EVENTS;
use crate::app::{App, AppState, Config};
use crate::auth::{NewNames, OwnerSeats, Peer, SpareSeat, guard};
use crate::connection::{Connection, ConnectionState};
use crate::forward;
use crate::problem::Failure;
use crate::seats::ConnectionSeats;
use crate::stream::StreamBuffers;
use crate::within::NativeRoutes;
use crate::{dashboard, maestro, mcp, v1};

/// How long a stopping server waits for an answer that is on its way, from the last byte of its request.
const LINGER: Duration = Duration::from_secs(3);
/// What a connection holds of a request's head, and of an answer whose reader is slow.
const BUFFER: usize = 64 << 10;
/// How long a connection beyond the limit may take to say what it wants.
const SPARE_PATIENCE: Duration = Duration::from_millis(1500);
/// Connections too many that are told so with patience at the same time; the others are told, and closed at once.
const TURNED_AWAY: usize = 512;

/// Serves until `stop` is ready, then answers what it has begun.
pub async fn serve(listener: TcpListener, handle: Handle, config: Config, stop: impl Future<Output = ()>) {
    let (stopping, stopped) = watch::channel(false);
    let seats = Arc::new(ConnectionSeats::new(config.limits.connections));
    // Every connection holds it; when all have let go, none is left.
    let (serving, mut all_ended) = mpsc::channel::<Infallible>(1);
    let (app, router) = doors(handle, config, stopped.clone());
    let effects = tokio::spawn(forward::host::carry_out(app.clone()));
    let turning_away = Arc::new(Semaphore::new(TURNED_AWAY));
    tokio::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => (stream, Peer(address.ip())),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let line = Arc::new(ConnectionState::default());
        match seats.take(peer.0, &line) {
            Some(seat) => {
                let (router, app, stopped) = (router.clone(), app.clone(), stopped.clone());
                let serving = serving.clone();
                tokio::spawn(async move {
                    connection(
                        stream,
                        Seated { peer, line, is_spare: seat.is_spare() },
                        router,
                        app,
                        stopped,
                    )
                    .await;
                    drop((seat, serving));
                });
            }
            None => {
                let answer = Failure::too_many_connections(app.config.limits.connections).written_out();
                match turning_away.clone().try_acquire_owned() {
                    Ok(turned) => {
                        tokio::spawn(async move {
                            turn_away(stream, &answer).await;
                            drop(turned);
                        });
                    }
                    // So short an answer fits where nothing was written yet.
                    Err(_) => drop(stream.try_write(answer.as_bytes())),
                }
            }
        }
    }
    effects.abort();
    stopping.send_replace(true);
    drop(serving);
    if tokio::time::timeout(app.config.limits.body_timeout + LINGER, all_ended.recv()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}

/// The answer to one request that comes over no connection, for random inputs. A stream has no body here.
#[doc(hidden)]
pub async fn answer_to(
    handle: Handle,
    config: Config,
    request: http::Request<Vec<u8>>,
) -> http::Response<Option<Vec<u8>>> {
    let (_stopping, stopped) = watch::channel(false);
    let (app, router) = doors(handle, config, stopped);
    let (parts, body) = answer(&app, router, request.map(axum::body::Body::from)).await.into_parts();
    let kind = parts.headers.get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let whole = match kind.is_some_and(|kind| kind.starts_with(EVENTS)) {
        true => None,
        false => body.collect().await.ok().map(|whole| whole.to_bytes().to_vec()),
    };
    http::Response::from_parts(parts, whole)
}

fn doors(handle: Handle, config: Config, stopping: watch::Receiver<bool>) -> (App, axum::Router) {
    let waiting = Arc::new(Semaphore::new(config.limits.waiting_readers));
    let streams = Arc::new(StreamBuffers::new(config.limits.streams_bytes));
    let stream_seats = Arc::new(OwnerSeats::new(config.limits.owner_streams));
    let app = App(Arc::new(AppState {
        handle,
        config,
        waiting,
        streams,
        stream_seats,
        keyed: Arc::new(Semaphore::new(1)),
        new_names: NewNames::default(),
        presence: Arc::default(),
        failures: Arc::default(),
        proofs: Arc::default(),
        stopping,
    }));
    let within = NativeRoutes::new(&app);
    let router = v1::router(&app)
        .merge(dashboard::router(&app, within.clone()))
        .merge(maestro::router().layer(from_fn_with_state(app.clone(), forward::changes_to_writer)))
        .merge(mcp::router(&app, within))
        .route(forward::node_call::PATH, axum::routing::post(forward::node_call::take))
        .with_state(app.clone());
    (app, router)
}

/// Who is on a connection.
struct Seated {
    peer: Peer,
    line: Arc<ConnectionState>,
    /// On a place beyond the limit: one request, soon.
    is_spare: bool,
}

async fn connection(
    stream: TcpStream,
    seated: Seated,
    router: axum::Router,
    app: App,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are small and waited for.
    let _ = stream.set_nodelay(true);
    let Seated { peer, line, is_spare } = seated;
    let patience = |usual: Duration| if is_spare { usual.min(SPARE_PATIENCE) } else { usual };
    let header_timeout = patience(app.config.limits.header_timeout);
    let io = TokioIo::new(Connection::new(stream, line.clone(), header_timeout));
    let (told, idle_timeout) = (line.clone(), patience(app.config.limits.idle_timeout));
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        let (router, app, line) = (router.clone(), app.clone(), told.clone());
        line.complete();
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(line.clone());
        if is_spare {
            request.extensions_mut().insert(SpareSeat);
        }
        async move {
            let response = answer(&app, router, request.map(axum::body::Body::new)).await;
            if is_stream(&response) {
                line.listens();
            }
            line.answered();
            Ok::<_, Infallible>(response)
        }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .max_buf_size(BUFFER)
        .keep_alive(!is_spare)
        // Counted from the end of the last answer: how long a connection may rest.
        .header_read_timeout(idle_timeout)
        .serve_connection(io, service);
    tokio::pin!(serving);
    tokio::select! {
        // A connection that breaks is the client's business.
        _ = &mut serving => return,
        () = line.is_cut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => serving.as_mut().graceful_shutdown(),
    }
    loop {
        tokio::select! {
            _ = &mut serving => return,
            () = line.is_cut() => return,
            // Whoever still sends is waited for, as long as a body may take.
            () = line.received() => {}
            () = tokio::time::sleep(LINGER) => return,
        }
    }
}

/// What every request passes, whatever it asks for. Around the router, not in layers of it: those box and copy the
/// request once more each.
async fn answer(app: &App, router: axum::Router, request: Request) -> Response {
    let to_maestro = maestro::is_below(request.uri());
    let looked_at =
        dashboard::is_page(request.uri()).then(|| (request.uri().clone(), request.headers().clone()));
    let response = guard(app, request, router).await;
    match looked_at {
        Some((uri, headers)) => dashboard::error_page(response, &uri, &headers),
        None if to_maestro => maestro::error_format(response),
        None => response,
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with(EVENTS))
}

/// Says so, and closes.
async fn turn_away(mut stream: TcpStream, answer: &str) {
    let _ = tokio::time::timeout(Duration::from_secs(1), async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // What it sent is read first: closing before would take the answer away from it.
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
    })
    .await;
}
