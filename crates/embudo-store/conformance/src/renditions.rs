//! Renditions: one per photo, removed with the photo, and their blobs are protected from the sweep.

use std::sync::Arc;

use embudo_domain::rendition::{Derived, Rendition, RenditionOutcome};
use embudo_domain::{Digest, FotoId, LeadId};
use uuid::Uuid;

use super::data::{ODD_TEXT, a_lead, extreme_instants, foto, ingesta, nobody, other_lead, t};
use embudo_store::{Store, StoreError};

async fn a_foto(store: &Arc<dyn Store>, lead: LeadId) -> FotoId {
    let new = foto();
    let id = new.id;
    store.ingest(ingesta(lead, vec![new], t(1))).await.expect("saved");
    id
}

fn blob(of: &str) -> Digest {
    Digest::of(of.as_bytes())
}

/// A rendition of blobs named after `of`.
fn done(lead: LeadId, foto: FotoId, of: &str) -> Rendition {
    let print = blob(&format!("{of} impresion"));
    let thumbnail = blob(&format!("{of} miniatura"));
    let derived = Derived { print, width: 1600, height: u32::MAX, thumbnail };
    let copy = Some(blob(&format!("{of} copia")));
    Rendition { lead, foto, copy, result: RenditionOutcome::Done(derived), creada_en: t(2) }
}

fn failed(lead: LeadId, foto: FotoId, reason: &str) -> Rendition {
    Rendition { copy: None, result: RenditionOutcome::Failed(reason.into()), ..done(lead, foto, "") }
}

async fn save(store: &Arc<dyn Store>, rendition: &Rendition) {
    store.save_rendition(rendition.clone(), vec![]).await.expect("saved");
}

async fn job_of(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Rendition> {
    let mut all = store.renditions(lead).await.expect("a list");
    all.sort_by_key(|r| r.foto);
    all
}

/// Renditions read back as they were written, failed ones with their reason.
pub async fn a_rendition_reads_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(job_of(&store, lead).await, vec![]);
    assert_eq!(job_of(&store, nobody()).await, vec![]);
    let mut all = Vec::new();
    for creada_en in extreme_instants() {
        let foto = a_foto(&store, lead).await;
        all.push(Rendition { creada_en, copy: None, ..done(lead, foto, "a") });
    }
    let (b, c) = (a_foto(&store, lead).await, a_foto(&store, lead).await);
    all.push(done(lead, b, "b"));
    all.push(Rendition { copy: Some(blob("c")), ..failed(lead, c, ODD_TEXT) });
    for one in &all {
        save(&store, one).await;
    }
    all.sort_by_key(|r| r.foto);
    assert_eq!(job_of(&store, lead).await, all);
    assert_eq!(job_of(&store, other_lead(&store).await).await, vec![]);
}

/// A photo has one rendition: a later one replaces it with all its parts.
pub async fn a_later_one_takes_the_place(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let foto = a_foto(&store, lead).await;
    let without_copy = Rendition { copy: None, creada_en: t(9), ..done(lead, foto, "b") };
    for one in [done(lead, foto, "a"), failed(lead, foto, ""), done(lead, foto, "a"), without_copy] {
        save(&store, &one).await;
        assert_eq!(job_of(&store, lead).await, vec![one]);
    }
}

/// A photo of another lead, an unknown photo and an unknown lead's photo get no rendition.
pub async fn only_its_own_lead_has_a_photo(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let foto = a_foto(&store, lead).await;
    for (of, which) in [(another, foto), (nobody(), foto), (lead, FotoId(Uuid::new_v4()))] {
        assert_fails!(store.save_rendition(done(of, which, "a"), vec![]).await, FotoNotFound);
        assert_eq!(job_of(&store, of).await, vec![]);
    }
}

/// A photo that is removed takes its own rendition with it and no other.
pub async fn it_goes_with_its_photo(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (one, another) = (a_foto(&store, lead).await, a_foto(&store, lead).await);
    for foto in [one, another] {
        save(&store, &done(lead, foto, "a")).await;
    }
    store.delete_foto(lead, one, t(9)).await.expect("removed");
    assert_eq!(job_of(&store, lead).await, vec![done(lead, another, "a")]);
    assert_fails!(store.save_rendition(done(lead, one, "a"), vec![]).await, FotoNotFound);
}

/// The blobs of a rendition are in use until the rendition is replaced or its photo is removed.
pub async fn a_blob_in_use_is_not_marked(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let foto = a_foto(&store, lead).await;
    let (a, b) = (done(lead, foto, "a"), done(lead, foto, "b"));
    let mark = async |lead, r: &Rendition| {
        let mut marked = Vec::new();
        for digest in r.digests() {
            marked.push(store.mark_blob(lead, digest, t(3)).await.expect("answered").is_some());
        }
        marked
    };
    save(&store, &a).await;
    assert_eq!(mark(lead, &a).await, [false; 3]);
    assert_eq!(mark(another, &a).await, [true; 3]);
    save(&store, &b).await;
    assert_eq!((mark(lead, &a).await, mark(lead, &b).await), (vec![true; 3], vec![false; 3]));
    store.delete_foto(lead, foto, t(9)).await.expect("removed");
    assert_eq!(mark(lead, &b).await, [true; 3]);
}

/// A rendition that names a blob that is being swept, or was swept, is refused, unless the blob was put again after
/// that very deletion.
pub async fn a_swept_blob_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let foto = a_foto(&store, lead).await;
    let (before, new) = (done(lead, foto, "a"), done(lead, foto, "b"));
    save(&store, &before).await;
    for digest in new.digests() {
        let nth = store.mark_blob(lead, digest, t(3)).await.expect("answered").expect("marked");
        let with = async |swept| store.save_rendition(new.clone(), swept).await;
        assert_fails!(with(vec![(digest, nth)]).await, BlobMarked);
        store.blob_swept(lead, digest, nth).await.expect("swept");
        assert_fails!(with(vec![]).await, BlobMarked);
        assert_fails!(with(vec![(digest, nth - 1)]).await, BlobMarked);
        assert_eq!(job_of(&store, lead).await, vec![before.clone()]);
        with(vec![(digest, nth)]).await.expect("saved");
        assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
        assert_eq!(job_of(&store, lead).await, vec![new.clone()]);
        save(&store, &before).await;
    }
}

/// A sweep and a rendition race: exactly one of them wins.
pub async fn a_sweep_and_a_rendition_never_both_win(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let foto = a_foto(&store, lead).await;
    for n in 0..20 {
        let new = done(lead, foto, &n.to_string());
        let digest = new.digests().nth(n % 3).expect("three blobs");
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let sweep = tokio::spawn(async move { s1.mark_blob(lead, digest, t(3)).await });
        let arrival = tokio::spawn(async move { s2.save_rendition(new, vec![]).await });
        let is_marked = sweep.await.expect("no panic").expect("answered");
        match arrival.await.expect("no panic") {
            Ok(()) => assert_eq!(is_marked, None),
            Err(StoreError::BlobMarked) => assert!(is_marked.is_some()),
            other => panic!("{other:?}"),
        }
    }
}

/// A rendition that comes while its photo is removed never outlives it.
pub async fn a_removal_and_a_rendition_leave_nothing(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for n in 0..20 {
        let foto = a_foto(&store, lead).await;
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let new = done(lead, foto, &n.to_string());
        let arrival = tokio::spawn(async move { s1.save_rendition(new, vec![]).await });
        let deleted = tokio::spawn(async move { s2.delete_foto(lead, foto, t(9)).await });
        deleted.await.expect("no panic").expect("removed");
        match arrival.await.expect("no panic") {
            Ok(()) | Err(StoreError::FotoNotFound) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(job_of(&store, lead).await, vec![]);
    }
}
