//! Events of a lead, page by page: its own and the changes of its states, in one order.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;

use super::data::{
    TEXTO_RARO, cambio, evento, ficha, ingesta, instantes_extremos, nadie, otro_lead, perfil, record_evento,
    t, turno, un_lead,
};
use embudo_store::Store;
use embudo_store::command::Ingest;
use embudo_store::query::EventoEnLista;

/// All pages of this size.
async fn paginas(store: &Arc<dyn Store>, lead: LeadId, limit: u32) -> Vec<Evento> {
    let (mut todos, mut cursor) = (Vec::<EventoEnLista>::new(), None);
    loop {
        let pagina = store.eventos(lead, cursor, limit).await.expect("a page");
        assert!(pagina.len() <= limit as usize);
        let Some(ultimo) = pagina.last() else { break };
        cursor = Some(ultimo.cursor);
        todos.extend(pagina);
    }
    assert!(todos.is_sorted_by(|a, b| a.cursor < b.cursor), "places rise");
    assert!(todos.iter().all(|e| e.cursor.creado_en == e.evento.creado_en));
    todos.into_iter().map(|e| e.evento).collect()
}

async fn anotar(store: &Arc<dyn Store>, lead: LeadId, e: &Evento) {
    store.record_evento(record_evento(lead, e.clone())).await.expect("recorded");
}

async fn paso(store: &Arc<dyn Store>, lead: LeadId, valor: &str, n: i64) {
    let enviado = Perfil { bot_step: Some(valor.into()), ..Default::default() };
    store.update_perfil(perfil(lead, enviado, t(n))).await.expect("written");
}

/// Every value of a state reads as an event with that value, among the lead's own events by time.
pub async fn changes_of_state_are_events(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let finalizar = evento(TipoEvento::Finalizar, t(5));
    let eventos = vec![finalizar.clone()];
    store.ingest(Ingest { eventos, ..ingesta(lead, vec![], t(5)) }).await.expect("saved");
    paso(&store, lead, TEXTO_RARO, 3).await;
    let mut con_estado = turno(lead, "hola", t(7));
    con_estado.turno.estado_wa = Some(EstadoWa::Leido);
    store.append_turno(con_estado).await.expect("appended");
    paso(&store, lead, "", 6).await;
    let simulado = Evento { detalle: Some(TEXTO_RARO.into()), ..evento(TipoEvento::Pdf, t(1)) };
    anotar(&store, lead, &simulado).await;
    let esperados = vec![
        simulado,
        cambio(TipoEvento::BotStep, TEXTO_RARO, t(3)),
        finalizar,
        cambio(TipoEvento::BotStep, "", t(6)),
        cambio(TipoEvento::EstadoWa, "leido", t(7)),
    ];
    assert_eq!(paginas(&store, lead, 100).await, esperados);
    assert_eq!(ficha(&store, lead).await.eventos, esperados);
}

/// At one moment the lead's own events stand before changes of state, each in the order they were written; pages of any
/// size cover all of them once.
pub async fn pages_cover_everything_once(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let vecino = otro_lead(&store).await;
    let mut esperados = Vec::new();
    for n in 0..6_i64 {
        for k in 0..3 {
            let detalle = format!("{n}-{k}");
            paso(&store, lead, &detalle, n / 2).await;
            esperados.push((t(n / 2), 1, cambio(TipoEvento::BotStep, &detalle, t(n / 2))));
            let propio = Evento { detalle: Some(detalle), ..evento(TipoEvento::Mensajeria, t(n / 2)) };
            anotar(&store, lead, &propio).await;
            esperados.push((t(n / 2), 0, propio));
            anotar(&store, vecino, &evento(TipoEvento::Pdf, t(n / 2))).await;
        }
    }
    esperados.sort_by_key(|(en, clase, _)| (*en, *clase));
    let esperados: Vec<Evento> = esperados.into_iter().map(|(.., e)| e).collect();
    for limit in [1, 2, 5, 36, 1000] {
        assert_eq!(paginas(&store, lead, limit).await, esperados, "by {limit}");
    }
    assert_eq!(ficha(&store, lead).await.eventos, esperados);
    assert_eq!(store.eventos(lead, None, 0).await.expect("a page"), vec![]);
    assert_eq!(paginas(&store, vecino, 7).await.len(), 18);
}

/// What is written later stands after a page's end and does not disturb it; times keep their microseconds.
pub async fn extreme_times_can_be_paged(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados: Vec<Evento> =
        instantes_extremos().into_iter().map(|en| evento(TipoEvento::Pdf, en)).collect();
    for e in esperados.iter().rev() {
        anotar(&store, lead, e).await;
    }
    assert_eq!(paginas(&store, lead, 2).await, esperados);
    let primera = store.eventos(lead, None, 3).await.expect("a page");
    let tarde = evento(TipoEvento::Pdf, *instantes_extremos().last().expect("some"));
    anotar(&store, lead, &tarde).await;
    esperados.push(tarde);
    let resto = store.eventos(lead, primera.last().map(|e| e.cursor), 100).await.expect("a page");
    let leidos: Vec<Evento> = primera.into_iter().chain(resto).map(|e| e.evento).collect();
    assert_eq!(leidos, esperados);
}

/// Every kind of event reads back.
pub async fn every_kind_reads_back(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut esperados = Vec::new();
    for (n, palabra) in (0..).zip(TipoEvento::PALABRAS) {
        let tipo = TipoEvento::parse(palabra).expect("a word of the list");
        if matches!(tipo, TipoEvento::EstadoWa | TipoEvento::BotStep) {
            continue;
        }
        let e = Evento { simulado: n % 2 == 0, ok: n % 3 == 0, ..evento(tipo, t(n)) };
        anotar(&store, lead, &e).await;
        esperados.push(e);
    }
    assert_eq!(paginas(&store, lead, 100).await, esperados);
}

/// A lead without events has an empty page; a lead that does not exist has none.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    assert_eq!(store.eventos(lead, None, 10).await.expect("a page"), vec![]);
    assert_fails!(store.eventos(nadie(), None, 10).await, LeadNotFound);
}
