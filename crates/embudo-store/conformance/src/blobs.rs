//! The marks of a sweep: no photo ever names a blob that is being deleted.

use std::sync::Arc;

use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::{Huella, LeadId, Timestamp};

use super::data::{ficha, foto, foto_de, ingesta, nadie, otro_lead, t, un_lead};
use embudo_store::Store;
use embudo_store::command::{FotoNueva, Ingest, MARK_LIFE, MarcaBlob};

async fn marcados(store: &Arc<dyn Store>) -> Vec<(LeadId, Huella)> {
    let mut marcados = store.marked_blobs().await.expect("a list");
    marcados.sort();
    marcados
}

/// Marks a blob that is free; the number of the mark.
async fn marcar(store: &Arc<dyn Store>, lead: LeadId, blob: Huella, en: Timestamp) -> i64 {
    store.mark_blob(lead, blob, en).await.expect("answered").expect("marked")
}

/// A blob that no photo of the lead names is marked until it is swept, once or twice.
pub async fn a_free_blob_is_marked_until_it_is_swept(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"libre");
    assert_eq!(marcados(&store).await, vec![]);
    let vez = marcar(&store, lead, blob, t(0)).await;
    assert_eq!(marcados(&store).await, vec![(lead, blob)]);
    for _ in 0..2 {
        store.blob_swept(lead, blob, vez).await.expect("swept");
        assert_eq!(marcados(&store).await, vec![]);
    }
}

/// While one sweep is at a blob no other is: the second one would delete what an ingestion puts again after the first.
pub async fn a_living_mark_keeps_other_sweeps_off(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"dos barridos");
    let vida = MARK_LIFE.as_secs();
    let vez = marcar(&store, lead, blob, t(0)).await;
    for en in [t(0), t(1), t(vida)] {
        assert_eq!(store.mark_blob(lead, blob, en).await.expect("answered"), None);
    }
    assert_eq!(marca(&store, lead).await, MarcaBlob { huella: blob, vez, barrido: false });
    store.blob_swept(lead, blob, vez).await.expect("swept");
    assert!(marcar(&store, lead, blob, t(2)).await > vez, "over a trace it is free at once");
}

/// A sweep finishes the very mark that it made. The first one dies, or is so slow that it is taken for dead; the second marks the blob
/// again. What the first says then must not open the way for a photo whose bytes the second is about to delete.
pub async fn a_sweep_finishes_only_its_own_mark(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"dos barridos");
    let tarde = MARK_LIFE.as_secs() + 1;
    let primera = marcar(&store, lead, blob, t(0)).await;
    let segunda = marcar(&store, lead, blob, t(tarde)).await;
    assert!(segunda > primera);
    store.blob_swept(lead, blob, primera).await.expect("nothing of its own to finish");
    assert_eq!(marca(&store, lead).await, MarcaBlob { huella: blob, vez: segunda, barrido: false });
    for vez in [primera, segunda] {
        let llega = Ingest { barridos: vec![(blob, vez)], ..ingesta(lead, vec![foto_de(blob)], t(tarde)) };
        assert_fails!(store.ingest(llega).await, BlobMarked);
    }
    store.blob_swept(lead, blob, segunda).await.expect("swept");
    let llega = Ingest { barridos: vec![(blob, segunda)], ..ingesta(lead, vec![foto_de(blob)], t(tarde)) };
    store.ingest(llega).await.expect("put again after the last deletion");
    store.blob_swept(lead, blob, primera).await.expect("nothing left to finish");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
}

/// Of many sweeps that come at once one marks.
pub async fn of_many_sweeps_one_marks(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for n in 0..10_u8 {
        let blob = Huella::of(&[n]);
        let todos = (0..6).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.mark_blob(lead, blob, t(1)).await })
        });
        let mut hechas = 0;
        for uno in todos.collect::<Vec<_>>() {
            hechas += usize::from(uno.await.expect("no panic").expect("answered").is_some());
        }
        assert_eq!(hechas, 1);
    }
}

/// A lead that does not exist can have its blobs marked: that is how an orphan is swept.
pub async fn an_unknown_leads_blob_can_be_marked(store: Arc<dyn Store>) {
    let (lead, blob) = (nadie(), Huella::of(b"huerfano"));
    assert!(!store.blob_in_use(lead, blob).await.expect("answered"));
    let vez = marcar(&store, lead, blob, t(0)).await;
    assert_eq!(marcados(&store).await, vec![(lead, blob)]);
    store.blob_swept(lead, blob, vez).await.expect("swept");
    assert_eq!(marcados(&store).await, vec![]);
}

/// A blob that a photo names in any way is in use and not marked; it is free once the last such photo is gone.
pub async fn a_blob_in_use_is_not_marked(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (a, b, c) = (Huella::of(b"a"), Huella::of(b"b"), Huella::of(b"c"));
    let prefijo = "data:image/png;base64,".to_owned();
    let informal = ImagenGuardada::Informal { prefijo: prefijo.clone(), bytes: a, crudo: b };
    let fotos = vec![
        foto_de(a),
        FotoNueva { imagen: informal, ..foto() },
        FotoNueva { imagen: ImagenGuardada::Ilegible { prefijo, crudo: c }, ..foto() },
    ];
    let ids: Vec<_> = fotos.iter().map(|f| f.id).collect();
    store.ingest(ingesta(lead, fotos, t(1))).await.expect("saved");
    // Which of a, b and c are free after the first n photos are gone.
    let libres = [[false, false, false], [false, false, false], [true, true, false], [true, true, true]];
    for (n, libres) in libres.into_iter().enumerate() {
        if n > 0 {
            store.delete_foto(lead, ids[n - 1]).await.expect("removed");
        }
        for (blob, libre) in [a, b, c].into_iter().zip(libres) {
            assert_eq!(store.blob_in_use(lead, blob).await.expect("answered"), !libre);
            let vez = store.mark_blob(lead, blob, t(2)).await.expect("answered");
            assert_eq!(vez.is_some(), libre);
            assert_eq!(marcados(&store).await.contains(&(lead, blob)), libre);
            store.blob_swept(lead, blob, vez.unwrap_or_default()).await.expect("swept");
        }
    }
}

/// A blob belongs to its lead: the same bytes of another lead are neither in use nor marked.
pub async fn marks_are_per_lead(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let blob = Huella::of(b"misma");
    store.ingest(ingesta(lead, vec![foto_de(blob)], t(1))).await.expect("saved");
    let vez = marcar(&store, otra, blob, t(2)).await;
    assert_eq!(marcados(&store).await, vec![(otra, blob)]);
    store.ingest(ingesta(lead, vec![foto_de(blob)], t(3))).await.expect("saved");
    assert_fails!(store.ingest(ingesta(otra, vec![foto_de(blob)], t(3))).await, BlobMarked);
    store.blob_swept(lead, blob, vez).await.expect("nothing to sweep");
    assert_eq!(marcados(&store).await, vec![(otra, blob)]);
}

/// Its one mark or trace.
async fn marca(store: &Arc<dyn Store>, lead: LeadId) -> MarcaBlob {
    let marcas = store.blob_marks(lead).await.expect("a list");
    assert_eq!(marcas.len(), 1, "{marcas:?}");
    marcas[0]
}

/// Marks a blob and sweeps it; the trace.
async fn barrer(store: &Arc<dyn Store>, lead: LeadId, blob: Huella, en: Timestamp) -> MarcaBlob {
    let vez = marcar(store, lead, blob, en).await;
    store.blob_swept(lead, blob, vez).await.expect("swept");
    marca(store, lead).await
}

/// A mark becomes a trace of the same number; what was never marked leaves none.
pub async fn a_swept_blob_leaves_a_trace(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"rastro");
    store.blob_swept(lead, blob, 1).await.expect("nothing to sweep");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    let vez = marcar(&store, lead, blob, t(1)).await;
    let viva = marca(&store, lead).await;
    assert_eq!(viva, MarcaBlob { huella: blob, vez, barrido: false });
    store.blob_swept(lead, blob, vez).await.expect("swept");
    assert_eq!(marca(&store, lead).await, MarcaBlob { barrido: true, ..viva });
    assert_eq!(marcados(&store).await, vec![]);
    assert_eq!(store.blob_marks(otro_lead(&store).await).await.expect("a list"), vec![]);
}

/// Neither a living mark nor a trace lets a photo through by itself; the trace does once its bytes were put again, and
/// is gone then.
pub async fn a_trace_lets_through_what_was_put_again(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"vuelve");
    let con = |barridos, n| Ingest { barridos, ..ingesta(lead, vec![foto_de(blob)], t(n)) };
    let vez = marcar(&store, lead, blob, t(1)).await;
    assert_fails!(store.ingest(con(vec![], 2)).await, BlobMarked);
    assert_fails!(store.ingest(con(vec![(blob, vez)], 2)).await, BlobMarked);
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("another photo is no concern of the mark");
    store.blob_swept(lead, blob, vez).await.expect("swept");
    let otro = Huella::of(b"otro");
    for barridos in [vec![], vec![(blob, vez - 1)], vec![(blob, vez + 1)], vec![(otro, vez)]] {
        assert_fails!(store.ingest(con(barridos, 3)).await, BlobMarked);
        assert_eq!(ficha(&store, lead).await.fotos.len(), 1);
    }
    store.ingest(con(vec![(otro, 1), (blob, vez)], 4)).await.expect("saved");
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    assert_eq!(store.mark_blob(lead, blob, t(5)).await.expect("in use"), None);
    store.ingest(con(vec![], 6)).await.expect("the trace is gone");
}

/// Bytes that were put again after one deletion were not after the next: an old number opens nothing.
pub async fn an_old_number_opens_nothing(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"dos veces");
    let con = |vez| Ingest { barridos: vec![(blob, vez)], ..ingesta(lead, vec![foto_de(blob)], t(3)) };
    let primera = barrer(&store, lead, blob, t(1)).await;
    let vez = marcar(&store, lead, blob, t(2)).await;
    let viva = marca(&store, lead).await;
    assert!(viva.vez > primera.vez && !viva.barrido, "{primera:?} {viva:?}");
    assert_fails!(store.ingest(con(primera.vez)).await, BlobMarked);
    store.blob_swept(lead, blob, vez).await.expect("swept");
    assert_fails!(store.ingest(con(primera.vez)).await, BlobMarked);
    store.ingest(con(viva.vez)).await.expect("saved");
}

/// The numbers go on rising after a trace is gone, whether an ingestion or the purge removed it: a caller that is still
/// on its way with an old number must not be let through by chance.
pub async fn numbers_rise_beyond_removed_traces(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::of(b"otra vez");
    let primera = barrer(&store, lead, blob, t(1)).await;
    let una = foto_de(blob);
    let id = una.id;
    let barridos = vec![(blob, primera.vez)];
    store.ingest(Ingest { barridos, ..ingesta(lead, vec![una], t(2)) }).await.expect("saved");
    store.delete_foto(lead, id).await.expect("removed");
    let segunda = barrer(&store, lead, blob, t(3)).await;
    assert!(segunda.vez > primera.vez, "{primera:?} {segunda:?}");
    assert_eq!(store.purge_marks(t(4), 10).await.expect("purged"), 1);
    let tercera = barrer(&store, lead, blob, t(5)).await;
    assert!(tercera.vez > segunda.vez, "{segunda:?} {tercera:?}");
}

/// The purge removes traces older than it is told, at most so many, and never a living mark.
pub async fn the_purge_removes_only_old_traces(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blobs: Vec<Huella> = (0..6_u8).map(|n| Huella::of(&[n])).collect();
    for (n, blob) in (0..).zip(&blobs) {
        // Number 5 is young, number 0 is never swept.
        let en = if n == 5 { t(100) } else { t(n) };
        let vez = marcar(&store, lead, *blob, en).await;
        if n > 0 {
            store.blob_swept(lead, *blob, vez).await.expect("swept");
        }
    }
    assert_eq!(store.purge_marks(t(-5), 10).await.expect("purged"), 0);
    assert_eq!(store.purge_marks(t(50), 0).await.expect("purged"), 0);
    assert_eq!(store.purge_marks(t(50), 3).await.expect("purged"), 3);
    assert_eq!(store.purge_marks(t(50), 10).await.expect("purged"), 1);
    let mut quedan = store.blob_marks(lead).await.expect("a list");
    quedan.sort_by_key(|m| m.barrido);
    let quedan: Vec<_> = quedan.into_iter().map(|m| (m.huella, m.barrido)).collect();
    assert_eq!(quedan, [(blobs[0], false), (blobs[5], true)]);
    assert_fails!(store.ingest(ingesta(lead, vec![foto_de(blobs[0])], t(60))).await, BlobMarked);
    store.ingest(ingesta(lead, vec![foto_de(blobs[1])], t(60))).await.expect("its trace is gone");
}

/// A sweep and an ingestion that meet: one of them wins, never both.
pub async fn a_sweep_and_an_ingestion_never_both_win(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for n in 0..20_u8 {
        let blob = Huella::of(&[n]);
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let barrido = tokio::spawn(async move { s1.mark_blob(lead, blob, t(1)).await });
        let llegada = tokio::spawn(async move { s2.ingest(ingesta(lead, vec![foto_de(blob)], t(1))).await });
        let marcado = barrido.await.expect("no panic").expect("answered").is_some();
        let llegada = llegada.await.expect("no panic");
        if marcado {
            assert_fails!(llegada, BlobMarked);
        } else {
            llegada.expect("saved, since the sweep was refused");
        }
        assert_eq!(marcados(&store).await.contains(&(lead, blob)), marcado);
    }
}
