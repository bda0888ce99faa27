//! Events of a lead, page by page: its own and the changes of its states, in one order.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;

use super::data::{
    ODD_TEXT, a_lead, change, event, extreme_instants, ingesta, nobody, other_lead, perfil, record,
    record_event, t, turno,
};
use embudo_store::Store;
use embudo_store::lead_writes::Ingest;
use embudo_store::leads::ListedEvent;

/// All pages of this size.
async fn pages(store: &Arc<dyn Store>, lead: LeadId, limit: u32) -> Vec<Event> {
    let (mut all, mut cursor) = (Vec::<ListedEvent>::new(), None);
    loop {
        let page = store.events(lead, cursor, limit).await.expect("a page");
        assert!(page.len() <= limit as usize);
        let Some(last) = page.last() else { break };
        cursor = Some(last.cursor);
        all.extend(page);
    }
    assert!(all.is_sorted_by(|a, b| a.cursor < b.cursor), "places rise");
    assert!(all.iter().all(|e| e.cursor.creado_en == e.event.creado_en));
    all.into_iter().map(|e| e.event).collect()
}

async fn note_down(store: &Arc<dyn Store>, lead: LeadId, e: &Event) {
    store.record_event(record_event(lead, e.clone())).await.expect("recorded");
}

async fn step(store: &Arc<dyn Store>, lead: LeadId, value: &str, n: i64) {
    let sent = Perfil { bot_step: Some(value.into()), ..Default::default() };
    store.update_perfil(perfil(lead, sent, t(n))).await.expect("written");
}

/// Every value of a state reads as an event with that value, among the lead's own events by time.
pub async fn changes_of_state_are_events(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let finalizar = event(EventKind::Finalizar, t(5));
    let events = vec![finalizar.clone()];
    store.ingest(Ingest { events, ..ingesta(lead, vec![], t(5)) }).await.expect("saved");
    step(&store, lead, ODD_TEXT, 3).await;
    let mut with_state = turno(lead, "hola", t(7));
    with_state.turno.estado_wa = Some(EstadoWa::Leido);
    store.append_turno(with_state).await.expect("appended");
    step(&store, lead, "", 6).await;
    let simulated = Event { detail: Some(ODD_TEXT.into()), ..event(EventKind::Pdf, t(1)) };
    note_down(&store, lead, &simulated).await;
    let expected_ones = vec![
        simulated,
        change(EventKind::BotStep, ODD_TEXT, t(3)),
        finalizar,
        change(EventKind::BotStep, "", t(6)),
        change(EventKind::EstadoWa, "leido", t(7)),
    ];
    assert_eq!(pages(&store, lead, 100).await, expected_ones);
    assert_eq!(record(&store, lead).await.events, expected_ones);
}

/// At one moment the lead's own events come before changes of state, each in the order they were written; pages of any
/// size cover all of them once.
pub async fn pages_cover_everything_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let neighbour = other_lead(&store).await;
    let mut expected_ones = Vec::new();
    for n in 0..6_i64 {
        for k in 0..3 {
            let detail = format!("{n}-{k}");
            step(&store, lead, &detail, n / 2).await;
            expected_ones.push((t(n / 2), 1, change(EventKind::BotStep, &detail, t(n / 2))));
            let own = Event { detail: Some(detail), ..event(EventKind::Mensajeria, t(n / 2)) };
            note_down(&store, lead, &own).await;
            expected_ones.push((t(n / 2), 0, own));
            note_down(&store, neighbour, &event(EventKind::Pdf, t(n / 2))).await;
        }
    }
    expected_ones.sort_by_key(|(at, class, _)| (*at, *class));
    let expected_ones: Vec<Event> = expected_ones.into_iter().map(|(.., e)| e).collect();
    for limit in [1, 2, 5, 36, 1000] {
        assert_eq!(pages(&store, lead, limit).await, expected_ones, "by {limit}");
    }
    assert_eq!(record(&store, lead).await.events, expected_ones);
    assert_eq!(store.events(lead, None, 0).await.expect("a page"), vec![]);
    assert_eq!(pages(&store, neighbour, 7).await.len(), 18);
}

/// An event that is written after a page was read comes on a later page; times keep their microseconds.
pub async fn extreme_times_can_be_paged(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones: Vec<Event> =
        extreme_instants().into_iter().map(|at| event(EventKind::Pdf, at)).collect();
    for e in expected_ones.iter().rev() {
        note_down(&store, lead, e).await;
    }
    assert_eq!(pages(&store, lead, 2).await, expected_ones);
    let first = store.events(lead, None, 3).await.expect("a page");
    let late = event(EventKind::Pdf, *extreme_instants().last().expect("some"));
    note_down(&store, lead, &late).await;
    expected_ones.push(late);
    let rest = store.events(lead, first.last().map(|e| e.cursor), 100).await.expect("a page");
    let parsed: Vec<Event> = first.into_iter().chain(rest).map(|e| e.event).collect();
    assert_eq!(parsed, expected_ones);
}

/// Every kind of event reads back.
pub async fn every_kind_reads_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for (n, word) in (0..).zip(EventKind::WORDS) {
        let kind = EventKind::parse(word).expect("a word of the list");
        if matches!(kind, EventKind::EstadoWa | EventKind::BotStep) {
            continue;
        }
        let e = Event { simulated: n % 2 == 0, ok: n % 3 == 0, ..event(kind, t(n)) };
        note_down(&store, lead, &e).await;
        expected_ones.push(e);
    }
    assert_eq!(pages(&store, lead, 100).await, expected_ones);
}

/// A lead without events has an empty page; for a lead that does not exist there is an error.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(store.events(lead, None, 10).await.expect("a page"), vec![]);
    assert_fails!(store.events(nobody(), None, 10).await, LeadNotFound);
}
