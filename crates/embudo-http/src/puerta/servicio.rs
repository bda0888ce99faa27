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
use http::header::CONNECTION;
use http::{HeaderValue, Request, StatusCode, Version};
use hyper::body::{Body as _, Incoming};
use pin_project_lite::pin_project;
use tower::Service as _;

use super::conexion::Comun;
use super::entrante::CuerpoEntrante;
use super::guardia::{EnCurso, Estado};

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
        let body = if incoming.is_end_stream() {
            Body::empty()
        } else {
            Body::new(CuerpoEntrante::new(incoming, &parts, self.estado.busy(), self.comun.clone()))
        };
        let answer = self.app.clone().call(Request::from_parts(parts, body));
        Atencion { answer, en_curso: Some(en_curso), comun: self.comun.clone(), http1 }
    }
}

pin_project! {
    /// One request being handled; its mark is dropped with the answer, or with the future when the
    /// client has gone.
    pub(super) struct Atencion {
        #[pin]
        answer: RouteFuture<Infallible>,
        en_curso: Option<EnCurso>,
        comun: Arc<Comun>,
        http1: bool,
    }
}

impl Future for Atencion {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Ok(mut response) = ready!(this.answer.poll(cx));
        if let Some(mark) = this.en_curso.take()
            && *this.http1
            && (mark.estado().must_close()
                || this.comun.stopped_at().is_some()
                || response.status() == StatusCode::REQUEST_TIMEOUT)
        {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Poll::Ready(Ok(response))
    }
}
