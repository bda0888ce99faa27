//! The history of `estado_wa` and `bot_step`: every value they were given, whoever wrote it.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;

use super::data::{
    TEXTO_RARO, crear, empresa, intento, nuevo_lead, otro_lead, perfil, t, texto_largo, turno, un_lead,
};
use embudo_store::Store;
use embudo_store::command::CreateLead;

/// The values one field was given, with the second of each.
async fn valores(store: &Arc<dyn Store>, lead: LeadId, campo: &str) -> Vec<(String, i64)> {
    let historial = store.historial(lead).await.expect("a history");
    assert!(historial.iter().all(|c| c.campo == "estado_wa" || c.campo == "bot_step"));
    let del_campo = historial.into_iter().filter(|c| c.campo == campo);
    del_campo.map(|c| (c.valor, c.creado_en.as_second() - t(0).as_second())).collect()
}

fn lista(de: &[(&str, i64)]) -> Vec<(String, i64)> {
    de.iter().map(|(valor, en)| ((*valor).to_owned(), *en)).collect()
}

/// Creation, profile and conversation all leave their values in the history, in order, also the same one twice.
pub async fn every_writer_leaves_its_values(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let inicial = Perfil {
        estado_wa: Some(EstadoWa::SinEnviar),
        bot_step: Some("inicio".into()),
        ..Default::default()
    };
    let lead = crear(&store, CreateLead { perfil: inicial, ..nuevo_lead("Ana") }).await;
    for (n, estado_wa) in [(1, EstadoWa::Leido), (2, EstadoWa::Leido), (3, EstadoWa::SinEnviar)] {
        let enviado = Perfil { estado_wa: Some(estado_wa), ..Default::default() };
        store.update_perfil(perfil(lead, enviado, t(n))).await.expect("written");
    }
    let mut con_estados = turno(lead, "hola", t(4));
    con_estados.turno.estado_wa = Some(EstadoWa::Fallido);
    con_estados.turno.bot_step = Some(String::new());
    store.append_turno(con_estados).await.expect("appended");
    let enviado = Perfil { bot_step: Some(TEXTO_RARO.into()), ..Default::default() };
    store.update_perfil(perfil(lead, enviado, t(5))).await.expect("written");

    let estados = [("sin_enviar", 0), ("leido", 1), ("leido", 2), ("sin_enviar", 3), ("fallido", 4)];
    assert_eq!(valores(&store, lead, "estado_wa").await, lista(&estados));
    assert_eq!(valores(&store, lead, "bot_step").await, lista(&[("inicio", 0), ("", 4), (TEXTO_RARO, 5)]));
    let instantes: Vec<_> = store.historial(lead).await.expect("a history");
    assert!(instantes.is_sorted_by_key(|c| c.creado_en), "both fields stand in one order");
}

/// What touches neither field leaves no trace in the history, and one lead's history is not another's.
pub async fn other_writes_leave_no_trace(store: Arc<dyn Store>) {
    let (lead, otra) = (un_lead(&store).await, otro_lead(&store).await);
    let enviado = Perfil { viable: Some(true), ..Default::default() };
    store.update_perfil(perfil(lead, enviado, t(1))).await.expect("written");
    store.append_turno(turno(lead, "hola", t(2))).await.expect("appended");
    store.record_intento(intento(lead, 1, t(3))).await.expect("recorded");
    let enviado = Perfil { bot_step: Some("x".into()), ..Default::default() };
    store.update_perfil(perfil(otra, enviado, t(4))).await.expect("written");
    assert_eq!(store.historial(lead).await.expect("a history"), vec![]);
    assert_eq!(valores(&store, otra, "bot_step").await, lista(&[("x", 4)]));
}

/// The history keeps the order of acceptance, not that of the times.
pub async fn the_order_is_that_of_acceptance(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for (n, paso) in [(9, "a"), (1, "b"), (5, "c")] {
        let enviado = Perfil { bot_step: Some(paso.into()), ..Default::default() };
        store.update_perfil(perfil(lead, enviado, t(n))).await.expect("written");
    }
    assert_eq!(valores(&store, lead, "bot_step").await, lista(&[("a", 9), ("b", 1), ("c", 5)]));
}

/// A step of any length is kept whole.
pub async fn a_very_long_step_is_kept(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let paso = texto_largo(2_000_000);
    let mut command = turno(lead, "hola", t(1));
    command.turno.bot_step = Some(paso.clone());
    store.append_turno(command).await.expect("appended");
    assert!(valores(&store, lead, "bot_step").await == vec![(paso, 1)]);
}
