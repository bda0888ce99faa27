//! Checks that must hold for every storage, and helpers for the tests of folders and of S3.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use embudo_blobs::{BlobError, BlobInfo, Blobs, DatabaseId};
use embudo_domain::{Digest, LeadId};
use futures_util::TryStreamExt;
use uuid::Uuid;

/// The database that most tests use.
pub fn ours() -> DatabaseId {
    DatabaseId::new(&[7; 32])
}

/// Another database.
pub fn strange() -> DatabaseId {
    DatabaseId::new(&[9; 32])
}

pub fn folder(path: &Path) -> Blobs {
    Blobs::folder(path, ours()).unwrap()
}

pub fn within(path: &Path) -> PathBuf {
    path.join(ours().to_string())
}

/// A deadline that is far enough away.
pub fn soon() -> Instant {
    Instant::now() + Duration::from_mins(2)
}

pub fn lead() -> LeadId {
    LeadId(Uuid::new_v4())
}

/// Stores some bytes and returns their digest.
pub async fn keep(blobs: &Blobs, lead: LeadId, bytes: &'static [u8]) -> Digest {
    let digest = Digest::of(bytes);
    blobs.put(lead, &digest, Bytes::from_static(bytes)).await.unwrap();
    digest
}

pub async fn all(blobs: &Blobs) -> Vec<BlobInfo> {
    let mut found: Vec<_> = blobs.list().try_collect().await.unwrap();
    found.sort_by_key(|info| (info.lead, info.digest));
    found
}

pub fn assert_unavailable<T: std::fmt::Debug>(result: Result<T, BlobError>) -> String {
    match result {
        Err(error @ BlobError::Unavailable { .. }) => error.to_string(),
        other => panic!("expected Unavailable, got {other:?}"),
    }
}

/// Round trip, same picture twice, separate leads, list, deletions: `blobs` must be empty.
pub async fn keeps_lists_and_erases(blobs: &Blobs) {
    blobs.check().await.unwrap();
    assert_eq!(all(blobs).await, []);

    let (ana, luis) = (lead(), lead());
    let cocina = keep(blobs, ana, b"cocina").await;
    assert_eq!(keep(blobs, ana, b"cocina").await, cocina);
    let bano = keep(blobs, ana, b"el bano").await;
    keep(blobs, luis, b"cocina").await;
    assert_eq!(blobs.get(ana, &cocina).await.unwrap(), "cocina");
    assert_eq!(blobs.get(luis, &cocina).await.unwrap(), "cocina");
    assert!(blobs.exists(ana, &bano).await.unwrap());

    let found = all(blobs).await;
    let mut expected = vec![(ana, cocina, 6), (ana, bano, 7), (luis, cocina, 6)];
    expected.sort();
    assert_eq!(found.iter().map(|i| (i.lead, i.digest, i.size)).collect::<Vec<_>>(), expected);

    blobs.delete(ana, &bano, soon()).await.unwrap();
    blobs.delete(ana, &bano, soon()).await.unwrap();
    assert_eq!(blobs.get(ana, &bano).await, Err(BlobError::Missing));
    assert!(!blobs.exists(ana, &bano).await.unwrap());

    blobs.delete_lead(ana).await.unwrap();
    blobs.delete_lead(ana).await.unwrap();
    assert!(!blobs.exists(ana, &cocina).await.unwrap());
    assert_eq!(all(blobs).await.len(), 1, "another lead's photos stay");

    assert_eq!(keep(blobs, ana, b"cocina").await, cocina, "an erased lead's folder can come back");
    keep(blobs, ana, b"el salon").await;
    blobs.erase_lead(ana, &[cocina]).await.unwrap();
    blobs.erase_lead(ana, &[cocina]).await.unwrap();
    assert_eq!(all(blobs).await.len(), 2, "what has to be kept stays, and so does another lead's");
    assert_eq!(blobs.get(ana, &cocina).await.unwrap(), "cocina");
    blobs.erase_lead(ana, &[]).await.unwrap();
    assert!(!blobs.exists(ana, &cocina).await.unwrap());
    keep(blobs, ana, b"cocina").await;
    assert_eq!(blobs.get(ana, &cocina).await.unwrap(), "cocina");
}

/// Two databases in one place: neither sees, lists or erases the other's data.
pub async fn databases_keep_apart(one: &Blobs, other: &Blobs) {
    let ana = lead();
    let cocina = keep(one, ana, b"cocina").await;
    assert_eq!(all(other).await, []);
    assert_eq!(other.get(ana, &cocina).await, Err(BlobError::Missing));
    other.delete(ana, &cocina, soon()).await.unwrap();
    other.delete_lead(ana).await.unwrap();
    assert_eq!(one.get(ana, &cocina).await.unwrap(), "cocina");
    keep(other, ana, b"cocina").await;
    one.delete_lead(ana).await.unwrap();
    assert_eq!(other.get(ana, &cocina).await.unwrap(), "cocina");
}

/// After its deadline a deletion does nothing, because the bytes may have been put again.
pub async fn deletes_nothing_too_late(blobs: &Blobs) {
    let ana = lead();
    let cocina = keep(blobs, ana, b"cocina").await;
    assert_unavailable(blobs.delete(ana, &cocina, Instant::now()).await);
    assert_eq!(blobs.get(ana, &cocina).await.unwrap(), "cocina");
}

/// Sixteen calls put the same picture at the same time; each of them may commit its row afterwards.
pub async fn takes_the_same_bytes_from_many(blobs: &Blobs) {
    let ana = lead();
    let bytes = Bytes::from(vec![7; 300_000]);
    let digest = Digest::of(&bytes);
    let puts = (0..16).map(|_| {
        let (blobs, bytes) = (blobs.clone(), bytes.clone());
        tokio::spawn(async move {
            blobs.put(ana, &digest, bytes).await.unwrap();
            blobs.get(ana, &digest).await.unwrap()
        })
    });
    for read in futures_util::future::join_all(puts).await {
        assert_eq!(read.unwrap(), bytes);
    }
    assert_eq!(all(blobs).await.iter().filter(|info| info.lead == ana).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_keeps_the_same_promises() {
    keeps_lists_and_erases(&Blobs::memory()).await;
    takes_the_same_bytes_from_many(&Blobs::memory()).await;
    deletes_nothing_too_late(&Blobs::memory()).await;
}
