//! The server's rules, each over real sockets on loopback, with limits of milliseconds.
//!
//! This file holds the started server and the raw client; the rules are in its children.

mod access_log;
mod bodies;
mod h2;
mod stop;
mod timing;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use futures_util::StreamExt as _;
use http::StatusCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::*;

/// No single wait of a test is longer, so that a broken rule fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What the handlers and the test share.
#[derive(Debug)]
pub(super) struct Fixture {
    pub(super) budget: BodyBudget,
    pub(super) limit: usize,
    /// The address that bodies count for; `None`: the share of an address is not limited.
    pub(super) who: Option<std::net::IpAddr>,
    /// How many bytes the answers in pieces have produced.
    pub(super) made: AtomicU64,
    /// One permit for each request that has entered a handler that waits.
    pub(super) entered: Semaphore,
    /// Handlers that wait take one permit each.
    pub(super) release: Semaphore,
}

impl Fixture {
    /// Waits until one more request is inside a waiting handler.
    pub(super) async fn one_entered(&self) {
        timeout(PATIENCE, self.entered.acquire()).await.expect("a request enters").unwrap().forget();
    }
}

async fn wait_inside(State(fixture): State<Arc<Fixture>>) -> &'static str {
    fixture.entered.add_permits(1);
    fixture.release.acquire().await.unwrap().forget();
    "hecho"
}

/// An answer of 64 MiB that is produced while the client takes it.
async fn in_pieces(State(fixture): State<Arc<Fixture>>) -> Response {
    let pieces = futures_util::stream::iter(0..1024).map(move |_| {
        fixture.made.fetch_add(64 * 1024, Ordering::Relaxed);
        Ok::<_, std::convert::Infallible>(vec![b'x'; 64 * 1024])
    });
    Body::from_stream(pieces).into_response()
}

fn refused(refusal: BodyRefusal) -> Response {
    match refusal {
        BodyRefusal::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response(),
        BodyRefusal::TooLarge { limit_bytes } => {
            (StatusCode::PAYLOAD_TOO_LARGE, limit_bytes.to_string()).into_response()
        }
        BodyRefusal::TooSlow => StatusCode::REQUEST_TIMEOUT.into_response(),
        BodyRefusal::NoRoom { retry_after_s } => {
            (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", retry_after_s.to_string())]).into_response()
        }
        BodyRefusal::BrokenOff => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// Answers with the length of the body.
async fn measure(State(fixture): State<Arc<Fixture>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match read_body(&parts.headers, body, fixture.limit, &fixture.budget, fixture.who).await {
        Ok(read) => read.bytes.len().to_string().into_response(),
        Err(refusal) => refused(refusal),
    }
}

/// Reads the body, then waits while holding it.
async fn hold(State(fixture): State<Arc<Fixture>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match read_body(&parts.headers, body, fixture.limit, &fixture.budget, fixture.who).await {
        Ok(read) => {
            fixture.entered.add_permits(1);
            fixture.release.acquire().await.unwrap().forget();
            read.bytes.len().to_string().into_response()
        }
        Err(refusal) => refused(refusal),
    }
}

/// A server on a port of its own.
pub(super) struct TestServer {
    pub(super) addr: SocketAddr,
    pub(super) fixture: Arc<Fixture>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl TestServer {
    pub(super) async fn open(limits: Limits) -> Self {
        Self::open_with(limits, BodySettings::default(), 64 * 1024).await
    }

    pub(super) async fn open_with(limits: Limits, settings: BodySettings, limit: usize) -> Self {
        let fixture = Arc::new(Fixture {
            budget: BodyBudget::new(settings),
            limit,
            who: None,
            made: AtomicU64::new(0),
            entered: Semaphore::new(0),
            release: Semaphore::new(0),
        });
        let app = Router::new()
            .route("/hola", get(async || "hola"))
            .route("/sin-leer", post(async || StatusCode::UNAUTHORIZED))
            .route("/grande", get(async || vec![b'x'; 32 * 1024 * 1024]))
            .route(
                "/peer",
                get(async |request: Request| format!("{}", request.extensions().get::<Peer>().unwrap().0)),
            )
            .route("/wait", get(wait_inside))
            .route("/a-trozos", get(in_pieces))
            .route("/dos-trozos", get(async || vec![b'x'; 20_000]))
            .route("/cuerpo", post(measure))
            .route("/retiene", post(hold))
            .route("/panico/{id}", get(async || -> &'static str { panic!("boom") }))
            .layer(AccessLog::default())
            .with_state(fixture.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(serve(listener, app, limits, async move {
            let _told = stopped.await;
        }));
        Self { addr, fixture, stop: Some(stop), task }
    }

    pub(super) async fn client(&self) -> RawClient {
        RawClient(TcpStream::connect(self.addr).await.unwrap())
    }

    pub(super) fn stop(&mut self) {
        self.stop.take().expect("stopped once").send(()).unwrap();
    }

    pub(super) async fn ended(self) -> Result<(), ServeError> {
        timeout(PATIENCE, self.task).await.expect("the server ends").unwrap()
    }
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub(super) struct RawAnswer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl RawAnswer {
    pub(super) fn says_close(&self) -> bool {
        self.head.contains("connection: close")
    }
}

/// A client that sends exactly what it is told.
pub(super) struct RawClient(pub(super) TcpStream);

impl RawClient {
    pub(super) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        timeout(PATIENCE, self.0.write_all(bytes.as_ref())).await.expect("the server reads").unwrap();
    }

    pub(super) async fn get(&mut self, path: &str) -> RawAnswer {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
        self.answer().await
    }

    pub(super) async fn answer(&mut self) -> RawAnswer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(PATIENCE, self.0.read_u8()).await.expect("an answer in time");
            head.push(byte.expect("an answer before the end"));
        }
        let head = String::from_utf8(head).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        timeout(PATIENCE, self.0.read_exact(&mut body)).await.expect("a body in time").unwrap();
        let status = head[9..12].parse().unwrap();
        RawAnswer { status, head, body: String::from_utf8(body).unwrap() }
    }

    /// Waits for the other side to close, and returns after how long. Any byte that arrives is a failure.
    pub(super) async fn closed(&mut self) -> Duration {
        let start = Instant::now();
        match timeout(PATIENCE, self.0.read(&mut [0; 64])).await.expect("closed in time") {
            Ok(bytes) => assert_eq!(bytes, 0, "nothing but the end"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
        start.elapsed()
    }
}
