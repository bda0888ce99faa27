//! The qualification: one per lead, and a later call keeps the fields that it does not send.

use std::sync::Arc;

use embudo_domain::calificacion::{Calificacion, Nivel};

use super::data::{ODD_TEXT, a_lead, calificacion, long_text, nobody, other_lead, record, t, without_trace};
use embudo_store::leads::LeadFilter;
use embudo_store::{Done, Store};

/// Objects that a database might normalise: order of keys, repeated keys, digits, white space, escapes.
pub(super) const OBJECTS: [&str; 6] = [
    "{}",
    r#"{"b":1,"a":2,"aa":3,"B":4}"#,
    r#"{"n":1.0,"e":1e2,"E":1E+2,"z":-0.0,"g":123456789012345678901234567890,"d":0.10}"#,
    "{ \"a\" :\t[ 1,  2 ,{\n\t} ] ,\r\n \"b\":null }",
    r#"{"a":1,"a":2,"u":"\u00f1\ud83d\ude00\/","ñ":"🪵"}"#,
    r#"{"":{"":{"":[[[[true,false,null]]]]}}}"#,
];

async fn qualify(store: &Arc<dyn Store>, lead: embudo_domain::LeadId, c: Calificacion) {
    let done = store.upsert_calificacion(calificacion(lead, c, t(1))).await.expect("written");
    assert_eq!(done, Done::Now);
}

fn whole() -> Calificacion {
    Calificacion {
        score: Some(82),
        nivel: Some(Nivel::A),
        criterios: Some(r#"{"plazo":"1 mes"}"#.into()),
        notas_agente: Some("Muy decidida".into()),
    }
}

/// A qualification reads back as sent; a lead that was never qualified has none.
pub async fn a_qualification_reads_back(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    qualify(&store, lead, whole()).await;
    assert_eq!(record(&store, lead).await.calificacion, Some(whole()));
    assert_eq!(record(&store, neighbour).await.calificacion, None);
}

/// A first call with one field knows that field only.
pub async fn one_field_is_enough(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for alone in [
        Calificacion { score: Some(0), ..Default::default() },
        Calificacion { score: Some(100), ..Default::default() },
        Calificacion { nivel: Some(Nivel::D), ..Default::default() },
        Calificacion { criterios: Some("{}".into()), ..Default::default() },
        Calificacion { notas_agente: Some(String::new()), ..Default::default() },
    ] {
        let lead = other_lead(&store).await;
        qualify(&store, lead, alone.clone()).await;
        assert_eq!(record(&store, lead).await.calificacion, Some(alone));
    }
}

/// A later call writes the fields it sends and keeps those it leaves out.
pub async fn a_later_call_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected = whole();
    qualify(&store, lead, whole()).await;
    qualify(&store, lead, Calificacion { score: Some(0), ..Default::default() }).await;
    expected.score = Some(0);
    assert_eq!(record(&store, lead).await.calificacion, Some(expected.clone()));
    qualify(&store, lead, Calificacion { nivel: Some(Nivel::C), ..Default::default() }).await;
    expected.nivel = Some(Nivel::C);
    assert_eq!(record(&store, lead).await.calificacion, Some(expected.clone()));
    qualify(&store, lead, Calificacion { criterios: Some("{}".into()), ..Default::default() }).await;
    expected.criterios = Some("{}".into());
    assert_eq!(record(&store, lead).await.calificacion, Some(expected.clone()));
    qualify(&store, lead, Calificacion { notas_agente: Some(String::new()), ..Default::default() }).await;
    expected.notas_agente = Some(String::new());
    assert_eq!(record(&store, lead).await.calificacion, Some(expected));
}

/// Every level can be written over every other; lists show the last level and score.
pub async fn lists_show_the_last_level(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for (score, nivel) in [(10, Nivel::D), (90, Nivel::A), (40, Nivel::C), (60, Nivel::B)] {
        qualify(&store, lead, Calificacion { score: Some(score), nivel: Some(nivel), ..Default::default() })
            .await;
        let list = store.list_leads(LeadFilter::default(), None, 10).await.expect("a list");
        assert_eq!((list[0].score, list[0].nivel), (Some(score), Some(nivel)));
    }
}

/// `criterios` comes back as the text that was sent: order of keys, digits and white space survive.
pub async fn criterios_come_back_as_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for object in OBJECTS {
        qualify(&store, lead, Calificacion { criterios: Some(object.into()), ..Default::default() }).await;
        let read = record(&store, lead).await.calificacion.expect("qualified");
        assert_eq!(read.criterios.as_deref(), Some(object));
    }
}

/// Notes of every script and criteria of many megabytes come back byte for byte.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let sent = Calificacion {
        criterios: Some(format!(r#"{{"k":"{}"}}"#, long_text(9_000_000))),
        notas_agente: Some(ODD_TEXT.into()),
        ..Default::default()
    };
    qualify(&store, lead, sent.clone()).await;
    assert!(record(&store, lead).await.calificacion == Some(sent));
}

/// A lead that does not exist is not found, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nobody();
    assert_fails!(store.upsert_calificacion(calificacion(lead, whole(), t(1))).await, LeadNotFound);
    without_trace(&store, lead).await;
}
