//! The history of `estado_wa` and `bot_step`: every value they were given, by any writer.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;

use super::data::{
    ODD_TEXT, a_lead, create, empresa, intento, long_text, new_lead, other_lead, perfil, t, turno,
};
use embudo_store::Store;
use embudo_store::leads::CreateLead;

/// The values one field was given, with the second of each.
async fn values(store: &Arc<dyn Store>, lead: LeadId, field: &str) -> Vec<(String, i64)> {
    let history = store.history(lead).await.expect("a history");
    assert!(history.iter().all(|c| c.field == "estado_wa" || c.field == "bot_step"));
    let of_field = history.into_iter().filter(|c| c.field == field);
    of_field.map(|c| (c.value, c.creado_en.as_second() - t(0).as_second())).collect()
}

fn list(of: &[(&str, i64)]) -> Vec<(String, i64)> {
    of.iter().map(|(value, at)| ((*value).to_owned(), *at)).collect()
}

/// Creation, profile and conversation all leave their values in the history, in order, also the same one twice.
pub async fn every_writer_leaves_its_values(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let initial =
        Perfil { estado_wa: Some(EstadoWa::NotSent), bot_step: Some("inicio".into()), ..Default::default() };
    let lead = create(&store, CreateLead { perfil: initial, ..new_lead("Ana") }).await;
    for (n, estado_wa) in [(1, EstadoWa::Leido), (2, EstadoWa::Leido), (3, EstadoWa::NotSent)] {
        let sent = Perfil { estado_wa: Some(estado_wa), ..Default::default() };
        store.update_perfil(perfil(lead, sent, t(n))).await.expect("written");
    }
    let mut with_states = turno(lead, "hola", t(4));
    with_states.turno.estado_wa = Some(EstadoWa::Fallido);
    with_states.turno.bot_step = Some(String::new());
    store.append_turno(with_states).await.expect("appended");
    let sent = Perfil { bot_step: Some(ODD_TEXT.into()), ..Default::default() };
    store.update_perfil(perfil(lead, sent, t(5))).await.expect("written");

    let states = [("sin_enviar", 0), ("leido", 1), ("leido", 2), ("sin_enviar", 3), ("fallido", 4)];
    assert_eq!(values(&store, lead, "estado_wa").await, list(&states));
    assert_eq!(values(&store, lead, "bot_step").await, list(&[("inicio", 0), ("", 4), (ODD_TEXT, 5)]));
    let instants: Vec<_> = store.history(lead).await.expect("a history");
    assert!(instants.is_sorted_by_key(|c| c.creado_en), "both fields stand in one order");
}

/// A write that touches neither field leaves no trace in the history, and each lead has its own history.
pub async fn other_writes_leave_no_trace(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let sent = Perfil { viable: Some(true), ..Default::default() };
    store.update_perfil(perfil(lead, sent, t(1))).await.expect("written");
    store.append_turno(turno(lead, "hola", t(2))).await.expect("appended");
    store.record_intento(intento(lead, 1, t(3))).await.expect("recorded");
    let sent = Perfil { bot_step: Some("x".into()), ..Default::default() };
    store.update_perfil(perfil(another, sent, t(4))).await.expect("written");
    assert_eq!(store.history(lead).await.expect("a history"), vec![]);
    assert_eq!(values(&store, another, "bot_step").await, list(&[("x", 4)]));
}

/// The history keeps the order of acceptance, not the order of the times.
pub async fn the_order_is_that_of_acceptance(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for (n, step) in [(9, "a"), (1, "b"), (5, "c")] {
        let sent = Perfil { bot_step: Some(step.into()), ..Default::default() };
        store.update_perfil(perfil(lead, sent, t(n))).await.expect("written");
    }
    assert_eq!(values(&store, lead, "bot_step").await, list(&[("a", 9), ("b", 1), ("c", 5)]));
}

/// A step of any length is kept whole.
pub async fn a_very_long_step_is_kept(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let step = long_text(2_000_000);
    let mut command = turno(lead, "hola", t(1));
    command.turno.bot_step = Some(step.clone());
    store.append_turno(command).await.expect("appended");
    assert!(values(&store, lead, "bot_step").await == vec![(step, 1)]);
}
