//! Removes old backups, and each blob together with the last backup that names it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_store::Store;
use futures_util::TryStreamExt;

use crate::blobs::Name;
use crate::files::{self, Scratch, fetch};
use crate::held::Held;
use crate::manifest::{BLOB_LIST, MANIFEST};
use crate::{Backup, BackupError, Place, Result};

/// How many backups were kept and removed, and how many blobs were removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub backups: usize,
    pub removed: usize,
    pub blobs_removed: u64,
}

/// Keeps the newest `count` backups of a database, and the one that was made just now, and removes the others. The
/// lease makes sure that no backup is made meanwhile.
pub async fn keep(
    store: &Arc<dyn Store>,
    place: &Place,
    made: &Backup,
    count: usize,
    scratch: &Path,
    patience: Duration,
) -> Result<Kept> {
    let held = Held::take(store, (scratch, made.database), patience, &()).await?;
    let kept = held.guard(keep_held(&held, place, made, count.max(1), scratch)).await;
    held.end().await;
    kept
}

async fn keep_held(held: &Held, place: &Place, made: &Backup, count: usize, scratch: &Path) -> Result<Kept> {
    let (depot, backups) = (place.depot()?, place.backups(made.database).await?);
    let (old, newest) = backups.split_at(backups.len().saturating_sub(count));
    // If the clock was wrong once, other backups may seem to be newer than the one just made.
    let (spared, old): (Vec<Backup>, Vec<Backup>) = old.iter().copied().partition(|backup| backup == made);
    let rest = [spared.as_slice(), newest].concat();
    let mut kept = Kept { backups: rest.len(), removed: old.len(), blobs_removed: 0 };
    if old.is_empty() {
        return Ok(kept);
    }
    // The lists are read before anything is removed: if one cannot be read, the backups that would be removed may help
    // to repair it.
    let mut named = HashSet::new();
    for backup in &rest {
        let manifest = place.manifest(backup).await?;
        let list = Scratch::new(scratch, "keep.txt")?;
        let expected = manifest.file(BLOB_LIST).ok_or_else(|| damaged(&backup.name()))?;
        if !fetch(&depot, &backup.path(BLOB_LIST), expected, Some(&list.0), &|_| ()).await? {
            return Err(damaged(&backup.name()));
        }
        for line in files::lines(&list.0)? {
            named.extend(line?.split(' ').next().and_then(Name::parse).map(|name| name.fingerprint()));
        }
    }
    held.confirm().await?;
    for backup in &old {
        // The manifest goes first: files without a manifest are removed by the next run.
        depot.remove(&backup.path(MANIFEST)).await?;
        for file in depot.list(&backup.folder()).await? {
            depot.remove(&file).await?;
        }
    }
    let blobs = place.blobs(made.database)?;
    let mut there = std::pin::pin!(blobs.list());
    while let Some(blob) = there.try_next().await? {
        if !named.contains(&Name { lead: blob.lead, digest: blob.digest }.fingerprint()) {
            blobs.delete(blob.lead, &blob.digest, Instant::now() + Duration::from_secs(60)).await?;
            kept.blobs_removed += 1;
        }
    }
    Ok(kept)
}

fn damaged(name: &str) -> BackupError {
    BackupError::Refused(format!(
        "{name}: the list of its blobs is damaged, so nothing is removed: look with --check"
    ))
}
