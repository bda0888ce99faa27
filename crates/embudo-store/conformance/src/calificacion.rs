//! The qualification: one per lead, and a later call keeps what it leaves out.

use std::sync::Arc;

use embudo_domain::calificacion::{Calificacion, Nivel};

use super::data::{TEXTO_RARO, calificacion, ficha, nadie, otro_lead, sin_rastro, t, texto_largo, un_lead};
use embudo_store::query::FiltroLeads;
use embudo_store::{Hecho, Store};

/// Objects that a database would gladly tidy up: order of keys, repeated keys, digits, white space, escapes.
pub(super) const OBJETOS: [&str; 6] = [
    "{}",
    r#"{"b":1,"a":2,"aa":3,"B":4}"#,
    r#"{"n":1.0,"e":1e2,"E":1E+2,"z":-0.0,"g":123456789012345678901234567890,"d":0.10}"#,
    "{ \"a\" :\t[ 1,  2 ,{\n\t} ] ,\r\n \"b\":null }",
    r#"{"a":1,"a":2,"u":"\u00f1\ud83d\ude00\/","ñ":"🪵"}"#,
    r#"{"":{"":{"":[[[[true,false,null]]]]}}}"#,
];

async fn calificar(store: &Arc<dyn Store>, lead: embudo_domain::LeadId, c: Calificacion) {
    let hecho = store.upsert_calificacion(calificacion(lead, c, t(1))).await.expect("written");
    assert_eq!(hecho, Hecho::Ahora);
}

fn entera() -> Calificacion {
    Calificacion {
        score: Some(82),
        nivel: Some(Nivel::A),
        criterios: Some(r#"{"plazo":"1 mes"}"#.into()),
        notas_agente: Some("Muy decidida".into()),
    }
}

/// A qualification reads back as sent; a lead that was never qualified has none.
pub async fn a_qualification_reads_back(store: Arc<dyn Store>) {
    let (lead, vecino) = (un_lead(&store).await, otro_lead(&store).await);
    calificar(&store, lead, entera()).await;
    assert_eq!(ficha(&store, lead).await.calificacion, Some(entera()));
    assert_eq!(ficha(&store, vecino).await.calificacion, None);
}

/// A first call with one field knows that field only.
pub async fn one_field_is_enough(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for sola in [
        Calificacion { score: Some(0), ..Default::default() },
        Calificacion { score: Some(100), ..Default::default() },
        Calificacion { nivel: Some(Nivel::D), ..Default::default() },
        Calificacion { criterios: Some("{}".into()), ..Default::default() },
        Calificacion { notas_agente: Some(String::new()), ..Default::default() },
    ] {
        let lead = otro_lead(&store).await;
        calificar(&store, lead, sola.clone()).await;
        assert_eq!(ficha(&store, lead).await.calificacion, Some(sola));
    }
}

/// A later call writes the fields it sends and keeps those it leaves out.
pub async fn a_later_call_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperada = entera();
    calificar(&store, lead, entera()).await;
    calificar(&store, lead, Calificacion { score: Some(0), ..Default::default() }).await;
    esperada.score = Some(0);
    assert_eq!(ficha(&store, lead).await.calificacion, Some(esperada.clone()));
    calificar(&store, lead, Calificacion { nivel: Some(Nivel::C), ..Default::default() }).await;
    esperada.nivel = Some(Nivel::C);
    assert_eq!(ficha(&store, lead).await.calificacion, Some(esperada.clone()));
    calificar(&store, lead, Calificacion { criterios: Some("{}".into()), ..Default::default() }).await;
    esperada.criterios = Some("{}".into());
    assert_eq!(ficha(&store, lead).await.calificacion, Some(esperada.clone()));
    calificar(&store, lead, Calificacion { notas_agente: Some(String::new()), ..Default::default() }).await;
    esperada.notas_agente = Some(String::new());
    assert_eq!(ficha(&store, lead).await.calificacion, Some(esperada));
}

/// Every level can be written over every other; lists show the last level and score.
pub async fn lists_show_the_last_level(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for (score, nivel) in [(10, Nivel::D), (90, Nivel::A), (40, Nivel::C), (60, Nivel::B)] {
        calificar(
            &store,
            lead,
            Calificacion { score: Some(score), nivel: Some(nivel), ..Default::default() },
        )
        .await;
        let lista = store.list_leads(FiltroLeads::default(), None, 10).await.expect("a list");
        assert_eq!((lista[0].score, lista[0].nivel), (Some(score), Some(nivel)));
    }
}

/// `criterios` comes back as the text that was sent: order of keys, digits and white space survive.
pub async fn criterios_come_back_as_sent(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for objeto in OBJETOS {
        calificar(&store, lead, Calificacion { criterios: Some(objeto.into()), ..Default::default() }).await;
        let leida = ficha(&store, lead).await.calificacion.expect("qualified");
        assert_eq!(leida.criterios.as_deref(), Some(objeto));
    }
}

/// Notes of every script and criteria of many megabytes come back byte for byte.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let enviada = Calificacion {
        criterios: Some(format!(r#"{{"k":"{}"}}"#, texto_largo(9_000_000))),
        notas_agente: Some(TEXTO_RARO.into()),
        ..Default::default()
    };
    calificar(&store, lead, enviada.clone()).await;
    assert!(ficha(&store, lead).await.calificacion == Some(enviada));
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nadie();
    assert_fails!(store.upsert_calificacion(calificacion(lead, entera(), t(1))).await, LeadNotFound);
    sin_rastro(&store, lead).await;
}
