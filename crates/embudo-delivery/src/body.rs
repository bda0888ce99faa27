//! The body of a call: bytes in memory, or pieces that are produced twice.
//!
//! A signature is in the header, before the body, and covers the whole body. A profile with fifty big photos is
//! therefore read twice, once to sign and count and once to send, instead of being held in memory: only one piece at a
//! time is, and the length is known before the first byte is sent.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;

#[derive(Clone)]
pub enum SignedBody {
    Bytes(Bytes),
    /// Produced on demand, as often as asked.
    Pieces(Arc<dyn Pieces>),
}

/// Pieces on their way.
pub type BodyStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// A body that is produced piece by piece.
pub trait Pieces: Send + Sync + 'static {
    /// Starts from the beginning. Every time the same bytes must come: the first pass is signed, the second is sent,
    /// and a second pass of another length breaks the attempt off.
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
