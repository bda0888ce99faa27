//! Who may be reminded: clients with unanswered quotes and people who left a form, unless they refused reminders.

use std::sync::Arc;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::event::EventKind;
use embudo_domain::job::JobKind;
use embudo_domain::perfil::{CanalOrigen, Perfil};
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use embudo_store::lead_writes::{AppendTurno, RecordEvent};
use embudo_store::leads::CreateLead;
use embudo_store::outbox::JobOutcome;
use embudo_store::presupuestos::CompletePresupuesto;
use embudo_store::read::{QuietLead, Stretch, UnansweredQuote};
use embudo_store::{Done, Store};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::inbox::{anyone, audit_entry};
use super::data::outbox::{end, job, make, only_jobs, own};
use super::data::presupuesto::{TODAY, add_presupuesto, answer, day, drawn, pdf, says, send};
use super::data::{a_lead, create, event, key, new_lead, other_lead, record, record_event, t, turno};

const ALL: u32 = 100;

/// Everything since the beginning, with nobody reminded lately.
fn ever() -> Stretch {
    Stretch { since: t(0), until: t(1_000), reminded_before: t(1_000) }
}

async fn company(store: &Arc<dyn Store>, lead: LeadId) -> EmpresaId {
    record(store, lead).await.lead.empresa.id
}

async fn unanswered(store: &Arc<dyn Store>, empresa: EmpresaId, stretch: Stretch) -> Vec<LeadId> {
    let found = store.unanswered_quotes(empresa, stretch, TODAY, None, ALL).await.expect("read");
    found.into_iter().map(|quote| quote.lead).collect()
}

/// A quote of a new lead, issued at this moment.
async fn issued(store: &Arc<dyn Store>, at: Timestamp) -> UnansweredQuote {
    let lead = other_lead(store).await;
    let quote = add_presupuesto(store, lead, "una").await;
    let command = drawn(store, &quote, pdf(&quote.id.to_string())).await;
    let end = end(command.end.id, command.end.who, JobOutcome::Done, at);
    let command = CompletePresupuesto { end, ..command };
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    UnansweredQuote { id: quote.id, lead, emitido_en: at }
}

pub async fn a_quote_waits_for_its_client_until_anything_happens(store: Arc<dyn Store>) {
    let empresa = company(&store, a_lead(&store).await).await;
    let mut leads = Vec::new();
    let mut quotes = Vec::new();
    for _ in 0..7 {
        let lead = other_lead(&store).await;
        store.append_turno(turno(lead, "hola", t(1))).await.expect("said before");
        quotes.push(send(&store, lead, "una").await);
        leads.push(lead);
    }
    let expected = |leads: &[LeadId]| {
        let mut leads = leads.to_vec();
        leads.sort();
        leads
    };
    let sorted = async |stretch| expected(&unanswered(&store, empresa, stretch).await);
    assert_eq!(sorted(ever()).await, expected(&leads));
    answer(&store, says(&quotes[0], true, t(5))).await;
    answer(&store, says(&quotes[1], false, t(5))).await;
    store.append_turno(turno(leads[2], "¿y si…?", t(5))).await.expect("the client writes");
    store
        .archive(&anyone(&store).await, vec![leads[3]], "lejos".into(), t(5), audit_entry())
        .await
        .expect("archived");
    add_presupuesto(&store, leads[4], "otra").await;
    let said = turno(leads[5], "Te lo hemos enviado.", t(5));
    let by_bot = embudo_domain::conversacion::Turno { rol: Rol::Assistant, ..said.turno.clone() };
    store.append_turno(AppendTurno { turno: by_bot, ..said }).await.expect("the bot writes");
    assert_eq!(sorted(ever()).await, expected(&leads[5..]));
    make(&store, leads[6], job(JobKind::Reminder), t(9)).await;
    let lately = Stretch { reminded_before: t(8), ..ever() };
    assert_eq!(unanswered(&store, empresa, lately).await, leads[5..6]);
    assert_eq!(unanswered(&store, EmpresaId(Uuid::new_v4()), ever()).await, []);
    let expired = store.unanswered_quotes(empresa, ever(), day(31), None, ALL).await.expect("read");
    assert_eq!(expired, []);
}

pub async fn quotes_are_paged_within_their_time(store: Arc<dyn Store>) {
    let empresa = company(&store, a_lead(&store).await).await;
    let mut all = Vec::new();
    for at in [10, 20, 20, 30, 40] {
        all.push(issued(&store, t(at)).await);
    }
    all.sort_by_key(|quote| (quote.emitido_en, quote.id));
    let stretch = Stretch { since: t(20), until: t(30), ..ever() };
    let mut walked = Vec::new();
    loop {
        let after = walked.last().copied();
        let page = store.unanswered_quotes(empresa, stretch, TODAY, after, 2).await.expect("a page");
        if page.is_empty() {
            break;
        }
        walked.extend(page);
    }
    assert_eq!(walked, all[1..4]);
}

/// A lead that came by this channel.
async fn came_by(store: &Arc<dyn Store>, canal: Option<CanalOrigen>, at: Timestamp) -> QuietLead {
    let perfil = Perfil { canal_origen: canal, ..Perfil::default() };
    let id = create(store, CreateLead { perfil, at, ..new_lead("Ana García") }).await;
    QuietLead { id, creado_en: at }
}

pub async fn a_quiet_lead_of_the_form_is_found(store: Arc<dyn Store>) {
    let empresa = company(&store, a_lead(&store).await).await;
    let form = Some(CanalOrigen::WebForm);
    came_by(&store, None, t(5)).await;
    came_by(&store, form, t(4)).await;
    let mut quiet = [came_by(&store, form, t(5)).await, came_by(&store, form, t(7)).await];
    quiet.sort_by_key(|lead| (lead.creado_en, lead.id));
    let spoke = came_by(&store, form, t(6)).await.id;
    store.append_turno(turno(spoke, "hola", t(6))).await.expect("the client writes");
    let complete = came_by(&store, form, t(6)).await.id;
    store
        .record_event(record_event(complete, event(EventKind::PerfilComplete, t(6))))
        .await
        .expect("complete");
    let reminded = came_by(&store, form, t(6)).await.id;
    make(&store, reminded, job(JobKind::Reminder), t(9)).await;
    let stretch = Stretch { since: t(5), until: t(7), reminded_before: t(8) };
    let first = store.quiet_leads(empresa, stretch, None, 1).await.expect("read");
    assert_eq!(first, quiet[..1]);
    assert_eq!(store.quiet_leads(empresa, stretch, Some(first[0]), ALL).await.expect("read"), quiet[1..]);
    assert_eq!(store.quiet_leads(empresa, stretch, Some(quiet[1]), ALL).await.expect("read"), []);
}

/// The job and the note that the reminder was made are one transaction, whichever process plans it.
pub async fn a_reminder_is_planned_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let planned = RecordEvent {
        idempotency: Some(key("recordatorio 1", "un presupuesto", 0, t(1))),
        ..only_jobs(lead, Vec::new(), t(1))
    };
    let is_done = |n: i64| store.was_done("recordatorio 1".into(), "un presupuesto".into(), t(n));
    assert!(!is_done(1).await.expect("read"));
    let mut racers = JoinSet::new();
    for _ in 0..8 {
        let (store, command) = (store.clone(), planned.clone());
        let command = RecordEvent { jobs: vec![job(JobKind::Reminder)], ..command };
        racers.spawn(async move { store.record_event(command).await.expect("planned") });
    }
    let ends = racers.join_all().await;
    assert_eq!(ends.iter().filter(|end| **end == Done::Now).count(), 1);
    assert_eq!(own(&store, lead).await.len(), 1);
    assert!(is_done(1).await.expect("read") && is_done(100).await.expect("read"));
    assert!(!is_done(101).await.expect("read"), "the key is free again");
    assert!(!store.was_done("recordatorio 2".into(), "un presupuesto".into(), t(1)).await.expect("read"));
}

pub async fn the_ledger_is_in_order(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(store.consentimientos(lead).await.expect("read"), vec![]);
    let said = |granted| Consentimiento {
        purpose: "recordatorios".into(),
        channel: Some("email".into()),
        texto_version: "1".into(),
        source: None,
        granted,
        otorgado_en: Some(t(9)),
    };
    let all = vec![said(true), said(false), said(true)];
    store.record_consentimientos(lead, all[..2].to_vec(), t(1)).await.expect("recorded");
    store.record_consentimientos(lead, all[2..].to_vec(), t(2)).await.expect("recorded");
    assert_eq!(store.consentimientos(lead).await.expect("read"), all);
}
