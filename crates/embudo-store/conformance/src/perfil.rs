//! The partial update: only the fields sent are written, each exactly.

use std::sync::Arc;

use embudo_domain::Tipo;
use embudo_domain::columns::Cell;
use embudo_domain::perfil::Perfil;

use super::data::{
    MAX_ENTERO, TEXTO_RARO, crear, empresa, ficha, instantes_extremos, nadie, nuevo_lead, otro_lead, perfil,
    perfil_completo, perfil_from, perfil_lleno, sin_rastro, t, texto_largo, un_lead,
};
use embudo_store::command::CreateLead;
use embudo_store::{Hecho, Store};

async fn guardado(store: &Arc<dyn Store>, enviado: Perfil) -> Perfil {
    let lead = otro_lead(store).await;
    store.update_perfil(perfil(lead, enviado, t(1))).await.expect("written");
    ficha(store, lead).await.lead.perfil
}

/// Every field that is sent reads back as sent.
pub async fn every_field_reads_back(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let hecho = store.update_perfil(perfil(lead, perfil_completo(), t(1))).await.expect("written");
    assert_eq!(hecho, Hecho::Ahora);
    assert_eq!(ficha(&store, lead).await.lead.perfil, perfil_completo());
}

/// A field sent alone changes alone: into an empty profile, and into a full one.
pub async fn a_field_sent_alone_changes_alone(store: Arc<dyn Store>) {
    let vacio = un_lead(&store).await;
    let lleno = crear(&store, CreateLead { perfil: perfil_completo(), ..nuevo_lead("Eva") }).await;
    let (mut en_vacio, mut en_lleno, otro) = (Perfil::default(), perfil_completo(), perfil_lleno(2));
    for (alone, cell) in Perfil::COLUMNS.iter().zip(otro.cells()) {
        let enviado = perfil_from(|column| cell.filter(|_| column.name == alone.name));
        en_vacio.overlay(&enviado);
        en_lleno.overlay(&enviado);
        store.update_perfil(perfil(vacio, enviado.clone(), t(1))).await.expect("written");
        store.update_perfil(perfil(lleno, enviado, t(1))).await.expect("written");
        assert_eq!(ficha(&store, vacio).await.lead.perfil, en_vacio);
        assert_eq!(ficha(&store, lleno).await.lead.perfil, en_lleno);
    }
    assert_eq!(en_vacio, otro);
}

/// An update changes the profile and the moment of the last change, nothing else of the record.
pub async fn an_update_touches_nothing_else(store: Arc<dyn Store>) {
    let (lead, vecino) = (un_lead(&store).await, otro_lead(&store).await);
    let (mut esperada, intacta) = (ficha(&store, lead).await, ficha(&store, vecino).await);
    let enviado = Perfil { estilo: Some("nórdico".into()), ..Default::default() };
    store.update_perfil(perfil(lead, enviado.clone(), t(3))).await.expect("written");
    esperada.lead.perfil = enviado;
    esperada.lead.actualizado_en = t(3);
    assert_eq!(ficha(&store, lead).await, esperada);
    assert_eq!(ficha(&store, vecino).await, intacta);
}

/// Every word of every list can be written, in any order.
pub async fn every_word_can_be_written(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for n in 0..6 {
        let enviado = perfil_from(|column| match column.tipo {
            Tipo::Uno(words) => Some(Cell::Text(words[n % words.len()])),
            _ => None,
        });
        store.update_perfil(perfil(lead, enviado.clone(), t(1))).await.expect("written");
        assert_eq!(ficha(&store, lead).await.lead.perfil, enviado);
    }
}

fn de_texto(texto: &str) -> Perfil {
    perfil_from(|column| matches!(column.tipo, Tipo::Texto).then_some(Cell::Text(texto)))
}

/// An empty text is a value, not an absence, and replaces what was there.
pub async fn an_empty_text_is_a_value(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let lead = crear(&store, CreateLead { perfil: de_texto("algo"), ..nuevo_lead("Ana") }).await;
    store.update_perfil(perfil(lead, de_texto(""), t(1))).await.expect("written");
    assert_eq!(ficha(&store, lead).await.lead.perfil, de_texto(""));
}

/// Texts of every script come back byte for byte, also very long ones, in every text field at once.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for texto in [TEXTO_RARO.to_owned(), texto_largo(1_500_000)] {
        assert!(guardado(&store, de_texto(&texto)).await == de_texto(&texto));
    }
    let largo = Perfil { taste_text: Some("ñ".repeat(9 << 19)), ..Default::default() };
    assert!(guardado(&store, largo.clone()).await == largo);
}

/// A floor area comes back as the same double, to the last bit.
pub async fn doubles_are_exact(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for m2 in
        [0.1, 0.1 + 0.2, 1.0, 5e-324, f64::MIN_POSITIVE, 1e308, f64::MAX, 9_007_199_254_740_993.0, 1.0 / 3.0]
    {
        let leido = guardado(&store, Perfil { m2_suelo: Some(m2), ..Default::default() }).await;
        assert_eq!(leido.m2_suelo.map(f64::to_bits), Some(m2.to_bits()), "{m2:e}");
    }
}

/// A budget comes back exactly, up to the largest integer JSON keeps.
pub async fn integers_are_exact(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for cents in [0, 1, i64::from(i32::MAX) + 1, MAX_ENTERO, -MAX_ENTERO] {
        let enviado = Perfil { presupuesto_target_cents: Some(cents), ..Default::default() };
        assert_eq!(guardado(&store, enviado.clone()).await, enviado);
    }
}

/// The moment when photos were requested keeps its microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for en in instantes_extremos() {
        let enviado = Perfil { fotos_solicitadas_at: Some(en), ..Default::default() };
        assert_eq!(guardado(&store, enviado.clone()).await, enviado);
    }
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nadie();
    assert_fails!(store.update_perfil(perfil(lead, perfil_completo(), t(1))).await, LeadNotFound);
    sin_rastro(&store, lead).await;
}
