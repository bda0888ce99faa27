//! Blobs and the rows that name them: bytes are written first, then the row, without a race with a sweep of the same
//! bytes.
//!
//! A blob is durable before the row that names it commits. So a crash in between leaves an orphan for the sweep, but
//! never a row without bytes.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use embudo_blobs::{BlobError, Payload, Put};
use embudo_domain::{Digest, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{App, AppError};

/// The maximum number of blobs of one call that are written at the same time.
const BLOBS_AT_ONCE: usize = 4;
/// More bytes than this are hashed on a thread of their own.
const HASH_INLINE_BYTES: usize = 256 * 1024;
/// The pause before another attempt to write a blob that a sweep is deleting.
const SWEEP_WAIT: Duration = Duration::from_millis(50);
/// The maximum number of attempts.
const SWEEP_WAITS: usize = 100;

/// Bytes to be written to the blob store.
pub(crate) type PutBlob = (Digest, Payload);

/// Puts the bytes, then runs the command that names them. If a sweep has deleted some of the bytes meanwhile, puts them
/// again and tells the command which deletion came before. If the lead does not exist or was erased meanwhile, the
/// bytes are deleted again.
pub(crate) async fn with_blobs<T, F>(
    app: &App,
    lead: LeadId,
    placed: &[PutBlob],
    command: impl Fn(Vec<(Digest, i64)>) -> F,
) -> Result<T, AppError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let (mut swept, mut written) = (Vec::new(), BTreeSet::new());
    for _ in 0..SWEEP_WAITS {
        written.extend(put_blobs(app, lead, placed).await?);
        match command(swept).await {
            Err(StoreError::BlobMarked) => swept = after_sweep(app, lead, placed).await?,
            Err(error) => {
                if is_gone(app, lead, &error).await {
                    discard(app, lead, written).await;
                }
                return Err(error.into());
            }
            Ok(done) => return Ok(done),
        }
    }
    Err(StoreError::Unavailable("a blob stayed marked for sweeping".to_owned()).into())
}

/// Whether a command failed because its lead does not exist. Some errors only say that something of the lead does not
/// exist.
async fn is_gone(app: &App, lead: LeadId, error: &StoreError) -> bool {
    matches!(error, StoreError::LeadNotFound) || matches!(app.store.lead_empresa(lead).await, Ok(None))
}

/// Called if a sweep is deleting, or has deleted, bytes that were just put. Waits a moment if the sweep is not
/// finished. The returned deletions are finished, so they come before the next put.
async fn after_sweep(app: &App, lead: LeadId, placed: &[PutBlob]) -> Result<Vec<(Digest, i64)>, AppError> {
    let marks = app.store.blob_marks(lead).await?;
    let ours: Vec<_> = marks.iter().filter(|m| placed.iter().any(|(h, _)| *h == m.digest)).collect();
    if ours.iter().any(|m| !m.sweep) {
        tokio::time::sleep(SWEEP_WAIT).await;
    }
    Ok(ours.iter().filter(|m| m.sweep).map(|m| (m.digest, m.nth)).collect())
}

/// Puts the bytes; returns the digests of those that were written now.
async fn put_blobs(app: &App, lead: LeadId, placed: &[PutBlob]) -> Result<Vec<Digest>, AppError> {
    let placed = placed.iter().map(|(digest, bytes)| {
        let (blobs, digest, bytes) = (app.blobs.clone(), *digest, bytes.clone());
        async move { Ok::<_, BlobError>((digest, blobs.put(lead, &digest, bytes).await?)) }
    });
    let placed = stream::iter(placed.collect::<Vec<_>>()).buffer_unordered(BLOBS_AT_ONCE);
    let placed: Vec<_> = placed.try_collect().await?;
    Ok(placed.into_iter().filter(|(_, put)| *put == Put::Written).map(|(digest, _)| digest).collect())
}

/// Deletes only the blobs that a call wrote for a lead that does not exist: after restoring a wrong backup such a lead
/// may have photos that the right database still names. A failure is harmless, because the regular sweep deletes these
/// blobs later.
async fn discard(app: &App, lead: LeadId, written: BTreeSet<Digest>) {
    for digest in written {
        if let Err(error) = app.housekeeping().sweep_one(lead, digest).await {
            tracing::warn!(%error, "blobs of an unknown lead stay until the next sweep");
            return;
        }
    }
}

/// Adds bytes to the list to be put, and returns their digest.
pub(crate) async fn point_at(bytes: Vec<u8>, placed: &mut Vec<PutBlob>) -> Digest {
    let bytes = Bytes::from(bytes);
    let digest = if bytes.len() > HASH_INLINE_BYTES {
        let copy = bytes.clone();
        let hash = tokio::task::spawn_blocking(move || Digest::of(&copy)).await;
        hash.expect("hashing does not panic and is not cancelled")
    } else {
        Digest::of(&bytes)
    };
    placed.push((digest, bytes.into()));
    digest
}
