//! Listening, accepting and stopping.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mainstay_contract::CancelToken;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::app;
use super::config::{HttpConfig, HttpError};
use super::guard::Peer;
use crate::surface::Surface;

/// A client that has not finished its request head by then is not going to.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections the kernel keeps until they are accepted; beyond it they are reset.
const BACKLOG: u32 = 4_096;
/// Time for calls that were told to stop to be answered.
const LAST_ANSWERS: Duration = Duration::from_millis(3_500);

/// Serves until `stop` is set and the calls under way have ended.
///
/// `bound` is told the address once the server accepts connections.
pub fn run(
    config: HttpConfig,
    surface: Surface,
    stop: CancelToken,
    bound: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    if !config.host.is_loopback() && !config.needs_token() {
        return Err(HttpError::TokenMissing { host: config.host });
    }
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(HttpError::Threads)?;
    let result = threads.block_on(serve(config, surface, stop, bound));
    threads.shutdown_timeout(Duration::from_millis(500));
    result
}

async fn serve(
    config: HttpConfig,
    surface: Surface,
    stop: CancelToken,
    bound: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    let cannot_bind = |source| HttpError::Bind { host: config.host, port: config.port, source };
    let listener = listen(SocketAddr::new(config.host, config.port)).map_err(cannot_bind)?;
    let address = listener.local_addr().map_err(cannot_bind)?;
    let stopping = CancellationToken::new();
    let told = stopping.clone();
    let _hook = stop.on_cancel(move || told.cancel());
    let (grace, max) = (config.grace, config.max_connections);
    let runtime = surface.runtime.clone();
    // The streams of `/mcp` and of the API end when this token is set, after the calls.
    let closing = CancellationToken::new();
    let router = app::router(config, surface, stopping.clone(), closing.clone())?;
    bound(address);

    let places = Arc::new(Semaphore::new(max));
    accept(&listener, &router, &places, &stopping).await;
    drop(listener);

    if tokio::time::timeout(grace, until_idle(&runtime)).await.is_err() {
        tokio::task::spawn_blocking(move || runtime.shutdown(LAST_ANSWERS)).await.unwrap_or_default();
    }
    closing.cancel();
    let everyone = u32::try_from(max).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(LAST_ANSWERS, places.acquire_many(everyone)).await;
    Ok(())
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart must not wait for connections of the last run to time out.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn until_idle(runtime: &mainstay_runtime::Runtime) {
    while runtime.in_flight() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Accepts while there is room; a client beyond the limit waits in the kernel's queue.
async fn accept(
    listener: &TcpListener,
    router: &Router,
    places: &Arc<Semaphore>,
    stopping: &CancellationToken,
) {
    loop {
        let next = async {
            let place = Arc::clone(places).acquire_owned().await.ok()?;
            Some((listener.accept().await, place))
        };
        tokio::select! {
            () = stopping.cancelled() => return,
            next = next => match next {
                Some((Ok((stream, peer)), place)) => {
                    let task = connection(stream, peer, router.clone(), stopping.clone(), place);
                    tokio::spawn(task);
                }
                Some((Err(error), _)) => {
                    // Out of file handles, most likely: wait for some to be freed.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                None => return,
            },
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    stopping: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip()));
        let router = router.clone();
        async move {
            Ok::<_, Infallible>(router.oneshot(request.map(Body::new)).await.unwrap_or_else(|e| match e {}))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended early");
    }
}
