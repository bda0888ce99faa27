//! One photo by its id: read and removed only through its own lead.

use std::sync::Arc;

use embudo_domain::FotoId;
use uuid::Uuid;

use super::data::{a_lead, foto, foto_n, ingesta, nobody, other_lead, record, t};
use embudo_store::Store;

/// A photo read by its id is the one in the lead's record.
pub async fn a_photo_is_read_by_its_id(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto_n(0.1)], t(1))).await.expect("saved");
    for one in record(&store, lead).await.fotos {
        assert_eq!(store.foto(lead, one.id).await.expect("found"), one);
    }
}

/// A photo that was removed is gone; the others stay as they were.
pub async fn a_removed_photo_is_gone(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto(), foto()], t(1))).await.expect("saved");
    let mut fotos = record(&store, lead).await.fotos;
    let removed = fotos.remove(1).id;
    store.delete_foto(lead, removed, t(9)).await.expect("removed");
    assert_eq!(record(&store, lead).await.fotos, fotos);
    assert_fails!(store.foto(lead, removed).await, FotoNotFound);
    assert_fails!(store.delete_foto(lead, removed, t(9)).await, FotoNotFound);
}

/// Numbers continue from the maximum of the existing photos: removing the last one makes its number available again.
pub async fn the_maximum_is_the_current_one(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto_n(40.0)], t(1))).await.expect("saved");
    let last = record(&store, lead).await.fotos[1].id;
    store.delete_foto(lead, last, t(9)).await.expect("removed");
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("saved");
    let fotos = record(&store, lead).await.fotos;
    assert_eq!(fotos.iter().map(|f| f.orden).collect::<Vec<_>>(), [1.0, 2.0]);
    for one in fotos {
        store.delete_foto(lead, one.id, t(9)).await.expect("removed");
    }
    store.ingest(ingesta(lead, vec![foto()], t(3))).await.expect("saved");
    assert_eq!(record(&store, lead).await.fotos[0].orden, 1.0);
}

/// A photo of another lead, an unknown photo and an unknown lead's photo are not found and not removed.
pub async fn only_its_own_lead_has_a_photo(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let one = foto();
    let id = one.id;
    store.ingest(ingesta(lead, vec![one], t(1))).await.expect("saved");
    for (of, which) in
        [(another, id), (nobody(), id), (lead, FotoId(Uuid::new_v4())), (nobody(), FotoId(Uuid::nil()))]
    {
        assert_fails!(store.foto(of, which).await, FotoNotFound);
        assert_fails!(store.delete_foto(of, which, t(9)).await, FotoNotFound);
    }
    assert_eq!(record(&store, lead).await.fotos.len(), 1);
}
