//! What a person changes or takes back after having said it: answers, and the notes of the form.

use std::sync::Arc;

use embudo_domain::perfil::Perfil;
use embudo_domain::{NotaId, Zona};

use super::data::{
    TEXTO_RARO, crear, ficha, ingesta, nadie, nota, nuevo_lead, otro_lead, perfil_completo, t, un_lead,
};
use embudo_store::Store;
use embudo_store::command::{Answer, ClearPerfil, CreateLead, Ingest, SetNota};

fn escrita(lead: embudo_domain::LeadId, zona: Zona, texto: Option<&str>, segundos: i64) -> SetNota {
    let (id, texto) = (NotaId::del_formulario(lead, zona), texto.map(str::to_owned));
    SetNota { lead, id, zona, texto, en: t(segundos) }
}

/// An answer that was taken back is absent; the others and the rest of the record stay.
pub async fn answers_are_taken_back_one_by_one(store: Arc<dyn Store>) {
    un_lead(&store).await;
    type Quitar = fn(&mut Perfil);
    let casos: [(Answer, Quitar); 4] = [
        (Answer::M2Suelo, |p| p.m2_suelo = None),
        (Answer::Estructural, |p| p.estructural = None),
        (Answer::Presupuesto, |p| (p.presupuesto_declarado, p.presupuesto_target_cents) = (None, None)),
        (Answer::TasteText, |p| p.taste_text = None),
    ];
    for (answer, quitar) in casos {
        let lead = crear(&store, CreateLead { perfil: perfil_completo(), ..nuevo_lead("Eva") }).await;
        let mut esperada = ficha(&store, lead).await;
        store.clear_perfil(ClearPerfil { lead, answers: vec![answer], en: t(9) }).await.expect("cleared");
        quitar(&mut esperada.lead.perfil);
        esperada.lead.actualizado_en = t(9);
        let leida = ficha(&store, lead).await;
        assert_eq!(leida.lead, esperada.lead, "{answer:?}");
    }
}

/// A note under an id is written once, changed in its place, and removed; removing it again is fine.
pub async fn a_note_is_changed_in_its_place_and_removed(store: Arc<dyn Store>) {
    let (lead, vecino) = (un_lead(&store).await, otro_lead(&store).await);
    store.set_nota(escrita(lead, Zona::Bano, Some("uno"), 1)).await.expect("written");
    store.set_nota(escrita(vecino, Zona::Bano, Some("del vecino"), 1)).await.expect("written");
    let otra = Ingest { notas: vec![nota("de otra parte", None)], ..ingesta(lead, vec![], t(2)) };
    store.ingest(otra).await.expect("saved");
    store.set_nota(escrita(lead, Zona::Bano, Some(TEXTO_RARO), 3)).await.expect("changed");
    let notas = ficha(&store, lead).await.notas;
    let textos: Vec<_> = notas.iter().map(|n| n.texto.as_str()).collect();
    assert_eq!(textos, [TEXTO_RARO, "de otra parte"]);
    assert_eq!((notas[0].zona, notas[0].creada_en), (Some(Zona::Bano), t(1)), "it is the same note");
    for _ in 0..2 {
        store.set_nota(escrita(lead, Zona::Bano, None, 4)).await.expect("removed");
        assert_eq!(ficha(&store, lead).await.notas.len(), 1);
    }
    assert_eq!(ficha(&store, vecino).await.notas.len(), 1);
}

/// An unknown lead has neither answers nor notes.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let lead = nadie();
    assert_fails!(
        store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], en: t(1) }).await,
        LeadNotFound
    );
    for texto in [Some("x"), None] {
        assert_fails!(store.set_nota(escrita(lead, Zona::Bano, texto, 1)).await, LeadNotFound);
    }
}
