//! A request body whose rest is read and discarded when a handler drops it early.
//!
//! A server that answers 401 or 413 and closes while the client is still sending makes the client's system discard the
//! answer (a TCP reset). So the rest of an HTTP/1 body is read and thrown away, bounded in time and bytes, while the
//! answer goes out. HTTP/2 resets the single stream instead and needs none of this. The discarded bytes are neither
//! kept nor examined.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::request::Parts;
use http::{Version, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::guard::Busy;
use crate::shared::Shared;

/// If no more than this is left of the body, the connection stays usable after a refusal.
const SMALL_REST_BYTES: u64 = 64 * 1024;

/// The body of a request as handlers get it (inside axum's own).
pub(crate) struct IncomingBody {
    inner: Option<Incoming>,
    busy: Option<Busy>,
    shared: Arc<Shared>,
    http1: bool,
    /// The client asked for permission to send (`Expect: 100-continue`) and has not got it yet.
    unasked: bool,
}

impl IncomingBody {
    pub(crate) fn new(inner: Incoming, parts: &Parts, busy: Busy, shared: Arc<Shared>) -> Self {
        Self {
            inner: Some(inner),
            busy: Some(busy),
            shared,
            http1: parts.version < Version::HTTP_2,
            unasked: parts.version == Version::HTTP_11 && parts.headers.contains_key(header::EXPECT),
        }
    }

    fn finish(&mut self) {
        self.inner = None;
        self.busy = None;
    }
}

impl Body for IncomingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        // Polling is what makes hyper send the 100.
        self.unasked = false;
        let Some(inner) = self.inner.as_mut() else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(inner).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.finish();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for IncomingBody {
    fn drop(&mut self) {
        let (Some(rest), Some(busy)) = (self.inner.take(), self.busy.take()) else { return };
        if !self.http1 || rest.is_end_stream() {
            return;
        }
        if self.unasked {
            // The client did not get permission, so there is no rest to wait for. But the next bytes on this connection
            // may be the body or another request, and we cannot tell which.
            busy.state().close_after_answer();
            return;
        }
        if rest.size_hint().exact().is_none_or(|left| left > SMALL_REST_BYTES) {
            busy.state().close_after_answer();
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(swallow(rest, busy, self.shared.clone()));
        }
    }
}

/// Reads and discards. If it ends before the body does, hyper closes the connection once the answer is out.
async fn swallow(mut rest: Incoming, busy: Busy, shared: Arc<Shared>) {
    let limits = shared.limits();
    let reading = async {
        let mut left = limits.rest_bytes;
        while let Some(Ok(frame)) = rest.frame().await {
            let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
            if bytes > left {
                break;
            }
            left -= bytes;
        }
    };
    let _ended = tokio::time::timeout(limits.rest_time, reading).await;
    drop(rest);
    drop(busy);
}
