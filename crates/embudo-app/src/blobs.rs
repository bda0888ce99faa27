//! Blobs and the rows that name them: bytes first, then the row, without racing a sweep of the same bytes.
//!
//! A blob is durable before the row that names it commits, so a crash in between leaves an orphan for the sweep and
//! never a row without bytes.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use embudo_blobs::{BlobError, Payload, Put};
use embudo_domain::{Digest, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{App, AppError};

/// Blobs of one call that are written at the same time.
const BLOBS_AT_ONCE: usize = 4;
/// Hashing more than this is work for a thread of its own.
const HASH_INLINE_BYTES: usize = 256 * 1024;
/// The pause before a write tries again a blob that a sweep holds.
const SWEEP_WAIT: Duration = Duration::from_millis(50);
/// How many times it tries.
const SWEEP_WAITS: usize = 100;

/// Bytes on their way to the blob store.
pub(crate) type PutBlob = (Digest, Payload);

/// Puts the bytes, then runs the command that names them. If a sweep was at them, puts them again and tells the command
/// after which deletion that was. Bytes that were put for a lead which does not exist, or was erased meanwhile, go
/// again.
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

/// Whether a command failed because its lead is not there. Some say that a thing of the lead's is not.
async fn is_gone(app: &App, lead: LeadId, error: &StoreError) -> bool {
    matches!(error, StoreError::LeadNotFound) || matches!(app.store.lead_empresa(lead).await, Ok(None))
}

/// A sweep is deleting, or has deleted, bytes that came again. Waits until it is through; the deletions it returns are
/// known to lie before the next put.
async fn after_sweep(app: &App, lead: LeadId, placed: &[PutBlob]) -> Result<Vec<(Digest, i64)>, AppError> {
    let marks = app.store.blob_marks(lead).await?;
    let ours: Vec<_> = marks.iter().filter(|m| placed.iter().any(|(h, _)| *h == m.digest)).collect();
    if ours.iter().any(|m| !m.sweep) {
        tokio::time::sleep(SWEEP_WAIT).await;
    }
    Ok(ours.iter().filter(|m| m.sweep).map(|m| (m.digest, m.nth)).collect())
}

/// Puts the bytes; returns those that were not there before.
async fn put_blobs(app: &App, lead: LeadId, placed: &[PutBlob]) -> Result<Vec<Digest>, AppError> {
    let placed = placed.iter().map(|(digest, bytes)| {
        let (blobs, digest, bytes) = (app.blobs.clone(), *digest, bytes.clone());
        async move { Ok::<_, BlobError>((digest, blobs.put(lead, &digest, bytes).await?)) }
    });
    let placed = stream::iter(placed.collect::<Vec<_>>()).buffer_unordered(BLOBS_AT_ONCE);
    let placed: Vec<_> = placed.try_collect().await?;
    Ok(placed.into_iter().filter(|(_, put)| *put == Put::Written).map(|(digest, _)| digest).collect())
}

/// Sweeps what a call wrote for a lead that does not exist, and nothing else: after a restored backup such a lead may
/// have photos, which the right database still names. Failing here is harmless: the sweep comes by.
async fn discard(app: &App, lead: LeadId, written: BTreeSet<Digest>) {
    for digest in written {
        if let Err(error) = app.housekeeping().sweep_one(lead, digest).await {
            tracing::warn!(%error, "blobs of an unknown lead stay until the next sweep");
            return;
        }
    }
}

/// Notes bytes down to be put, and returns their digest.
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
