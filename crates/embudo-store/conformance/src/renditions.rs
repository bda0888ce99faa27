//! What was made of photos: one per photo, gone with it, and its blobs safe from the sweep.

use std::sync::Arc;

use embudo_domain::rendicion::{Derivadas, Rendicion, Resultado};
use embudo_domain::{FotoId, Huella, LeadId};
use uuid::Uuid;

use super::data::{TEXTO_RARO, foto, ingesta, instantes_extremos, nadie, otro_lead, t, un_lead};
use embudo_store::{Store, StoreError};

/// A photo of the lead.
async fn una_foto(store: &Arc<dyn Store>, lead: LeadId) -> FotoId {
    let nueva = foto();
    let id = nueva.id;
    store.ingest(ingesta(lead, vec![nueva], t(1))).await.expect("saved");
    id
}

fn blob(de: &str) -> Huella {
    Huella::of(de.as_bytes())
}

/// A rendition of blobs named after `de`.
fn hecha(lead: LeadId, foto: FotoId, de: &str) -> Rendicion {
    let impresion = blob(&format!("{de} impresion"));
    let miniatura = blob(&format!("{de} miniatura"));
    let derivadas = Derivadas { impresion, ancho: 1600, alto: u32::MAX, miniatura };
    let copia = Some(blob(&format!("{de} copia")));
    Rendicion { lead, foto, copia, resultado: Resultado::Hecha(derivadas), creada_en: t(2) }
}

fn fallida(lead: LeadId, foto: FotoId, motivo: &str) -> Rendicion {
    Rendicion { copia: None, resultado: Resultado::Fallida(motivo.into()), ..hecha(lead, foto, "") }
}

async fn guardar(store: &Arc<dyn Store>, rendicion: &Rendicion) {
    store.save_rendicion(rendicion.clone(), vec![]).await.expect("saved");
}

async fn leer(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Rendicion> {
    let mut todas = store.rendiciones(lead).await.expect("a list");
    todas.sort_by_key(|r| r.foto);
    todas
}

/// Renditions read back as they were written, those that failed with their reason.
pub async fn a_rendition_reads_back(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    assert_eq!(leer(&store, lead).await, vec![]);
    assert_eq!(leer(&store, nadie()).await, vec![]);
    let mut todas = Vec::new();
    for creada_en in instantes_extremos() {
        let foto = una_foto(&store, lead).await;
        todas.push(Rendicion { creada_en, copia: None, ..hecha(lead, foto, "a") });
    }
    let (b, c) = (una_foto(&store, lead).await, una_foto(&store, lead).await);
    todas.push(hecha(lead, b, "b"));
    todas.push(Rendicion { copia: Some(blob("c")), ..fallida(lead, c, TEXTO_RARO) });
    for una in &todas {
        guardar(&store, una).await;
    }
    todas.sort_by_key(|r| r.foto);
    assert_eq!(leer(&store, lead).await, todas);
    assert_eq!(leer(&store, otro_lead(&store).await).await, vec![]);
}

/// A photo has one rendition: a later one takes the place, with all its parts.
pub async fn a_later_one_takes_the_place(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let foto = una_foto(&store, lead).await;
    let sin_copia = Rendicion { copia: None, creada_en: t(9), ..hecha(lead, foto, "b") };
    for una in [hecha(lead, foto, "a"), fallida(lead, foto, ""), hecha(lead, foto, "a"), sin_copia] {
        guardar(&store, &una).await;
        assert_eq!(leer(&store, lead).await, vec![una]);
    }
}

/// A photo of another lead, an unknown photo and an unknown lead's photo get none.
pub async fn only_its_own_lead_has_a_photo(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let foto = una_foto(&store, lead).await;
    for (de, cual) in [(otra, foto), (nadie(), foto), (lead, FotoId(Uuid::new_v4()))] {
        assert_fails!(store.save_rendicion(hecha(de, cual, "a"), vec![]).await, FotoNotFound);
        assert_eq!(leer(&store, de).await, vec![]);
    }
}

/// A photo that is removed takes its own rendition with it and no other.
pub async fn it_goes_with_its_photo(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (una, otra) = (una_foto(&store, lead).await, una_foto(&store, lead).await);
    for foto in [una, otra] {
        guardar(&store, &hecha(lead, foto, "a")).await;
    }
    store.delete_foto(lead, una).await.expect("removed");
    assert_eq!(leer(&store, lead).await, vec![hecha(lead, otra, "a")]);
    assert_fails!(store.save_rendicion(hecha(lead, una, "a"), vec![]).await, FotoNotFound);
}

/// The blobs of a rendition are in use until it is replaced or its photo goes.
pub async fn a_blob_in_use_is_not_marked(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let foto = una_foto(&store, lead).await;
    let (a, b) = (hecha(lead, foto, "a"), hecha(lead, foto, "b"));
    let marcar = async |lead, r: &Rendicion| {
        let mut marcados = Vec::new();
        for huella in r.huellas() {
            marcados.push(store.mark_blob(lead, huella, t(3)).await.expect("answered").is_some());
        }
        marcados
    };
    guardar(&store, &a).await;
    assert_eq!(marcar(lead, &a).await, [false; 3]);
    assert_eq!(marcar(otra, &a).await, [true; 3]);
    guardar(&store, &b).await;
    assert_eq!((marcar(lead, &a).await, marcar(lead, &b).await), (vec![true; 3], vec![false; 3]));
    store.delete_foto(lead, foto).await.expect("removed");
    assert_eq!(marcar(lead, &b).await, [true; 3]);
}

/// A rendition that names a blob that is being swept, or was, is refused, unless it was put again after that very deletion.
pub async fn a_swept_blob_is_refused(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let foto = una_foto(&store, lead).await;
    let (antes, nueva) = (hecha(lead, foto, "a"), hecha(lead, foto, "b"));
    guardar(&store, &antes).await;
    for huella in nueva.huellas() {
        let vez = store.mark_blob(lead, huella, t(3)).await.expect("answered").expect("marked");
        let con = async |barridos| store.save_rendicion(nueva.clone(), barridos).await;
        assert_fails!(con(vec![(huella, vez)]).await, BlobMarked);
        store.blob_swept(lead, huella, vez).await.expect("swept");
        assert_fails!(con(vec![]).await, BlobMarked);
        assert_fails!(con(vec![(huella, vez - 1)]).await, BlobMarked);
        assert_eq!(leer(&store, lead).await, vec![antes.clone()]);
        con(vec![(huella, vez)]).await.expect("saved");
        assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
        assert_eq!(leer(&store, lead).await, vec![nueva.clone()]);
        guardar(&store, &antes).await;
    }
}

/// A sweep and a rendition that meet: one of them wins, never both.
pub async fn a_sweep_and_a_rendition_never_both_win(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let foto = una_foto(&store, lead).await;
    for n in 0..20 {
        let nueva = hecha(lead, foto, &n.to_string());
        let huella = nueva.huellas().nth(n % 3).expect("three blobs");
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let barrido = tokio::spawn(async move { s1.mark_blob(lead, huella, t(3)).await });
        let llegada = tokio::spawn(async move { s2.save_rendicion(nueva, vec![]).await });
        let marcado = barrido.await.expect("no panic").expect("answered");
        match llegada.await.expect("no panic") {
            Ok(()) => assert_eq!(marcado, None),
            Err(StoreError::BlobMarked) => assert!(marcado.is_some()),
            otro => panic!("{otro:?}"),
        }
    }
}

/// A rendition that comes while its photo is removed never outlives it.
pub async fn a_removal_and_a_rendition_leave_nothing(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for n in 0..20 {
        let foto = una_foto(&store, lead).await;
        let (s1, s2) = (Arc::clone(&store), Arc::clone(&store));
        let nueva = hecha(lead, foto, &n.to_string());
        let llegada = tokio::spawn(async move { s1.save_rendicion(nueva, vec![]).await });
        let borrado = tokio::spawn(async move { s2.delete_foto(lead, foto).await });
        borrado.await.expect("no panic").expect("removed");
        match llegada.await.expect("no panic") {
            Ok(()) | Err(StoreError::FotoNotFound) => {}
            otro => panic!("{otro:?}"),
        }
        assert_eq!(leer(&store, lead).await, vec![]);
    }
}
