//! The sweep of blobs that no row names, concurrent with ingestions of the same bytes.

use std::time::Duration;

use bytes::Bytes;
use embudo_domain::{Digest, FotoId, LeadId};
use embudo_store::blob_marks::MARK_LIFE;
use embudo_testkit::{TestApp, both_engines, data_uri, fake_jpeg};
use futures_util::TryStreamExt;
use jiff::SignedDuration;
use serde_json::{Value, json};

both_engines!(
    the_same_picture_twice_is_one_blob,
    the_sweep_deletes_what_no_photo_names_and_nothing_else,
    sweeping_and_ingesting_the_same_picture_at_once_loses_no_byte,
    a_sweep_that_died_is_finished_by_the_next,
    a_sweep_leaves_what_another_is_at,
    a_sweep_that_would_take_a_large_share_is_not_begun,
    many_sweeps_and_ingestions_of_the_same_picture_lose_no_byte,
);

/// The bytes of picture number `n`.
fn picture(n: u64) -> Vec<u8> {
    fake_jpeg(n, 2_000)
}

/// One call with these pictures.
fn pictures(numbers: &[u64]) -> Value {
    let foto = |n: &u64| json!({ "tipo": "foto", "imagen": data_uri(&picture(*n)) });
    json!({ "items": numbers.iter().map(foto).collect::<Vec<_>>() })
}

async fn blobs(s: &TestApp) -> usize {
    s.app.blobs.list().try_collect::<Vec<_>>().await.unwrap().len()
}

/// The lead's photos, in their order.
async fn fotos(s: &TestApp, lead: LeadId) -> Vec<FotoId> {
    s.record(lead).await.fotos.iter().map(|f| f.id).collect()
}

/// The stored bytes of a photo.
async fn bytes_of(s: &TestApp, lead: LeadId, foto: FotoId) -> Vec<u8> {
    let digest = s.app.store.foto(lead, foto).await.unwrap().image.digests().next().unwrap();
    s.app.blobs.get(lead, &digest).await.unwrap().to_vec()
}

async fn the_same_picture_twice_is_one_blob(s: TestApp) {
    let lead = s.new_lead().await;
    for _ in 0..2 {
        s.ingest(lead, pictures(&[1, 1])).await;
    }
    assert_eq!((fotos(&s, lead).await.len(), blobs(&s).await), (4, 1));
}

async fn the_sweep_deletes_what_no_photo_names_and_nothing_else(s: TestApp) {
    let lead = s.new_lead().await;
    s.ingest(lead, pictures(&[1, 2, 1])).await;
    let all = fotos(&s, lead).await;
    for foto in &all[..2] {
        s.app.store.delete_foto(lead, *foto, s.app.now()).await.unwrap();
    }
    let young = s.app.housekeeping().sweep_blobs(Duration::from_secs(3_600)).await.unwrap();
    assert_eq!(young.deleted, 0, "a young blob may belong to a call that still runs");
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.seen, swept.deleted), (2, 1));
    assert_eq!(bytes_of(&s, lead, all[2]).await, picture(1));
}

async fn sweeping_and_ingesting_the_same_picture_at_once_loses_no_byte(s: TestApp) {
    let lead = s.new_lead().await;
    for _ in 0..25 {
        let (_, swept) =
            tokio::join!(s.ingest(lead, pictures(&[1])), s.app.housekeeping().sweep_blobs(Duration::ZERO));
        swept.unwrap();
        is_whole_and_goes(&s, lead).await;
    }
}

async fn many_sweeps_and_ingestions_of_the_same_picture_lose_no_byte(s: TestApp) {
    let lead = s.new_lead().await;
    for _ in 0..15 {
        let sweep = || s.app.housekeeping().sweep_blobs(Duration::ZERO);
        let (_, a, b, c) = tokio::join!(s.ingest(lead, pictures(&[1])), sweep(), sweep(), sweep());
        for swept in [a, b, c] {
            swept.unwrap();
        }
        is_whole_and_goes(&s, lead).await;
    }
}

/// Checks that the lead's only photo is the first picture, and removes it.
async fn is_whole_and_goes(s: &TestApp, lead: LeadId) {
    let foto = fotos(s, lead).await[0];
    assert_eq!(bytes_of(s, lead, foto).await, picture(1));
    s.app.store.delete_foto(lead, foto, s.app.now()).await.unwrap();
}

async fn a_sweep_that_died_is_finished_by_the_next(s: TestApp) {
    let lead = s.new_lead().await;
    s.ingest(lead, pictures(&[1])).await;
    s.app.store.delete_foto(lead, fotos(&s, lead).await[0], s.app.now()).await.unwrap();
    let long_ago = s.app.now() - MARK_LIFE - SignedDuration::from_secs(1);
    s.app.store.mark_blob(lead, Digest::of(&picture(1)), long_ago).await.unwrap().unwrap();
    assert_eq!(s.app.housekeeping().finish_dead_sweeps().await.unwrap(), 1);
    assert_eq!((blobs(&s).await, s.app.store.marked_blobs().await.unwrap().len()), (0, 0));
}

async fn a_sweep_leaves_what_another_is_at(s: TestApp) {
    let lead = s.new_lead().await;
    let digest = Digest::of(b"suelto");
    s.app.blobs.put(lead, &digest, Bytes::from_static(b"suelto")).await.unwrap();
    let nth = s.app.store.mark_blob(lead, digest, s.app.now()).await.unwrap().unwrap();
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.extra, swept.deleted, blobs(&s).await), (1, 0, 1));
    s.app.store.blob_swept(lead, digest, nth).await.unwrap();
    assert_eq!(s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap().deleted, 1);
}

async fn a_sweep_that_would_take_a_large_share_is_not_begun(s: TestApp) {
    let lead = s.new_lead().await;
    for n in 0..21_u8 {
        s.app.blobs.put(lead, &Digest::of(&[n]), Bytes::from(vec![n])).await.unwrap();
    }
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.extra, swept.deleted, swept.stopped), (21, 0, true));
    let orphans = s.app.housekeeping().orphans(Duration::ZERO).await.unwrap();
    let deleted = s.app.housekeeping().sweep(&orphans).await.unwrap();
    assert_eq!((orphans.too_many(), deleted, blobs(&s).await), (true, 21, 0));
}
