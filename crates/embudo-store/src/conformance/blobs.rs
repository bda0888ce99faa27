//! The marks of a sweep: no photo ever names a blob that is being deleted.

use std::sync::Arc;

use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::{Huella, LeadId};

use super::datos::{foto, foto_de, ingesta, nadie, otro_lead, t, un_lead};
use crate::Store;
use crate::command::FotoNueva;

async fn marcados(store: &Arc<dyn Store>) -> Vec<(LeadId, Huella)> {
    let mut marcados = store.marked_blobs().await.expect("a list");
    marcados.sort();
    marcados
}

/// A blob that no photo of the lead names is marked, once or twice, until the mark is dropped, once or twice.
pub async fn a_free_blob_is_marked_and_unmarked(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::de(b"libre");
    assert_eq!(marcados(&store).await, vec![]);
    for n in 0..2 {
        assert!(store.mark_blob(lead, blob, t(n)).await.expect("marked"));
        assert_eq!(marcados(&store).await, vec![(lead, blob)]);
    }
    for _ in 0..2 {
        store.unmark_blob(lead, blob).await.expect("unmarked");
        assert_eq!(marcados(&store).await, vec![]);
    }
}

/// A lead that does not exist can have its blobs marked: that is how an orphan is swept.
pub async fn an_unknown_leads_blob_can_be_marked(store: Arc<dyn Store>) {
    let (lead, blob) = (nadie(), Huella::de(b"huerfano"));
    assert!(store.mark_blob(lead, blob, t(0)).await.expect("marked"));
    assert_eq!(marcados(&store).await, vec![(lead, blob)]);
    store.unmark_blob(lead, blob).await.expect("unmarked");
    assert_eq!(marcados(&store).await, vec![]);
}

/// A blob that a photo names in any way is in use and not marked; it is free once the last such photo is gone.
pub async fn a_blob_in_use_is_not_marked(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (a, b, c) = (Huella::de(b"a"), Huella::de(b"b"), Huella::de(b"c"));
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
            assert_eq!(store.mark_blob(lead, blob, t(2)).await.expect("answered"), libre);
            assert_eq!(marcados(&store).await.contains(&(lead, blob)), libre);
            store.unmark_blob(lead, blob).await.expect("unmarked");
        }
    }
}

/// A blob belongs to its lead: the same bytes of another lead are neither in use nor marked.
pub async fn marks_are_per_lead(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let blob = Huella::de(b"misma");
    store.ingest(ingesta(lead, vec![foto_de(blob)], t(1))).await.expect("saved");
    assert!(store.mark_blob(otra, blob, t(2)).await.expect("marked"));
    assert_eq!(marcados(&store).await, vec![(otra, blob)]);
    store.ingest(ingesta(lead, vec![foto_de(blob)], t(3))).await.expect("saved");
    falla!(store.ingest(ingesta(otra, vec![foto_de(blob)], t(3))).await, BlobMarked);
    store.unmark_blob(lead, blob).await.expect("nothing to unmark");
    assert_eq!(marcados(&store).await, vec![(otra, blob)]);
}

/// Once the mark is dropped, the blob can be named again.
pub async fn an_unmarked_blob_can_be_named_again(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let blob = Huella::de(b"vuelve");
    assert!(store.mark_blob(lead, blob, t(1)).await.expect("marked"));
    falla!(store.ingest(ingesta(lead, vec![foto_de(blob)], t(2))).await, BlobMarked);
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("another photo is no concern of the mark");
    store.unmark_blob(lead, blob).await.expect("unmarked");
    store.ingest(ingesta(lead, vec![foto_de(blob)], t(3))).await.expect("saved");
    assert!(!store.mark_blob(lead, blob, t(4)).await.expect("in use"));
}

/// A sweep and an ingestion that meet: one of them wins, never both.
pub async fn a_sweep_and_an_ingestion_never_both_win(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for n in 0..20_u8 {
        let blob = Huella::de(&[n]);
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let barrido = tokio::spawn(async move { s1.mark_blob(lead, blob, t(1)).await });
        let llegada = tokio::spawn(async move { s2.ingest(ingesta(lead, vec![foto_de(blob)], t(1))).await });
        let marcado = barrido.await.expect("no panic").expect("answered");
        let llegada = llegada.await.expect("no panic");
        if marcado {
            falla!(llegada, BlobMarked);
        } else {
            llegada.expect("saved, since the sweep was refused");
        }
        assert_eq!(marcados(&store).await.contains(&(lead, blob)), marcado);
    }
}
