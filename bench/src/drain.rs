//! A handler that only drains the body: the least that any server can do with a photo, hence the upper bound that the
//! photo figures are compared with. It must stay free of any other work.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::failure::Result;

/// Serves until the process is ended.
pub fn serve(bind: SocketAddr) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(bind).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(async move {
                let connection = hyper::server::conn::http1::Builder::new();
                // A client that disconnects is not an error of this server; the load generator counts the answers that
                // it misses.
                let _ = connection.serve_connection(TokioIo::new(stream), service_fn(drain)).await;
            });
        }
    })
}

async fn drain(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    // Creating a lead must be answered like the real server does, so that one client fits all.
    let answer = if request.uri().path() == "/api/leads" {
        (201, r#"{"ok":true,"id":"00000000-0000-4000-8000-000000000000"}"#)
    } else {
        (200, r#"{"ok":true,"fotos":1,"notas":0,"perfilSenalado":false,"finalizado":null}"#)
    };
    let mut body = request.into_body();
    while let Some(Ok(_)) = body.frame().await {}
    let mut response = Response::new(Full::from(answer.1));
    *response.status_mut() = hyper::StatusCode::from_u16(answer.0).unwrap_or_default();
    Ok(response)
}
