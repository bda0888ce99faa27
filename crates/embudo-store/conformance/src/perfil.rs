//! The partial update: only the fields sent are written, each exactly.

use std::sync::Arc;

use embudo_domain::Kind;
use embudo_domain::columns::Cell;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::Perfil;

use super::data::{
    MAX_INTEGER, ODD_TEXT, a_lead, create, empresa, extreme_instants, long_text, new_lead, nobody,
    other_lead, perfil, perfil_completo, perfil_from, perfil_full, record, t, without_trace,
};
use embudo_store::lead_writes::UpdatePerfil;
use embudo_store::leads::CreateLead;
use embudo_store::{Done, Store};

async fn stored(store: &Arc<dyn Store>, sent: Perfil) -> Perfil {
    let lead = other_lead(store).await;
    store.update_perfil(perfil(lead, sent, t(1))).await.expect("written");
    record(store, lead).await.lead.perfil
}

/// Every field that is sent reads back as sent.
pub async fn every_field_reads_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let done = store.update_perfil(perfil(lead, perfil_completo(), t(1))).await.expect("written");
    assert_eq!(done, Done::Now);
    assert_eq!(record(&store, lead).await.lead.perfil, perfil_completo());
}

/// A field sent alone changes alone: into an empty profile, and into a full one.
pub async fn a_field_sent_alone_changes_alone(store: Arc<dyn Store>) {
    let empty = a_lead(&store).await;
    let full = create(&store, CreateLead { perfil: perfil_completo(), ..new_lead("Eva") }).await;
    let (mut when_empty, mut when_full, other) = (Perfil::default(), perfil_completo(), perfil_full(2));
    for (alone, cell) in Perfil::COLUMNS.iter().zip(other.cells()) {
        let sent = perfil_from(|column| cell.filter(|_| column.name == alone.name));
        when_empty.overlay(&sent);
        when_full.overlay(&sent);
        store.update_perfil(perfil(empty, sent.clone(), t(1))).await.expect("written");
        store.update_perfil(perfil(full, sent, t(1))).await.expect("written");
        assert_eq!(record(&store, empty).await.lead.perfil, when_empty);
        assert_eq!(record(&store, full).await.lead.perfil, when_full);
    }
    assert_eq!(when_empty, other);
}

/// An update changes the profile and the time of the last change, nothing else in the record.
pub async fn an_update_touches_nothing_else(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    let (mut expected, intact) = (record(&store, lead).await, record(&store, neighbour).await);
    let sent = Perfil { estilo: Some("nórdico".into()), ..Default::default() };
    store.update_perfil(perfil(lead, sent.clone(), t(3))).await.expect("written");
    expected.lead.perfil = sent;
    expected.lead.actualizado_en = t(3);
    assert_eq!(record(&store, lead).await, expected);
    assert_eq!(record(&store, neighbour).await, intact);
}

/// Every word of every list can be written, in any order.
pub async fn every_word_can_be_written(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for n in 0..6 {
        let sent = perfil_from(|column| match column.kind {
            Kind::One(words) => Some(Cell::Text(words[n % words.len()])),
            _ => None,
        });
        store.update_perfil(perfil(lead, sent.clone(), t(1))).await.expect("written");
        assert_eq!(record(&store, lead).await.lead.perfil, sent);
    }
}

fn of_text(text: &str) -> Perfil {
    perfil_from(|column| matches!(column.kind, Kind::Text).then_some(Cell::Text(text)))
}

/// An empty text is a value, not an absence, and replaces what was there.
pub async fn an_empty_text_is_a_value(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let lead = create(&store, CreateLead { perfil: of_text("algo"), ..new_lead("Ana") }).await;
    store.update_perfil(perfil(lead, of_text(""), t(1))).await.expect("written");
    assert_eq!(record(&store, lead).await.lead.perfil, of_text(""));
}

/// Texts of every script come back byte for byte, also very long ones, in every text field at once.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for text in [ODD_TEXT.to_owned(), long_text(1_500_000)] {
        assert!(stored(&store, of_text(&text)).await == of_text(&text));
    }
    let length = Perfil { taste_text: Some("ñ".repeat(9 << 19)), ..Default::default() };
    assert!(stored(&store, length.clone()).await == length);
}

/// A floor area comes back as the same double, to the last bit.
pub async fn doubles_are_exact(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for m2 in
        [0.1, 0.1 + 0.2, 1.0, 5e-324, f64::MIN_POSITIVE, 1e308, f64::MAX, 9_007_199_254_740_993.0, 1.0 / 3.0]
    {
        let read = stored(&store, Perfil { m2_suelo: Some(m2), ..Default::default() }).await;
        assert_eq!(read.m2_suelo.map(f64::to_bits), Some(m2.to_bits()), "{m2:e}");
    }
}

/// A budget comes back exactly, up to the largest integer JSON keeps.
pub async fn integers_are_exact(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for cents in [0, 1, i64::from(i32::MAX) + 1, MAX_INTEGER, -MAX_INTEGER] {
        let sent = Perfil { presupuesto_target_cents: Some(cents), ..Default::default() };
        assert_eq!(stored(&store, sent.clone()).await, sent);
    }
}

/// The moment when photos were requested keeps its microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for at in extreme_instants() {
        let sent = Perfil { fotos_solicitadas_at: Some(at), ..Default::default() };
        assert_eq!(stored(&store, sent.clone()).await, sent);
    }
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nobody();
    assert_fails!(store.update_perfil(perfil(lead, perfil_completo(), t(1))).await, LeadNotFound);
    without_trace(&store, lead).await;
}

/// An area that is sent is known, even if it equals the estimate; an estimate that is sent again stays an estimate.
pub async fn an_area_that_is_sent_is_known(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let obra = Obra { m2_estimado: Some(12.0), banos: Some(1), ..Obra::default() };
    let sent = Perfil { m2_suelo: Some(12.0), ..Perfil::default() };
    let lead =
        create(&store, CreateLead { perfil: sent.clone(), obra: obra.clone(), ..new_lead("Eva") }).await;
    let neighbour = create(&store, CreateLead { obra: obra.clone(), ..new_lead("Iris") }).await;
    let is_estimate = async || {
        let lead = record(&store, lead).await.lead;
        lead.obra.is_estimate(lead.perfil.m2_suelo)
    };
    assert!(is_estimate().await);
    let estilo = Perfil { estilo: Some("nórdico".into()), ..Perfil::default() };
    store.update_perfil(perfil(lead, estilo, t(1))).await.expect("written");
    assert!(is_estimate().await, "nothing was said of the area");
    let guess = UpdatePerfil { m2_is_estimate: true, ..perfil(lead, sent.clone(), t(2)) };
    store.update_perfil(guess).await.expect("written");
    assert!(is_estimate().await);
    store.update_perfil(perfil(lead, sent, t(3))).await.expect("written");
    assert!(!is_estimate().await);
    assert_eq!(record(&store, lead).await.lead.obra, Obra { m2_estimado: None, ..obra.clone() });
    assert_eq!(record(&store, neighbour).await.lead.obra, obra);
}
