//! Gives every request an id, a log line, a count and a span, and turns a panic into an answer.
//!
//! The log line and the span name the route's pattern, never the path, the query or an address, because those hold
//! personal data. An answer gets `x-request-id`, and what the `finish` function of the API adds.

use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use embudo_trace::{OpenSpan, TRACEPARENT};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use uuid::Uuid;

use crate::request_metrics::{MethodLabel, RequestMetrics, RouteMetrics};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The route in the log of an address that the router does not know.
const NO_ROUTE: &str = "-";
/// What the log and the metrics say of a request whose client went away (as nginx does).
const CLIENT_GONE: u16 = 499;

/// The id of a request (UUID v7), as a request extension and as `x-request-id` of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(pub Uuid);

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The layer. Goes around the whole router (`Router::layer`, outermost), where the matched route
/// is known.
#[derive(Debug, Clone)]
pub struct AccessLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    metrics: RequestMetrics,
    ids: Ids,
    panicked: fn(RequestId) -> Response,
    finish: fn(RequestId, Response) -> Response,
}

impl Default for AccessLog {
    fn default() -> Self {
        Self::new(problem_500, |_, response| response)
    }
}

impl AccessLog {
    /// `panicked` words the answer to a request whose handler panicked, `finish` may complete any other answer
    /// with the request's id. Install the metrics recorder before the first request.
    #[must_use]
    pub fn new(panicked: fn(RequestId) -> Response, finish: fn(RequestId, Response) -> Response) -> Self {
        Self(Arc::new(Inner { metrics: RequestMetrics::default(), ids: Ids::new(), panicked, finish }))
    }
}

impl<S> Layer<S> for AccessLog {
    type Service = Logged<S>;

    fn layer(&self, inner: S) -> Logged<S> {
        Logged { inner, log: self.0.clone() }
    }
}

/// A service whose requests are logged.
#[derive(Debug, Clone)]
pub struct Logged<S> {
    inner: S,
    log: Arc<Inner>,
}

impl<S> Service<Request> for Logged<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = LoggedAnswer<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let id = RequestId(self.log.ids.next());
        let pattern = request.extensions().get::<MatchedPath>().map_or(NO_ROUTE, MatchedPath::as_str);
        let line = LogLine {
            route: self.log.metrics.route(pattern),
            method: MethodLabel::of(request.method()),
            started: Instant::now(),
            id,
            span: OpenSpan::of_request(|| traceparent(request.headers())),
            log: self.log.clone(),
            written: false,
        };
        line.log.metrics.in_flight().increment(1.0);
        request.extensions_mut().insert(id);
        // A service that panicked is not used again: axum clones it for every request.
        let answer = catch_unwind(AssertUnwindSafe(|| self.inner.call(request))).ok();
        LoggedAnswer { answer, line }
    }
}

pin_project! {
    /// A logged request on its way to its answer.
    pub struct LoggedAnswer<F> {
        #[pin]
        answer: Option<F>,
        line: LogLine,
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for LoggedAnswer<F> {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let polled = match this.answer.as_mut().as_pin_mut() {
            Some(answer) => {
                let context = this.line.span.context();
                catch_unwind(AssertUnwindSafe(|| embudo_trace::entered(context, || answer.poll(cx))))
            }
            None => Err(Box::new(()) as _),
        };
        let mut response = match polled {
            Ok(polled) => {
                let Ok(response) = ready!(polled);
                (this.line.log.finish)(this.line.id, response)
            }
            Err(_payload) => {
                // The text of a panic may quote a lead's data, so only the route is logged.
                let id = this.line.id;
                tracing::error!(target: "server", request_id = %id, method = this.line.method.as_str(),
                    route = this.line.route.pattern(), "a handler panicked");
                (this.line.log.panicked)(id)
            }
        };
        response.headers_mut().insert(X_REQUEST_ID, this.line.id_header());
        this.line.write(response.status());
        Poll::Ready(Ok(response))
    }
}

/// What is known of a request until its line is written: when it is answered, or when it is dropped because the client
/// went away.
struct LogLine {
    route: Arc<RouteMetrics>,
    method: MethodLabel,
    started: Instant,
    id: RequestId,
    span: OpenSpan,
    log: Arc<Inner>,
    written: bool,
}

impl LogLine {
    fn id_header(&self) -> HeaderValue {
        let mut text = Uuid::encode_buffer();
        let text = self.id.0.hyphenated().encode_lower(&mut text);
        HeaderValue::from_str(text).expect("hexadecimal digits and hyphens")
    }

    fn write(&mut self, status: StatusCode) {
        self.written = true;
        let seconds = self.started.elapsed().as_secs_f64();
        self.log.metrics.in_flight().decrement(1.0);
        self.route.record(self.method, status, seconds);
        let (method, route, id) = (self.method.as_str(), self.route.pattern(), self.id);
        self.span.record(|span| {
            let has_route = route != NO_ROUTE;
            span.name = if has_route { format!("{method} {route}").into() } else { method.into() };
            span.is_error = status.is_server_error();
            span.set("http.request.method", method);
            if has_route {
                span.set("http.route", route.to_owned());
            }
            span.set("http.response.status_code", status.as_u16());
            span.set("embudo.request.id", id.to_string());
        });
        self.span.finish();
        tracing::info!(target: "access", method = self.method.as_str(), route = self.route.pattern(),
            status = status.as_u16(), ms = (seconds * 10_000.0).round() / 10.0, request_id = %self.id);
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        if !self.written {
            self.write(StatusCode::from_u16(CLIENT_GONE).expect("a three-digit code"));
        }
    }
}

/// The caller's `traceparent`; `None` if there is no such header or more than one.
fn traceparent(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(TRACEPARENT).into_iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.as_bytes())
}

/// UUIDs of version 7 without a system call each: time, and a counter scrambled with a secret of
/// this process. They have to be unique, not unguessable.
#[derive(Debug)]
struct Ids {
    seed: u128,
    count: AtomicU64,
}

impl Ids {
    fn new() -> Self {
        Self { seed: Uuid::new_v4().as_u128(), count: AtomicU64::new(0) }
    }

    fn next(&self) -> Uuid {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let (high, low) = ((self.seed >> 64) as u64, self.seed as u64);
        // An odd multiplier makes each step a bijection: no two counts give the same 64 bits.
        let mixed = (count ^ low).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ high;
        let mut random = [0; 10];
        random[..2].copy_from_slice(&(high as u16).to_be_bytes());
        random[2..].copy_from_slice(&mixed.to_be_bytes());
        let millis = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}

/// The answer to a panic where the API has not set its own.
fn problem_500(id: RequestId) -> Response {
    let text = format!(
        r#"{{"type":"about:blank","title":"Error interno","status":500,"detail":"Ha ocurrido un error inesperado. Vuelva a intentarlo más tarde.","instance":"{id}"}}"#
    );
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    response
}
