//! The data by which the inbox is sorted follows what is written, and can be made again from it.

use std::sync::Arc;

use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::event::EventKind;
use embudo_domain::intento::IntentoResult as Answered;
use embudo_domain::job::JobKind;
use embudo_domain::next_action::{ANSWER_WITHIN, ActionKind, CHASE_AFTER, PLAN_WITHIN};
use embudo_domain::perfil::{Perfil, Urgencia};
use embudo_domain::presupuesto::{Character, Document};
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Store;
use embudo_store::desk::WorkState;
use embudo_store::inbox::InboxRow;
use embudo_store::lead_writes::{AppendTurno, Ingest};
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};
use embudo_store::presupuestos::AnswerResult;
use embudo_store::projection::LONGEST_TRANSACTION;
use embudo_store::touches::Touch;
use jiff::SignedDuration;

use super::data::inbox::{anyone, audit_entry, next, project, row};
use super::data::outbox::{LENGTH, end, finish, make, of, process};
use super::data::presupuesto::{answer, asks, document, says, send, send_document};
use super::data::{
    Random, a_lead, create, event, foto, ingesta, intento, new_lead, nobody, nota, other_lead, perfil,
    record_event, t, turno,
};

type Action = Option<(ActionKind, Option<Timestamp>)>;

async fn action(store: &Arc<dyn Store>, lead: LeadId) -> Action {
    next(&row(store, &anyone(store).await, lead).await)
}

fn due(kind: ActionKind, at: Timestamp) -> Action {
    Some((kind, Some(at)))
}

const WAITS_FOR_CLIENT: Action = Some((ActionKind::WaitClient, None));
const WAITS_FOR_BOT: Action = Some((ActionKind::WaitBot, None));

fn says_the_bot(lead: LeadId, at: i64) -> AppendTurno {
    let mut command = turno(lead, "dígame", t(at));
    command.turno.rol = Rol::Assistant;
    command
}

pub async fn whoever_wrote_last_waits_for_an_answer(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.append_turno(turno(lead, "hola", t(5))).await.expect("appended");
    assert_eq!(action(&store, lead).await, due(ActionKind::Answer, t(5) + ANSWER_WITHIN));
    let mut noted = turno(lead, "derivado", t(5));
    noted.turno.rol = Rol::System;
    store.append_turno(noted).await.expect("appended");
    assert_eq!(action(&store, lead).await, due(ActionKind::Answer, t(5) + ANSWER_WITHIN), "nobody spoke");
    store.append_turno(says_the_bot(lead, 6)).await.expect("appended");
    assert_eq!(action(&store, lead).await, WAITS_FOR_CLIENT);
    store.append_turno(turno(lead, "¿y?", t(7))).await.expect("appended");
    let mut attempt = intento(lead, 1, t(8));
    attempt.intento.result = Some(Answered::Exitoso);
    store.record_intento(attempt).await.expect("recorded");
    assert_eq!(action(&store, lead).await, WAITS_FOR_BOT, "a call is an answer too");
}

/// A new lead needs a first contact, no matter who makes it or how. An imported lead needs none.
pub async fn a_new_lead_is_contacted(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(action(&store, lead).await, due(ActionKind::Contact, t(0) + ANSWER_WITHIN));
    let urgent = |urgencia| Perfil { urgencia: Some(urgencia), ..Perfil::default() };
    store.update_perfil(perfil(lead, urgent(Urgencia::Alta), t(1))).await.expect("updated");
    assert_eq!(action(&store, lead).await, due(ActionKind::Contact, t(0)), "at once");
    store.update_perfil(perfil(lead, urgent(Urgencia::Baja), t(2))).await.expect("updated");
    assert_eq!(action(&store, lead).await, due(ActionKind::Contact, t(0) + ANSWER_WITHIN));
    store.append_turno(says_the_bot(lead, 3)).await.expect("appended");
    assert_eq!(action(&store, lead).await, WAITS_FOR_CLIENT);
    let called = other_lead(&store).await;
    let mut attempt = intento(called, 1, t(4));
    attempt.intento.result = Some(Answered::NoContesta);
    store.record_intento(attempt).await.expect("recorded");
    assert_eq!(action(&store, called).await, WAITS_FOR_BOT);
    let known = create(&store, CreateLead { imported: true, ..new_lead("Ana") }).await;
    assert_eq!(action(&store, known).await, WAITS_FOR_BOT);
    store.append_turno(turno(known, "hola", t(5))).await.expect("appended");
    assert_eq!(action(&store, known).await, due(ActionKind::Answer, t(5) + ANSWER_WITHIN));
}

/// A client who asks for a call has to be called until somebody reaches them; an attempt without an answer does not
/// count.
pub async fn whoever_asks_to_be_called_is_called(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.record_event(record_event(lead, event(EventKind::Call, t(5)))).await.expect("recorded");
    assert_eq!(action(&store, lead).await, due(ActionKind::Call, t(5)));
    let mut attempt = intento(lead, 1, t(6));
    attempt.intento.result = Some(Answered::NoContesta);
    store.record_intento(attempt.clone()).await.expect("recorded");
    assert_eq!(action(&store, lead).await, due(ActionKind::Call, t(5)));
    attempt = intento(lead, 2, t(7));
    attempt.intento.result = Some(Answered::Exitoso);
    store.record_intento(attempt).await.expect("recorded");
    assert_eq!(action(&store, lead).await, WAITS_FOR_BOT);
}

/// A person who asks for their data has to get it until somebody says that it was done, even if the lead is lost.
pub async fn whoever_asks_for_their_data_waits_for_it(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.record_event(record_event(lead, event(EventKind::RightAsked, t(5)))).await.expect("recorded");
    assert_eq!(action(&store, lead).await, due(ActionKind::Right, t(5)));
    let mut attempt = intento(lead, 1, t(6));
    attempt.intento.result = Some(Answered::Exitoso);
    store.record_intento(attempt).await.expect("recorded");
    assert_eq!(action(&store, lead).await, due(ActionKind::Right, t(5)), "a call does not do it");
    store.record_event(record_event(lead, event(EventKind::RightGranted, t(7)))).await.expect("recorded");
    assert_eq!(action(&store, lead).await, WAITS_FOR_BOT);
    store.record_event(record_event(lead, event(EventKind::RightAsked, t(8)))).await.expect("recorded");
    assert_eq!(action(&store, lead).await, due(ActionKind::Right, t(8)), "once more");
}

/// A client who asks for a visit waits for it until somebody reaches them. A client who declines afterwards waits for
/// nothing, and one who asks after declining is not lost.
pub async fn whoever_asks_for_a_visit_waits_for_it(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let quote = async |lead| {
        let orientative =
            Document { decided: Some(Character::Orientative), ..document(&store, lead, "x").await };
        send_document(&store, lead, orientative).await
    };
    let p = quote(lead).await;
    assert_eq!(store.ask_visit(asks(&p, None, t(5))).await.expect("asked"), AnswerResult::Done);
    assert_eq!(action(&store, lead).await, due(ActionKind::AskedVisit, t(5)));
    assert_eq!(row(&store, &viewer, lead).await.etapa, Etapa::PresupuestoEnviado);
    answer(&store, says(&p, false, t(6))).await;
    assert_eq!(row(&store, &viewer, lead).await.etapa, Etapa::Perdido);
    assert_eq!(action(&store, lead).await, None);
    assert_eq!(store.ask_visit(asks(&p, None, t(7))).await.expect("asked"), AnswerResult::Done);
    assert_eq!(row(&store, &viewer, lead).await.etapa, Etapa::PresupuestoEnviado);
    assert_eq!(action(&store, lead).await, due(ActionKind::AskedVisit, t(7)));
    let mut attempt = intento(lead, 1, t(8));
    attempt.intento.result = Some(Answered::Exitoso);
    store.record_intento(attempt).await.expect("recorded");
    assert_ne!(action(&store, lead).await.map(|(kind, _)| kind), Some(ActionKind::AskedVisit));
}

pub async fn an_issued_quote_is_chased_until_it_is_answered(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let issued = p.emitido_en.expect("it is issued");
    assert_eq!(action(&store, lead).await, due(ActionKind::Chase, issued + CHASE_AFTER));
    answer(&store, says(&p, true, t(9))).await;
    assert_eq!(action(&store, lead).await, due(ActionKind::PlanWork, t(9) + PLAN_WITHIN));
    let (viewer, none) = (anyone(&store).await, WorkState::default());
    let begins = WorkState { start: Some(jiff::civil::date(2027, 1, 11)), ..WorkState::default() };
    store.set_work(&viewer, lead, none, begins, t(10), audit_entry()).await.expect("set");
    assert_eq!(action(&store, lead).await, Some((ActionKind::WaitWork, None)));
    let done = WorkState { progress: Some(Progress::Terminado), ..begins };
    store.set_work(&viewer, lead, begins, done, t(11), audit_entry()).await.expect("set");
    assert_eq!(action(&store, lead).await, None, "it is done");
}

pub async fn a_loop_is_due_at_its_deadline(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let accepted =
        JobAttemptEnd { watched_loop: Some(Deadlines::default()), ..end(id, who, JobOutcome::Done, t(2)) };
    finish(&store, accepted).await;
    store.append_turno(says_the_bot(lead, 2)).await.expect("appended");
    let limit = t(2) + Deadlines::default().renders;
    let read = row(&store, &anyone(&store).await, lead).await;
    let at = |now| read.next_action(now).map(|action| (action.kind, action.due));
    assert_eq!(at(limit - SignedDuration::from_secs(1)), Some((ActionKind::WaitRenders, None)), "in time");
    assert_eq!(at(limit), due(ActionKind::Loop, limit));
    let call = Ingest { finalizar: true, ..ingesta(lead, vec![], t(3)) };
    store.ingest(call).await.expect("saved");
    assert_eq!(action(&store, lead).await, WAITS_FOR_CLIENT);
    store
        .archive(&anyone(&store).await, vec![lead], "x".into(), t(4), audit_entry())
        .await
        .expect("archived");
    store.append_turno(turno(lead, "hola", t(5))).await.expect("appended");
    assert_eq!(action(&store, lead).await, None, "a lost lead needs nobody");
}

pub async fn everything_that_happens_is_activity(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    assert_eq!(row(&store, &viewer, lead).await.activity, t(0));
    store.record_intento(intento(lead, 1, t(1))).await.expect("recorded");
    assert_eq!(row(&store, &viewer, lead).await.activity, t(1));
    store.ingest(ingesta(lead, vec![foto()], t(2))).await.expect("saved");
    assert_eq!(row(&store, &viewer, lead).await.activity, t(2));
    let call = Ingest { notas: vec![nota("x", None)], ..ingesta(lead, vec![], t(3)) };
    store.ingest(call).await.expect("saved");
    assert_eq!(row(&store, &viewer, lead).await.activity, t(3));
    store.record_event(record_event(lead, event(EventKind::Mensajeria, t(4)))).await.expect("recorded");
    assert_eq!(row(&store, &viewer, lead).await.activity, t(4));
}

/// Updating a projection step by step gives the same result as reading everything anew, and doing it twice changes
/// nothing.
pub async fn it_can_be_made_again_from_what_was_written(store: Arc<dyn Store>) {
    let mut leads = vec![a_lead(&store).await];
    for _ in 0..3 {
        leads.push(other_lead(&store).await);
    }
    let viewer = anyone(&store).await;
    let mut random = Random::new(7);
    for n in 1..60 {
        let lead = random.one(&leads);
        match random.until(7) {
            0 | 1 => drop(store.append_turno(turno(lead, "hola", t(n))).await.expect("appended")),
            2 => drop(store.append_turno(says_the_bot(lead, n)).await.expect("appended")),
            3 => {
                let mut attempt = intento(lead, n, t(n));
                attempt.intento.result = random.of_each(2).then_some(Answered::Exitoso);
                store.record_intento(attempt).await.expect("recorded");
            }
            4 => {
                let call = event(EventKind::Call, t(n));
                store.record_event(record_event(lead, call)).await.expect("recorded");
            }
            5 => drop(store.ingest(ingesta(lead, vec![foto()], t(n))).await.expect("saved")),
            _ => project(&store).await,
        }
    }
    project(&store).await;
    let sorted = |mut rows: Vec<InboxRow>| {
        rows.sort_by_key(|row| row.summary.lead.id);
        rows
    };
    let folded = sorted(store.inbox_rows(&viewer, leads.clone()).await.expect("a list"));
    for _ in 0..2 {
        let all = store.leads_after(None, 100).await.expect("a list");
        let changes =
            store.project(all.iter().map(|lead| (*lead, Touch::anew())).collect()).await.expect("projected");
        assert_eq!(changes.len(), leads.len());
        assert_eq!(sorted(store.inbox_rows(&viewer, leads.clone()).await.expect("a list")), folded);
    }
    assert!(store.project(vec![(nobody(), Touch::anew())]).await.expect("nothing to do").is_empty());
}

/// The tail finds writes of a process that died before they were projected.
pub async fn the_tail_finds_what_was_lost(store: Arc<dyn Store>) {
    let (one, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    project(&store).await;
    let first = store.tail(t(1)).await.expect("read");
    store.keep_cursors(first.cursors).await.expect("kept");
    store.append_turno(turno(one, "hola", t(10))).await.expect("appended");
    let call = Ingest { notas: vec![nota("x", None)], ..ingesta(other, vec![], t(11)) };
    store.ingest(call).await.expect("saved");
    let born = other_lead(&store).await;
    drop(store.touches().take());
    let mut lost = vec![one, other, born];
    lost.sort();
    let tail = store.tail(t(20)).await.expect("read");
    let mut found: Vec<LeadId> = tail.touches.iter().map(|(lead, _)| *lead).collect();
    found.sort();
    assert_eq!(found, lost);
    store.project(tail.touches).await.expect("projected");
    store.keep_cursors(tail.cursors).await.expect("kept");
    assert_eq!(row(&store, &viewer, one).await.activity, t(10));
    assert!(store.tail(t(21)).await.expect("read").touches.is_empty(), "it is projected");
    // The cursors advance once no older transaction can still commit; from then on nothing is read twice.
    for n in 1..3 {
        let tail = store.tail(t(21) + LONGEST_TRANSACTION * n).await.expect("read");
        assert!(tail.touches.is_empty());
        store.keep_cursors(tail.cursors).await.expect("kept");
    }
    store.append_turno(turno(one, "otra", t(30))).await.expect("appended");
    drop(store.touches().take());
    let tail = store.tail(t(31) + LONGEST_TRANSACTION * 3).await.expect("read");
    assert_eq!(tail.touches.iter().map(|(lead, _)| *lead).collect::<Vec<_>>(), [one]);
}

pub async fn leads_are_walked_in_order_and_known_by_their_company(store: Arc<dyn Store>) {
    let mut leads = vec![a_lead(&store).await];
    for _ in 0..4 {
        leads.push(other_lead(&store).await);
    }
    leads.sort();
    let first = store.leads_after(None, 3).await.expect("a list");
    let rest = store.leads_after(first.last().copied(), 3).await.expect("a list");
    assert_eq!([first, rest].concat(), leads);
    let mut owners = store.owners([&leads[..], &[nobody()]].concat()).await.expect("a list");
    owners.sort();
    assert_eq!(owners.iter().map(|change| change.lead).collect::<Vec<_>>(), leads);
    assert!(store.leads_changed_since(t(0)).await.expect("a list").is_empty());
    let mut changed = store.leads_changed_since(t(-1)).await.expect("a list");
    changed.sort();
    assert_eq!(changed, leads);
}
