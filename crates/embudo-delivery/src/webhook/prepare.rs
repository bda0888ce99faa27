//! Reads a body once before it is sent, for its signature and its length, and makes a body for sending that must match
//! both.

use std::sync::{Arc, Mutex};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::Body;

use super::failure::Failure;
use crate::body::{BodyStream, Pieces, SignedBody, SourceError};
use crate::signature::Signer;

/// A body of pieces up to this size is kept in memory after the first pass, so that it is not produced twice. Most
/// signals carry no picture and are this small.
const SMALL_BODY: usize = 1024 * 1024;

/// A body ready to be sent.
pub(super) struct Prepared {
    pub body: Body,
    pub len: u64,
    pub signature: Option<String>,
    pub source: Source,
}

/// Remembers the error of a piece that failed while the body was being sent. The HTTP client only reports a broken
/// body.
#[derive(Clone, Default)]
pub(super) struct Source(Arc<Mutex<Option<SourceError>>>);

impl Source {
    fn note(&self, error: &SourceError) {
        *self.0.lock().expect("nobody panics while holding it") = Some(error.clone());
    }

    /// Why the call failed: our own source, or else the network.
    pub fn failure(&self, error: &reqwest::Error) -> Failure {
        let ours = self.0.lock().expect("nobody panics while holding it").take();
        ours.map_or_else(|| Failure::Network(super::failure::describe(error)), Failure::Source)
    }
}

pub(super) async fn prepare(body: &SignedBody, mut signer: Signer) -> Result<Prepared, SourceError> {
    let source = Source::default();
    let (body, len) = match body {
        SignedBody::Bytes(bytes) => {
            signer.update(bytes);
            (Body::from(bytes.clone()), bytes.len() as u64)
        }
        SignedBody::Pieces(parts) => match read_through(Arc::clone(parts).open(), &mut signer).await? {
            Pass1::Together(bytes) => (Body::from(bytes.clone()), bytes.len() as u64),
            Pass1::Length(len) => (Body::wrap_stream(second_pass(parts, len, &source)), len),
        },
    };
    Ok(Prepared { body, len, signature: signer.header(), source })
}

enum Pass1 {
    Together(Bytes),
    /// The body is too long to be kept; this is its length.
    Length(u64),
}

async fn read_through(mut current: BodyStream, signer: &mut Signer) -> Result<Pass1, SourceError> {
    let mut len = 0_u64;
    let mut together = BytesMut::new();
    while let Some(part) = current.try_next().await? {
        signer.update(&part);
        len += part.len() as u64;
        if len <= SMALL_BODY as u64 {
            together.extend_from_slice(&part);
        } else {
            together = BytesMut::new();
        }
    }
    Ok(if len <= SMALL_BODY as u64 { Pass1::Together(together.freeze()) } else { Pass1::Length(len) })
}

/// The second pass, which must be as long as the first: a shorter one would leave the receiver waiting, a longer one
/// would be cut, and in both cases the body would differ from what was signed.
fn second_pass(parts: &Arc<dyn Pieces>, len: u64, source: &Source) -> BodyStream {
    let source = source.clone();
    let state = (Arc::clone(parts).open(), len);
    let counted = stream::try_unfold(state, |(mut current, missing)| async move {
        let change = || SourceError("el contenido cambió mientras se enviaba".to_owned());
        match current.try_next().await? {
            Some(part) => match missing.checked_sub(part.len() as u64) {
                Some(missing) => Ok(Some((part, (current, missing)))),
                None => Err(change()),
            },
            None if missing > 0 => Err(change()),
            None => Ok(None),
        }
    });
    counted.inspect_err(move |error| source.note(error)).boxed()
}
