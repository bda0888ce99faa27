//! What holds wherever the bytes are kept, and the helpers of both sides.

use bytes::Bytes;
use embudo_blobs::{BlobError, BlobInfo, Blobs};
use embudo_domain::{Huella, LeadId};
use futures_util::TryStreamExt;
use uuid::Uuid;

pub fn lead() -> LeadId {
    LeadId(Uuid::new_v4())
}

/// Keeps some bytes and gives back their mark.
pub async fn keep(blobs: &Blobs, lead: LeadId, bytes: &'static [u8]) -> Huella {
    let huella = Huella::de(bytes);
    blobs.put(lead, &huella, Bytes::from_static(bytes)).await.unwrap();
    huella
}

pub async fn all(blobs: &Blobs) -> Vec<BlobInfo> {
    let mut found: Vec<_> = blobs.list().try_collect().await.unwrap();
    found.sort_by_key(|info| (info.lead, info.huella));
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
    assert_eq!(found.iter().map(|i| (i.lead, i.huella, i.size)).collect::<Vec<_>>(), expected);

    blobs.delete(ana, &bano).await.unwrap();
    blobs.delete(ana, &bano).await.unwrap();
    assert_eq!(blobs.get(ana, &bano).await, Err(BlobError::Missing));
    assert!(!blobs.exists(ana, &bano).await.unwrap());

    blobs.delete_lead(ana).await.unwrap();
    blobs.delete_lead(ana).await.unwrap();
    assert!(!blobs.exists(ana, &cocina).await.unwrap());
    assert_eq!(all(blobs).await.len(), 1, "another lead's photos stay");

    assert_eq!(keep(blobs, ana, b"cocina").await, cocina, "an erased lead's folder can come back");
    assert_eq!(blobs.get(ana, &cocina).await.unwrap(), "cocina");
}

/// Sixteen calls bring the same picture at once; every one of them may commit its row afterwards.
pub async fn takes_the_same_bytes_from_many(blobs: &Blobs) {
    let ana = lead();
    let bytes = Bytes::from(vec![7; 300_000]);
    let huella = Huella::de(&bytes);
    let puts = (0..16).map(|_| {
        let (blobs, bytes) = (blobs.clone(), bytes.clone());
        tokio::spawn(async move {
            blobs.put(ana, &huella, bytes).await.unwrap();
            blobs.get(ana, &huella).await.unwrap()
        })
    });
    for read in futures_util::future::join_all(puts).await {
        assert_eq!(read.unwrap(), bytes);
    }
    assert_eq!(all(blobs).await.iter().filter(|info| info.lead == ana).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_keeps_the_same_promises() {
    keeps_lists_and_erases(&Blobs::memoria()).await;
    takes_the_same_bytes_from_many(&Blobs::memoria()).await;
}
