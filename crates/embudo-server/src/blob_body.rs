//! A blob as the body of an answer, read while the client takes it.
//!
//! A photo has many megabytes and its client may be slow or not read at all; only the piece that is under way is in
//! memory.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use embudo_blobs::{BlobError, BlobReader};
use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use http_body::{Frame, SizeHint};

pub fn blob(reader: BlobReader) -> Body {
    let size = reader.size();
    Body::new(BlobBody { pieces: pieces(reader).boxed(), left: Some(size) })
}

/// The body: `before`, then the blob with `of_piece` applied to each piece, then `after`. `size` is the length of the
/// middle part, where it is known.
pub fn blob_between(
    before: String,
    reader: BlobReader,
    of_piece: fn(&Bytes) -> Result<Bytes, BlobError>,
    after: String,
    size: Option<u64>,
) -> Body {
    let texts = |text: String| stream::iter([Ok(Bytes::from(text))]);
    let middle = pieces(reader).map(move |piece| piece.and_then(|piece| of_piece(&piece)));
    let left = size.map(|size| size + (before.len() + after.len()) as u64);
    Body::new(BlobBody { pieces: texts(before).chain(middle).chain(texts(after)).boxed(), left })
}

fn pieces(reader: BlobReader) -> impl Stream<Item = Result<Bytes, BlobError>> {
    stream::unfold(Some(reader), async |reader| {
        let mut reader = reader?;
        match reader.next_piece().await? {
            Ok(piece) => Some((Ok(piece), Some(reader))),
            Err(error) => {
                // The status was sent already: the only thing left is to break the body off, so that the client does
                // not take it for the whole blob.
                tracing::warn!(%error, "a blob could not be read to its end");
                Some((Err(error), None))
            }
        }
    })
}

struct BlobBody {
    pieces: BoxStream<'static, Result<Bytes, BlobError>>,
    left: Option<u64>,
}

impl http_body::Body for BlobBody {
    type Data = Bytes;
    type Error = BlobError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BlobError>>> {
        let piece = ready!(self.pieces.poll_next_unpin(cx));
        if let (Some(left), Some(Ok(piece))) = (&mut self.left, &piece) {
            *left = left.saturating_sub(piece.len() as u64);
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
