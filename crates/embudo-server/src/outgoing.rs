//! An answer that is sent over HTTP/2 in small pieces, each of which is watched until it is gone.
//!
//! On HTTP/1 a connection has one answer at a time, and the socket tells whether the client takes it. On HTTP/2 a
//! client can ask for many answers and open the flow-control window for none: what it does not take stays in memory. So
//! every piece handed to hyper knows its connection, which is closed when a piece grows too old, and keeps the place of
//! its stream until it is sent. The bytes of an answer are not changed here.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::guard::StreamPlace;

/// The largest piece, as large as a frame.
const PIECE_BYTES: usize = 16 * 1024;

/// How a body's data is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pieces {
    AsTheyCome,
    /// Cut into small pieces, each of which is tracked until it is gone (HTTP/2).
    Watched,
}

/// The body of an answer as hyper gets it (inside axum's own).
pub(crate) struct Outgoing {
    inner: Body,
    rest: Bytes,
    place: Arc<StreamPlace>,
    pieces: Pieces,
}

impl Outgoing {
    pub(crate) fn new(inner: Body, place: Arc<StreamPlace>, pieces: Pieces) -> Self {
        Self { inner, rest: Bytes::new(), place, pieces }
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        let piece = self.rest.split_to(self.rest.len().min(PIECE_BYTES));
        Frame::data(Bytes::from_owner(Piece::new(piece, self.place.clone())))
    }
}

impl http_body::Body for Outgoing {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_piece())));
        }
        match ready!(Pin::new(&mut self.inner).poll_frame(cx)) {
            Some(Ok(frame)) if self.pieces == Pieces::AsTheyCome => Poll::Ready(Some(Ok(frame))),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => {
                    self.rest = data;
                    Poll::Ready(Some(Ok(self.next_piece())))
                }
                Err(other) => Poll::Ready(Some(Ok(other))),
            },
            ended => Poll::Ready(ended),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.inner.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

/// Bytes that tell their connection when they are dropped.
struct Piece {
    bytes: Bytes,
    born_us: u64,
    place: Arc<StreamPlace>,
}

impl Piece {
    fn new(bytes: Bytes, place: Arc<StreamPlace>) -> Self {
        let born_us = place.state().piece_made();
        Self { bytes, born_us, place }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.place.state().piece_gone(self.born_us);
    }
}
