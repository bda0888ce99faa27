//! The seam between hyper and the router: one [`Servicio`] per connection.
//!
//! It marks requests as started and handled for the timers, hands the router the peer's address
//! and a watched body, and asks HTTP/1 clients to close where the connection cannot go on. It must
//! not look into a request beyond its framing.

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

use super::conexion::Comun;
use super::entrante::CuerpoEntrante;
use super::guardia::{EnCurso, Estado, StreamPlace};
use super::outgoing::{Outgoing, Pieces};

/// An HTTP/1 answer up to this size is in the socket, or visibly stuck before it, as soon as it is made.
const LONG_BYTES: u64 = 64 * 1024;

/// The address at the other end of the socket, as a request extension. Behind a reverse proxy this
/// is the proxy; [`super::client_ip`] finds the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Par(pub SocketAddr);

/// The router as hyper calls it on one connection.
#[derive(Debug)]
pub(super) struct Servicio {
    pub(super) app: Router,
    pub(super) par: SocketAddr,
    pub(super) estado: Arc<Estado>,
    pub(super) comun: Arc<Comun>,
}

impl hyper::service::Service<Request<Incoming>> for Servicio {
    type Response = Response;
    type Error = Infallible;
    type Future = Atencion;

    fn call(&self, req: Request<Incoming>) -> Atencion {
        let http1 = req.version() < Version::HTTP_2;
        let en_curso = self.estado.request_started(!http1);
        let (mut parts, incoming) = req.into_parts();
        parts.extensions.insert(Par(self.par));
        let place = if http1 { None } else { self.estado.place(|| self.comun.stream_share(self.par.ip())) };
        let body = if incoming.is_end_stream() {
            Body::empty()
        } else {
            Body::new(CuerpoEntrante::new(incoming, &parts, self.estado.busy(), self.comun.clone()))
        };
        // A connection that is being closed begins nothing: whatever it answered would not arrive.
        let begins = (http1 || place.is_some()) && !self.estado.evicted();
        let answer = begins.then(|| self.app.clone().call(Request::from_parts(parts, body)));
        Atencion { answer, en_curso: Some(en_curso), comun: self.comun.clone(), place, http1 }
    }
}

/// The answer where no request may begin: too many at once on HTTP/2, here or on all connections together.
fn too_many() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pin_project! {
    /// One request being handled; its mark is dropped with the answer, or with the future when the
    /// client has gone.
    pub(super) struct Atencion {
        #[pin]
        answer: Option<RouteFuture<Infallible>>,
        en_curso: Option<EnCurso>,
        comun: Arc<Comun>,
        place: Option<Arc<StreamPlace>>,
        http1: bool,
    }
}

impl Future for Atencion {
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
        let Some(mark) = this.en_curso.take() else { return Poll::Ready(Ok(response)) };
        let closes = mark.estado().must_close()
            || this.comun.stopped_at().is_some()
            || response.status() == StatusCode::REQUEST_TIMEOUT;
        if *this.http1 && closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if *this.http1 && response.body().size_hint().exact().is_none_or(|bytes| bytes > LONG_BYTES) {
            *this.place = mark.estado().place(|| None);
        }
        if let Some(place) = this.place.take() {
            let pieces = if *this.http1 { Pieces::AsTheyCome } else { Pieces::Watched };
            response = response.map(|body| Body::new(Outgoing::new(body, place, pieces)));
        }
        Poll::Ready(Ok(response))
    }
}
