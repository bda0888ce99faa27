//! What a person changes or takes back later: answers, and the notes of the form.

use std::sync::Arc;

use embudo_domain::perfil::Perfil;
use embudo_domain::{NotaId, Zona};

use super::data::{
    ODD_TEXT, a_lead, create, ingesta, new_lead, nobody, nota, other_lead, perfil_completo, record, t,
};
use embudo_store::Store;
use embudo_store::lead_writes::{Answer, ClearPerfil, Ingest, SetNota};
use embudo_store::leads::CreateLead;

fn set_nota(lead: embudo_domain::LeadId, zona: Zona, text: Option<&str>, secs: i64) -> SetNota {
    let (id, text) = (NotaId::of_form(lead, zona), text.map(str::to_owned));
    SetNota { lead, id, zona, text, at: t(secs) }
}

/// An answer that was taken back is absent; the others and the rest of the record stay.
pub async fn answers_are_taken_back_one_by_one(store: Arc<dyn Store>) {
    a_lead(&store).await;
    type Remove = fn(&mut Perfil);
    let cases: [(Answer, Remove); 4] = [
        (Answer::M2Suelo, |p| p.m2_suelo = None),
        (Answer::Estructural, |p| p.estructural = None),
        (Answer::Presupuesto, |p| (p.presupuesto_declarado, p.presupuesto_target_cents) = (None, None)),
        (Answer::TasteText, |p| p.taste_text = None),
    ];
    for (answer, remove) in cases {
        let lead = create(&store, CreateLead { perfil: perfil_completo(), ..new_lead("Eva") }).await;
        let mut expected = record(&store, lead).await;
        store.clear_perfil(ClearPerfil { lead, answers: vec![answer], at: t(9) }).await.expect("cleared");
        remove(&mut expected.lead.perfil);
        expected.lead.actualizado_en = t(9);
        let read = record(&store, lead).await;
        assert_eq!(read.lead, expected.lead, "{answer:?}");
    }
}

/// A note under an id is written once, changed in its place, and removed; removing it again is fine.
pub async fn a_note_is_changed_in_its_place_and_removed(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    store.set_nota(set_nota(lead, Zona::Bano, Some("uno"), 1)).await.expect("written");
    store.set_nota(set_nota(neighbour, Zona::Bano, Some("del vecino"), 1)).await.expect("written");
    let another = Ingest { notas: vec![nota("de otra parte", None)], ..ingesta(lead, vec![], t(2)) };
    store.ingest(another).await.expect("saved");
    store.set_nota(set_nota(lead, Zona::Bano, Some(ODD_TEXT), 3)).await.expect("changed");
    let notas = record(&store, lead).await.notas;
    let texts: Vec<_> = notas.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(texts, [ODD_TEXT, "de otra parte"]);
    assert_eq!((notas[0].zona, notas[0].creada_en), (Some(Zona::Bano), t(1)), "it is the same note");
    for _ in 0..2 {
        store.set_nota(set_nota(lead, Zona::Bano, None, 4)).await.expect("removed");
        assert_eq!(record(&store, lead).await.notas.len(), 1);
    }
    assert_eq!(record(&store, neighbour).await.notas.len(), 1);
}

/// An unknown lead has neither answers nor notes.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let lead = nobody();
    assert_fails!(
        store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], at: t(1) }).await,
        LeadNotFound
    );
    for text in [Some("x"), None] {
        assert_fails!(store.set_nota(set_nota(lead, Zona::Bano, text, 1)).await, LeadNotFound);
    }
}
