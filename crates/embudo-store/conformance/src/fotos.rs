//! One photo by its id: read and removed only through its own lead.

use std::sync::Arc;

use embudo_domain::FotoId;
use uuid::Uuid;

use super::data::{ficha, foto, foto_n, ingesta, nadie, otro_lead, t, un_lead};
use embudo_store::Store;

/// A photo read by its id is the one in the lead's record.
pub async fn a_photo_is_read_by_its_id(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto_n(0.1)], t(1))).await.expect("saved");
    for una in ficha(&store, lead).await.fotos {
        assert_eq!(store.foto(lead, una.id).await.expect("found"), una);
    }
}

/// A photo that was removed is gone; the others stay as they were.
pub async fn a_removed_photo_is_gone(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto(), foto()], t(1))).await.expect("saved");
    let mut fotos = ficha(&store, lead).await.fotos;
    let quitada = fotos.remove(1).id;
    store.delete_foto(lead, quitada).await.expect("removed");
    assert_eq!(ficha(&store, lead).await.fotos, fotos);
    assert_fails!(store.foto(lead, quitada).await, FotoNotFound);
    assert_fails!(store.delete_foto(lead, quitada).await, FotoNotFound);
}

/// Numbers continue from the maximum of the photos that are there: removing the last one gives its number back.
pub async fn the_maximum_is_the_current_one(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    store.ingest(ingesta(lead, vec![foto(), foto_n(40.0)], t(1))).await.expect("saved");
    let ultima = ficha(&store, lead).await.fotos[1].id;
    store.delete_foto(lead, ultima).await.expect("removed");
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("saved");
    let fotos = ficha(&store, lead).await.fotos;
    assert_eq!(fotos.iter().map(|f| f.orden).collect::<Vec<_>>(), [1.0, 2.0]);
    for una in fotos {
        store.delete_foto(lead, una.id).await.expect("removed");
    }
    store.ingest(ingesta(lead, vec![foto()], t(3))).await.expect("saved");
    assert_eq!(ficha(&store, lead).await.fotos[0].orden, 1.0);
}

/// A photo of another lead, an unknown photo and an unknown lead's photo are not found and not removed.
pub async fn only_its_own_lead_has_a_photo(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let una = foto();
    let id = una.id;
    store.ingest(ingesta(lead, vec![una], t(1))).await.expect("saved");
    for (de, cual) in
        [(otra, id), (nadie(), id), (lead, FotoId(Uuid::new_v4())), (nadie(), FotoId(Uuid::nil()))]
    {
        assert_fails!(store.foto(de, cual).await, FotoNotFound);
        assert_fails!(store.delete_foto(de, cual).await, FotoNotFound);
    }
    assert_eq!(ficha(&store, lead).await.fotos.len(), 1);
}
