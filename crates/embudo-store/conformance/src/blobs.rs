//! The marks of a sweep: no photo ever names a blob that is being deleted.

use std::sync::Arc;

use embudo_domain::foto::StoredImage;
use embudo_domain::{Digest, LeadId, Timestamp};

use super::data::{a_lead, foto, foto_of, ingesta, nobody, other_lead, record, t};
use embudo_store::Store;
use embudo_store::blob_marks::{BlobMark, MARK_LIFE};
use embudo_store::lead_writes::{Ingest, NewFoto};

async fn marked(store: &Arc<dyn Store>) -> Vec<(LeadId, Digest)> {
    let mut marked = store.marked_blobs().await.expect("a list");
    marked.sort();
    marked
}

/// Marks a free blob; returns the number of the mark.
async fn mark(store: &Arc<dyn Store>, lead: LeadId, blob: Digest, at: Timestamp) -> i64 {
    store.mark_blob(lead, blob, at).await.expect("answered").expect("marked")
}

/// A blob that no photo of the lead names stays marked until it is swept, even if it is swept twice.
pub async fn a_free_blob_is_marked_until_it_is_swept(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"libre");
    assert_eq!(marked(&store).await, vec![]);
    let nth = mark(&store, lead, blob, t(0)).await;
    assert_eq!(marked(&store).await, vec![(lead, blob)]);
    for _ in 0..2 {
        store.blob_swept(lead, blob, nth).await.expect("swept");
        assert_eq!(marked(&store).await, vec![]);
    }
}

/// While one sweep has marked a blob, no other sweep can mark it: the second one would delete the bytes that an
/// ingestion puts again after the first sweep.
pub async fn a_living_mark_keeps_other_sweeps_off(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"dos barridos");
    let life = MARK_LIFE.as_secs();
    let nth = mark(&store, lead, blob, t(0)).await;
    for at in [t(0), t(1), t(life)] {
        assert_eq!(store.mark_blob(lead, blob, at).await.expect("answered"), None);
    }
    assert_eq!(brand(&store, lead).await, BlobMark { digest: blob, nth, sweep: false });
    store.blob_swept(lead, blob, nth).await.expect("swept");
    assert!(mark(&store, lead, blob, t(2)).await > nth, "over a trace it is free at once");
}

/// A sweep can finish only the mark that it made itself. Here the first sweep dies, or is so slow that it is taken for
/// dead, and a second one marks the blob again. When the first sweep then reports its end, this must not allow a photo
/// whose bytes the second sweep is about to delete.
pub async fn a_sweep_finishes_only_its_own_mark(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"dos barridos");
    let late = MARK_LIFE.as_secs() + 1;
    let first = mark(&store, lead, blob, t(0)).await;
    let second = mark(&store, lead, blob, t(late)).await;
    assert!(second > first);
    store.blob_swept(lead, blob, first).await.expect("nothing of its own to finish");
    assert_eq!(brand(&store, lead).await, BlobMark { digest: blob, nth: second, sweep: false });
    for nth in [first, second] {
        let arrives = Ingest { swept: vec![(blob, nth)], ..ingesta(lead, vec![foto_of(blob)], t(late)) };
        assert_fails!(store.ingest(arrives).await, BlobMarked);
    }
    store.blob_swept(lead, blob, second).await.expect("swept");
    let arrives = Ingest { swept: vec![(blob, second)], ..ingesta(lead, vec![foto_of(blob)], t(late)) };
    store.ingest(arrives).await.expect("put again after the last deletion");
    store.blob_swept(lead, blob, first).await.expect("nothing left to finish");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
}

/// Of many sweeps at once only one marks the blob.
pub async fn of_many_sweeps_one_marks(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for n in 0..10_u8 {
        let blob = Digest::of(&[n]);
        let all = (0..6).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.mark_blob(lead, blob, t(1)).await })
        });
        let mut done = 0;
        for one in all.collect::<Vec<_>>() {
            done += usize::from(one.await.expect("no panic").expect("answered").is_some());
        }
        assert_eq!(done, 1);
    }
}

/// The blobs of a lead that does not exist can be marked: this is how orphans are swept.
pub async fn an_unknown_leads_blob_can_be_marked(store: Arc<dyn Store>) {
    let (lead, blob) = (nobody(), Digest::of(b"huerfano"));
    assert!(!store.blob_in_use(lead, blob).await.expect("answered"));
    let nth = mark(&store, lead, blob, t(0)).await;
    assert_eq!(marked(&store).await, vec![(lead, blob)]);
    store.blob_swept(lead, blob, nth).await.expect("swept");
    assert_eq!(marked(&store).await, vec![]);
}

/// A blob that a photo names in any way is in use and cannot be marked; it is free once the last such photo is gone.
pub async fn a_blob_in_use_is_not_marked(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (a, b, c) = (Digest::of(b"a"), Digest::of(b"b"), Digest::of(b"c"));
    let prefix = "data:image/png;base64,".to_owned();
    let informal = StoredImage::Informal { prefix: prefix.clone(), bytes: a, raw: b };
    let fotos = vec![
        foto_of(a),
        NewFoto { image: informal, ..foto() },
        NewFoto { image: StoredImage::Unreadable { prefix, raw: c }, ..foto() },
    ];
    let ids: Vec<_> = fotos.iter().map(|f| f.id).collect();
    store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
    // Which of a, b and c are free after the first n photos are gone.
    let free_ones = [[false, false, false], [false, false, false], [true, true, false], [true, true, true]];
    for (n, free_ones) in free_ones.into_iter().enumerate() {
        if n > 0 {
            store.delete_foto(lead, ids[n - 1], t(9)).await.expect("removed");
        }
        for (blob, free) in [a, b, c].into_iter().zip(free_ones) {
            assert_eq!(store.blob_in_use(lead, blob).await.expect("answered"), !free);
            let nth = store.mark_blob(lead, blob, t(2)).await.expect("answered");
            assert_eq!(nth.is_some(), free);
            assert_eq!(marked(&store).await.contains(&(lead, blob)), free);
            store.blob_swept(lead, blob, nth.unwrap_or_default()).await.expect("swept");
        }
    }
}

/// A blob belongs to its lead: the same bytes of another lead are neither in use nor marked.
pub async fn marks_are_per_lead(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let blob = Digest::of(b"misma");
    store.ingest(ingesta(lead, vec![foto_of(blob)], t(1))).await.expect("saved");
    let nth = mark(&store, another, blob, t(2)).await;
    assert_eq!(marked(&store).await, vec![(another, blob)]);
    store.ingest(ingesta(lead, vec![foto_of(blob)], t(3))).await.expect("saved");
    assert_fails!(store.ingest(ingesta(another, vec![foto_of(blob)], t(3))).await, BlobMarked);
    store.blob_swept(lead, blob, nth).await.expect("nothing to sweep");
    assert_eq!(marked(&store).await, vec![(another, blob)]);
}

/// The only mark or trace of a lead.
async fn brand(store: &Arc<dyn Store>, lead: LeadId) -> BlobMark {
    let marks = store.blob_marks(lead).await.expect("a list");
    assert_eq!(marks.len(), 1, "{marks:?}");
    marks[0]
}

/// Marks a blob and sweeps it; returns the trace.
async fn sweep(store: &Arc<dyn Store>, lead: LeadId, blob: Digest, at: Timestamp) -> BlobMark {
    let nth = mark(store, lead, blob, at).await;
    store.blob_swept(lead, blob, nth).await.expect("swept");
    brand(store, lead).await
}

/// A mark becomes a trace with the same number; a blob that was never marked leaves none.
pub async fn a_swept_blob_leaves_a_trace(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"rastro");
    store.blob_swept(lead, blob, 1).await.expect("nothing to sweep");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    let nth = mark(&store, lead, blob, t(1)).await;
    let living = brand(&store, lead).await;
    assert_eq!(living, BlobMark { digest: blob, nth, sweep: false });
    store.blob_swept(lead, blob, nth).await.expect("swept");
    assert_eq!(brand(&store, lead).await, BlobMark { sweep: true, ..living });
    assert_eq!(marked(&store).await, vec![]);
    assert_eq!(store.blob_marks(other_lead(&store).await).await.expect("a list"), vec![]);
}

/// Neither a living mark nor a trace allows a photo by itself. A trace does once the bytes were put again; then the
/// trace is removed.
pub async fn a_trace_lets_through_what_was_put_again(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"vuelve");
    let with = |swept, n| Ingest { swept, ..ingesta(lead, vec![foto_of(blob)], t(n)) };
    let nth = mark(&store, lead, blob, t(1)).await;
    assert_fails!(store.ingest(with(vec![], 2)).await, BlobMarked);
    assert_fails!(store.ingest(with(vec![(blob, nth)], 2)).await, BlobMarked);
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("another photo is no concern of the mark");
    store.blob_swept(lead, blob, nth).await.expect("swept");
    let other = Digest::of(b"otro");
    for swept in [vec![], vec![(blob, nth - 1)], vec![(blob, nth + 1)], vec![(other, nth)]] {
        assert_fails!(store.ingest(with(swept, 3)).await, BlobMarked);
        assert_eq!(record(&store, lead).await.fotos.len(), 1);
    }
    store.ingest(with(vec![(other, 1), (blob, nth)], 4)).await.expect("saved");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    assert_eq!(store.mark_blob(lead, blob, t(5)).await.expect("in use"), None);
    store.ingest(with(vec![], 6)).await.expect("the trace is gone");
}

/// Bytes that were put again after one deletion are gone after the next one: the number of an old trace allows nothing.
pub async fn an_old_number_opens_nothing(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"dos veces");
    let with = |nth| Ingest { swept: vec![(blob, nth)], ..ingesta(lead, vec![foto_of(blob)], t(3)) };
    let first = sweep(&store, lead, blob, t(1)).await;
    let nth = mark(&store, lead, blob, t(2)).await;
    let living = brand(&store, lead).await;
    assert!(living.nth > first.nth && !living.sweep, "{first:?} {living:?}");
    assert_fails!(store.ingest(with(first.nth)).await, BlobMarked);
    store.blob_swept(lead, blob, nth).await.expect("swept");
    assert_fails!(store.ingest(with(first.nth)).await, BlobMarked);
    store.ingest(with(living.nth)).await.expect("saved");
}

/// The numbers keep rising after a trace is gone, whether an ingestion or the purge removed it: otherwise a late caller
/// with an old number could be allowed by chance.
pub async fn numbers_rise_beyond_removed_traces(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blob = Digest::of(b"otra vez");
    let first = sweep(&store, lead, blob, t(1)).await;
    let one = foto_of(blob);
    let id = one.id;
    let swept = vec![(blob, first.nth)];
    store.ingest(Ingest { swept, ..ingesta(lead, vec![one], t(2)) }).await.expect("saved");
    store.delete_foto(lead, id, t(9)).await.expect("removed");
    let second = sweep(&store, lead, blob, t(3)).await;
    assert!(second.nth > first.nth, "{first:?} {second:?}");
    assert_eq!(store.purge_marks(t(4), 10).await.expect("purged"), 1);
    let third = sweep(&store, lead, blob, t(5)).await;
    assert!(third.nth > second.nth, "{second:?} {third:?}");
}

/// The purge removes traces that are older than a given moment, up to a given number, and never a living mark.
pub async fn the_purge_removes_only_old_traces(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let blobs: Vec<Digest> = (0..6_u8).map(|n| Digest::of(&[n])).collect();
    for (n, blob) in (0..).zip(&blobs) {
        // Number 5 is recent, number 0 is never swept.
        let at = if n == 5 { t(100) } else { t(n) };
        let nth = mark(&store, lead, *blob, at).await;
        if n > 0 {
            store.blob_swept(lead, *blob, nth).await.expect("swept");
        }
    }
    assert_eq!(store.purge_marks(t(-5), 10).await.expect("purged"), 0);
    assert_eq!(store.purge_marks(t(50), 0).await.expect("purged"), 0);
    assert_eq!(store.purge_marks(t(50), 3).await.expect("purged"), 3);
    assert_eq!(store.purge_marks(t(50), 10).await.expect("purged"), 1);
    let mut remain = store.blob_marks(lead).await.expect("a list");
    remain.sort_by_key(|m| m.sweep);
    let remain: Vec<_> = remain.into_iter().map(|m| (m.digest, m.sweep)).collect();
    assert_eq!(remain, [(blobs[0], false), (blobs[5], true)]);
    assert_fails!(store.ingest(ingesta(lead, vec![foto_of(blobs[0])], t(60))).await, BlobMarked);
    store.ingest(ingesta(lead, vec![foto_of(blobs[1])], t(60))).await.expect("its trace is gone");
}

/// A sweep and an ingestion race: exactly one of them wins.
pub async fn a_sweep_and_an_ingestion_never_both_win(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for n in 0..20_u8 {
        let blob = Digest::of(&[n]);
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let sweep = tokio::spawn(async move { s1.mark_blob(lead, blob, t(1)).await });
        let arrival = tokio::spawn(async move { s2.ingest(ingesta(lead, vec![foto_of(blob)], t(1))).await });
        let is_marked = sweep.await.expect("no panic").expect("answered").is_some();
        let arrival = arrival.await.expect("no panic");
        if is_marked {
            assert_fails!(arrival, BlobMarked);
        } else {
            arrival.expect("saved, since the sweep was refused");
        }
        assert_eq!(marked(&store).await.contains(&(lead, blob)), is_marked);
    }
}
