//! The boundary between hyper and the router: one [`ConnectionService`] per connection.
//!
//! It marks requests as started and handled for the timers, hands the router the peer's address and a watched body, and
//! asks HTTP/1 clients to close where the connection cannot go on. It does not look into a request beyond its framing.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::future::RouteFuture;
use http::header::{CONNECTION, RETRY_AFTER};
use http::{HeaderValue, Request, StatusCode, Version};
use hyper::body::{Body as _, Incoming};
use pin_project_lite::pin_project;
use tower::Service as _;

use crate::Peer;
use crate::guard::{Busy, ConnectionState, StreamPlace};
use crate::incoming::IncomingBody;
use crate::outgoing::{Outgoing, Pieces};
use crate::shared::Shared;

/// Only a longer HTTP/1 answer takes a [`StreamPlace`]. A shorter one is in the socket as soon as it is made, or the
/// blocked socket shows that the client does not take it.
const LONG_BYTES: u64 = 64 * 1024;

/// The router as hyper calls it on one connection.
#[derive(Debug)]
pub(crate) struct ConnectionService {
    pub(crate) app: Router,
    pub(crate) peer: SocketAddr,
    pub(crate) state: Arc<ConnectionState>,
    pub(crate) shared: Arc<Shared>,
}

impl hyper::service::Service<Request<Incoming>> for ConnectionService {
    type Response = Response;
    type Error = Infallible;
    type Future = Handling;

    fn call(&self, req: Request<Incoming>) -> Handling {
        let http1 = req.version() < Version::HTTP_2;
        let busy = self.state.request_started(!http1);
        let (mut parts, incoming) = req.into_parts();
        parts.extensions.insert(Peer(self.peer));
        let place = if http1 { None } else { self.state.place(|| self.shared.stream_share(self.peer.ip())) };
        let body = if incoming.is_end_stream() {
            Body::empty()
        } else {
            Body::new(IncomingBody::new(incoming, &parts, self.state.busy(), self.shared.clone()))
        };
        // A connection that is being closed begins no request, because its answer would not arrive.
        let begins = (http1 || place.is_some()) && !self.state.evicted();
        let answer = begins.then(|| self.app.clone().call(Request::from_parts(parts, body)));
        Handling { answer, busy: Some(busy), shared: self.shared.clone(), place, http1 }
    }
}

/// The answer if no further request may begin: too many run on HTTP/2, for this address or in all, or the connection
/// is being closed.
fn too_many() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pin_project! {
    /// One request being handled; its guard is dropped with the answer, or with the future when the client has gone.
    pub(crate) struct Handling {
        #[pin]
        answer: Option<RouteFuture<Infallible>>,
        busy: Option<Busy>,
        shared: Arc<Shared>,
        place: Option<Arc<StreamPlace>>,
        http1: bool,
    }
}

impl Future for Handling {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = match this.answer.as_pin_mut() {
            Some(answer) => match ready!(answer.poll(cx)) {
                Ok(response) => response,
                Err(never) => match never {},
            },
            None => too_many(),
        };
        let Some(busy) = this.busy.take() else { return Poll::Ready(Ok(response)) };
        let closes = busy.state().must_close()
            || this.shared.stopped_at().is_some()
            || response.status() == StatusCode::REQUEST_TIMEOUT;
        if *this.http1 && closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if *this.http1 && response.body().size_hint().exact().is_none_or(|bytes| bytes > LONG_BYTES) {
            *this.place = busy.state().place(|| None);
        }
        if let Some(place) = this.place.take() {
            let pieces = if *this.http1 { Pieces::AsTheyCome } else { Pieces::Watched };
            response = response.map(|body| Body::new(Outgoing::new(body, place, pieces)));
        }
        Poll::Ready(Ok(response))
    }
}
