//! The body of a call: bytes in memory, or pieces that are produced twice.
//!
//! A signature is in the header, before the body, and covers the whole body. So a profile with fifty big photos is
//! read twice: once to sign it and count its bytes, once to send it. Only one piece at a time is in memory.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;

#[derive(Clone)]
pub enum SignedBody {
    Bytes(Bytes),
    /// Produced on demand, as often as asked.
    Pieces(Arc<dyn Pieces>),
}

/// The pieces of a body, one after the other.
pub type BodyStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// A body that is produced piece by piece.
pub trait Pieces: Send + Sync + 'static {
    /// Starts from the beginning and must yield the same bytes every time: the first pass is signed, the second is
    /// sent. If the second pass has another length, the attempt is aborted.
    fn open(self: Arc<Self>) -> BodyStream;
}

/// A piece could not be produced (a blob out of reach, say). The message is kept with the attempt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

impl From<Vec<u8>> for SignedBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<String> for SignedBody {
    fn from(text: String) -> Self {
        Self::Bytes(text.into())
    }
}
