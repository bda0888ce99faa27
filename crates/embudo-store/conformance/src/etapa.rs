//! The etapas of leads: written together with whatever changes them, and always equal to what is derived.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::{Etapa, EtapaInput};
use embudo_domain::event::EventKind;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::JobKind;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::watched_loop::{Deadlines, LoopStep};
use embudo_store::Store;
use embudo_store::lead_writes::{Ingest, NewFoto};
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};
use tokio::task::JoinSet;

use super::data::inbox::{anyone, audit_entry, etapa};
use super::data::outbox::{LENGTH, end, finish, make, of, process};
use super::data::presupuesto::{add_presupuesto, answer, complete, says, send};
use super::data::{
    Random, a_lead, event, foto, ingesta, key, micros, nobody, other_lead, record, record_event, t, turno,
};

pub async fn a_new_lead_is_nuevo(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let desk = store.desk(&anyone(&store).await, lead).await.expect("it exists");
    assert_eq!((desk.etapa, desk.etapa_since), (Etapa::Nuevo, t(0)));
    assert_fails!(store.desk(&anyone(&store).await, nobody()).await, LeadNotFound);
}

/// Only the first turn changes the etapa, from either speaker and with any states.
pub async fn the_first_turn_begins_the_conversation(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for n in 0..3 {
        let lead = other_lead(&store).await;
        let mut first = turno(lead, "hola", t(5));
        first.turno.rol = if n == 0 { Rol::User } else { Rol::Assistant };
        first.turno.estado_wa = (n == 1).then_some(EstadoWa::Enviado);
        first.idempotency = (n == 2).then(|| key("POST turno", "k", 1, t(5)));
        store.append_turno(first).await.expect("appended");
        store.append_turno(turno(lead, "otra vez", t(9))).await.expect("appended");
        let desk = store.desk(&anyone(&store).await, lead).await.expect("it exists");
        assert_eq!((desk.etapa, desk.etapa_since), (Etapa::EnConversacion, t(5)), "{n}");
    }
}

/// The etapa after a complete profile, whether or not its signal arrived, and by every command that writes the event.
pub async fn a_complete_profile_comes_after_the_conversation(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let complete = event(EventKind::PerfilComplete, t(3));
    store.record_event(record_event(lead, complete.clone())).await.expect("recorded");
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto);
    store.append_turno(turno(lead, "hola", t(4))).await.expect("appended");
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto);

    let lead = other_lead(&store).await;
    store.append_turno(turno(lead, "hola", t(4))).await.expect("appended");
    let call = Ingest { events: vec![complete], ..ingesta(lead, vec![], t(5)) };
    store.ingest(call).await.expect("saved");
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto);
}

async fn signal(store: &Arc<dyn Store>, lead: LeadId, at: i64) {
    let who = process();
    let id = make(store, lead, of(JobKind::Perfil, who, LENGTH), t(at)).await;
    let accepted = JobAttemptEnd {
        event: Some(event(EventKind::PerfilComplete, t(at + 1))),
        watched_loop: Some(Deadlines::default()),
        ..end(id, who, JobOutcome::Done, t(at + 1))
    };
    finish(store, accepted).await;
}

fn render() -> NewFoto {
    NewFoto { momento: Momento::After, ..foto() }
}

pub async fn the_loop_moves_it_there_and_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1).await;
    assert_eq!(etapa(&store, lead).await, Etapa::EsperandoRenders);
    store.ingest(ingesta(lead, vec![render()], t(5))).await.expect("saved");
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto, "the renders came");
    signal(&store, lead, 6).await;
    assert_eq!(etapa(&store, lead).await, Etapa::EsperandoRenders);
    let end = Ingest { finalizar: true, ..ingesta(lead, vec![], t(9)) };
    store.ingest(end).await.expect("saved");
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto);
}

/// If renders came after a signal was made and before it is answered, the lead does not wait for them.
pub async fn renders_before_the_answer_are_not_waited_for(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
    assert_eq!(etapa(&store, lead).await, Etapa::EsperandoRenders, "the first one still waits");
    // This render came after the signal `id` was made; only such renders count.
    store.ingest(ingesta(lead, vec![render()], t(11))).await.expect("saved");
    signal(&store, lead, 12).await;
    assert_eq!(etapa(&store, lead).await, Etapa::EsperandoRenders);
    let accepted =
        JobAttemptEnd { watched_loop: Some(Deadlines::default()), ..end(id, who, JobOutcome::Done, t(20)) };
    finish(&store, accepted).await;
    assert_eq!(etapa(&store, lead).await, Etapa::PerfilCompleto);
}

pub async fn quotes_move_it(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    assert_eq!(etapa(&store, lead).await, Etapa::Nuevo, "a draft of ours is no stage");
    complete(&store, &p).await;
    assert_eq!(etapa(&store, lead).await, Etapa::PresupuestoEnviado);
    let p = send(&store, lead, "y").await;
    answer(&store, says(&p, false, t(5))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Perdido);
    answer(&store, says(&p, true, t(6))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Aceptado, "a client may change their mind");
    add_presupuesto(&store, lead, "z").await;
    assert_eq!(etapa(&store, lead).await, Etapa::Aceptado, "a contract stays");
}

/// A newer draft replaces a quote that was issued or declined.
pub async fn a_newer_draft_takes_the_quote_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.append_turno(turno(lead, "hola", t(1))).await.expect("appended");
    let p = send(&store, lead, "x").await;
    answer(&store, says(&p, false, t(5))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Perdido);
    add_presupuesto(&store, lead, "y").await;
    assert_eq!(etapa(&store, lead).await, Etapa::EnConversacion);
}

pub async fn what_is_archived_is_lost_until_it_is_reopened(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let archived =
        store.archive(&viewer, vec![lead], "lejos".into(), t(5), audit_entry()).await.expect("archived");
    assert_eq!((archived, etapa(&store, lead).await), (vec![lead], Etapa::Perdido));
    store.append_turno(turno(lead, "hola", t(6))).await.expect("an archived lead takes calls");
    assert_eq!(etapa(&store, lead).await, Etapa::Perdido);
    let again =
        store.archive(&viewer, vec![lead], "otra".into(), t(7), audit_entry()).await.expect("answered");
    assert_eq!(again, vec![], "it was archived already");
    let archived = store.desk(&viewer, lead).await.expect("it exists").archived.expect("it is archived");
    assert_eq!((archived.reason.as_str(), archived.by, archived.at), ("lejos", viewer.who, t(5)));
    assert_eq!(
        store.reopen(&viewer, lead, t(8), audit_entry()).await.expect("reopened"),
        Etapa::EnConversacion
    );
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").archived, None);
}

/// A declined lead that was reopened is lost again when the client declines again.
pub async fn a_declined_lead_can_be_reopened(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let p = send(&store, lead, "x").await;
    answer(&store, says(&p, false, t(5))).await;
    assert_eq!(
        store.reopen(&viewer, lead, t(6), audit_entry()).await.expect("reopened"),
        Etapa::PresupuestoEnviado
    );
    let p = send(&store, lead, "y").await;
    answer(&store, says(&p, false, t(7))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Perdido);
}

/// Many first turns at once, of many leads and several of each lead, begin every conversation.
pub async fn racing_first_turns_begin_every_conversation(store: Arc<dyn Store>) {
    let mut leads = vec![a_lead(&store).await];
    for _ in 0..19 {
        leads.push(other_lead(&store).await);
    }
    let mut racers = JoinSet::new();
    for n in 0..3 {
        for lead in leads.clone() {
            let store = Arc::clone(&store);
            racers.spawn(async move {
                let mut command = turno(lead, "hola", t(n));
                command.turno.estado_wa = (n == 1).then_some(EstadoWa::Leido);
                store.append_turno(command).await.expect("appended");
            });
        }
    }
    racers.join_all().await;
    for lead in leads {
        assert_eq!(etapa(&store, lead).await, Etapa::EnConversacion);
    }
}

/// The input for the etapa, taken from the record, independently of the query from which the engines derive it.
async fn derived(store: &Arc<dyn Store>, lead: LeadId, archived: bool, declined: bool) -> EtapaInput {
    let record = record(store, lead).await;
    let has = |states: &[PresupuestoState]| record.presupuestos.iter().any(|p| states.contains(&p.state));
    EtapaInput {
        archived,
        declined: declined && has(&[PresupuestoState::Rechazado]),
        accepted: has(&[PresupuestoState::Aceptado]),
        progress: None,
        future_visit: false,
        draft_to_review: false,
        issued: has(&[PresupuestoState::Emitido, PresupuestoState::Rechazado]),
        waits_for_renders: record.lead.watched_loop.is_some_and(|b| b.step == LoopStep::AwaitingRenders),
        profile_signalled: record.events.iter().any(|e| e.kind == EventKind::PerfilComplete),
        has_turns: !record.conversacion.is_empty(),
    }
}

/// Random sequences of everything that changes an etapa: after every step the stored one equals the derived one.
pub async fn any_sequence_leaves_the_derived_etapa(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    for seed in 1..=12 {
        let mut random = Random::new(seed);
        let lead = other_lead(&store).await;
        let (mut archived, mut declined) = (false, false);
        for n in 1..=25 {
            let at = t(n * 10);
            let what = random.until(10);
            match what {
                0 | 1 => drop(store.append_turno(turno(lead, "hola", at)).await.expect("appended")),
                2 => signal(&store, lead, n * 10).await,
                3 => drop(store.ingest(ingesta(lead, vec![render()], at)).await.expect("saved")),
                4 => {
                    let call = Ingest { finalizar: true, ..ingesta(lead, vec![], at) };
                    store.ingest(call).await.expect("saved");
                }
                5 => drop(add_presupuesto(&store, lead, &n.to_string()).await),
                6 => drop(send(&store, lead, &n.to_string()).await),
                7 => {
                    let last = store.presupuestos(lead).await.expect("a list").into_iter().next();
                    let accepts = random.of_each(5);
                    if let Some(p) = last.filter(|p| p.state == PresupuestoState::Emitido) {
                        answer(&store, says(&p, accepts, micros(at.as_microsecond()))).await;
                        declined = !accepts;
                    }
                }
                8 => {
                    store
                        .archive(&viewer, vec![lead], "x".into(), at, audit_entry())
                        .await
                        .expect("archived");
                    archived = true;
                }
                _ => {
                    store.reopen(&viewer, lead, at, audit_entry()).await.expect("reopened");
                    (archived, declined) = (false, false);
                }
            }
            let facts = derived(&store, lead, archived, declined).await;
            let desk = store.desk(&viewer, lead).await.expect("it exists");
            assert_eq!(desk.facts, facts, "seed {seed}, step {n}: {what}");
            assert_eq!(desk.etapa, Etapa::of(&facts), "seed {seed}, step {n}: {what}");
        }
    }
}
