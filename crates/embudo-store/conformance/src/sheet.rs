//! A lead's page: its data, its timeline in pages, and edits that overwrite nobody else's change.

use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::event::EventKind;
use embudo_domain::facts::Facts;
use embudo_domain::job::JobKind;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{EstadoWa, Perfil, Urgencia};
use embudo_domain::timeline::{Moment, MomentKind};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::edited::Edited;
use embudo_store::lead_edits::EditLead;
use embudo_store::lead_writes::{Ingest, UpsertCalificacion};
use embudo_store::leads::CreateLead;
use embudo_store::sheet::{TimelineEntry, TimelinePage};

use super::data::access::entry;
use super::data::outbox::{job, only_jobs};
use super::data::{
    a_lead, event, foto, ingesta, intento, long_text, new_lead, nobody, nota, obra_completa, perfil,
    perfil_full, record, record_event, t, turno,
};

async fn page(store: &Arc<dyn Store>, lead: LeadId, asked: TimelinePage) -> Vec<TimelineEntry> {
    store.timeline(vec![lead], asked).await.expect("a page")
}

fn all(limit: u32) -> TimelinePage {
    TimelinePage { kinds: MomentKind::all().collect(), before: None, limit }
}

/// A lead with data of every kind, some of it at the same instant.
async fn a_busy_lead(store: &Arc<dyn Store>) -> LeadId {
    let lead = a_lead(store).await;
    for n in 0..7 {
        let mut turno = turno(lead, &format!("mensaje {n}"), t(10 + n / 3));
        turno.turno.estado_wa = (n % 2 == 0).then_some(EstadoWa::Leido);
        store.append_turno(turno).await.expect("appended");
        store.record_intento(intento(lead, n + 1, t(11))).await.expect("recorded");
        store.record_event(record_event(lead, event(EventKind::Mensajeria, t(11)))).await.expect("recorded");
    }
    let notas = vec![nota("una", None), nota("dos", None)];
    let items = Ingest { notas, ..ingesta(lead, vec![foto(), foto()], t(12)) };
    store.ingest(items).await.expect("saved");
    let jobs = vec![job(JobKind::Mensajeria), job(JobKind::Mensajeria)];
    store.record_event(only_jobs(lead, jobs, t(11))).await.expect("recorded");
    lead
}

/// A lead's sheet shows the same as its record, without the chat.
pub async fn a_sheet_shows_what_the_record_does(store: Arc<dyn Store>) {
    let lead = a_busy_lead(&store).await;
    let calificacion = Calificacion { score: Some(82), ..Calificacion::default() };
    let command = UpsertCalificacion { lead, calificacion, at: t(20), idempotency: None };
    store.upsert_calificacion(command).await.expect("written");
    let (sheet, record) = (store.sheet(lead).await.expect("a sheet"), record(&store, lead).await);
    assert_eq!(sheet.lead, record.lead);
    assert_eq!((sheet.calificacion, sheet.fotos), (record.calificacion, record.fotos));
    assert_eq!((sheet.last_written, sheet.last_call), (Some(t(12)), 7));
    assert_eq!(store.lead(lead).await.expect("a lead").id, lead);
    let bare = a_lead(&store).await;
    let sheet = store.sheet(bare).await.expect("a sheet");
    assert_eq!((sheet.last_written, sheet.last_call), (None, 0));
}

/// Pages of any size show every entry once, in one order, even if many share an instant.
pub async fn pages_of_the_line_cover_everything_once(store: Arc<dyn Store>) {
    let lead = a_busy_lead(&store).await;
    let whole = page(&store, lead, all(1_000)).await;
    // Turns, states, attempts, events, notes, jobs, and the two photos as one.
    assert_eq!(whole.len(), 7 + 4 + 7 + 7 + 2 + 2 + 1);
    assert!(whole.iter().all(|entry| entry.cursor.at == entry.moment.at()));
    for limit in [1, 2, 3, 10] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let part = page(&store, lead, TimelinePage { before, ..all(limit) }).await;
            assert!(part.len() <= limit as usize);
            let Some(last) = part.last() else { break };
            before = Some(last.cursor);
            seen.extend(part);
        }
        assert_eq!(seen, whole, "{limit} at a time");
    }
    let kinds = vec![MomentKind::Turno];
    let turns = page(&store, lead, TimelinePage { kinds, ..all(3) }).await;
    let said = turns.iter().map(|entry| match &entry.moment {
        Moment::Turno(turno) => turno.mensaje.as_str(),
        other => panic!("not asked for: {other:?}"),
    });
    assert_eq!(said.collect::<Vec<_>>(), ["mensaje 6", "mensaje 5", "mensaje 4"]);
}

/// Several leads have one common timeline; pages of any size show all entries of all of them once.
pub async fn several_leads_have_one_line(store: Arc<dyn Store>) {
    let leads = vec![a_busy_lead(&store).await, a_busy_lead(&store).await, a_lead(&store).await];
    let asked = |before, limit| store.timeline(leads.clone(), TimelinePage { before, ..all(limit) });
    let whole = asked(None, 1_000).await.expect("a page");
    let mut apart = 0;
    for lead in &leads {
        let own = page(&store, *lead, all(1_000)).await;
        let of_it: Vec<_> = whole.iter().filter(|entry| entry.cursor.lead == *lead).cloned().collect();
        assert_eq!(of_it, own, "each in its own order");
        apart += own.len();
    }
    assert_eq!(whole.len(), apart);
    assert!(whole.is_sorted_by_key(|entry| std::cmp::Reverse(entry.cursor.at)));
    for limit in [1, 3, 10] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let part = asked(before, limit).await.expect("a page");
            let Some(last) = part.last() else { break };
            before = Some(last.cursor);
            seen.extend(part);
        }
        assert_eq!(seen, whole, "{limit} at a time");
    }
}

/// The timeline shows only the beginning of a very long text.
pub async fn long_texts_are_cut(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.append_turno(turno(lead, &long_text(100_000), t(1))).await.expect("appended");
    let entries = page(&store, lead, all(10)).await;
    let Moment::Turno(turno) = &entries[0].moment else { panic!("{entries:?}") };
    assert_eq!(turno.mensaje.chars().count(), 16_001);
}

fn edit(lead: LeadId, seen: &Facts, change: impl FnOnce(&mut Facts)) -> EditLead {
    let mut edited = seen.clone();
    change(&mut edited);
    let audit = embudo_domain::audit::AuditEntry { action: AuditAction::LeadChanged, ..entry(None, 50) };
    EditLead { lead, seen: seen.clone(), edited, audit, at: t(50) }
}

async fn facts(store: &Arc<dyn Store>, lead: LeadId) -> Facts {
    Facts::of(&store.lead(lead).await.expect("a lead"))
}

/// Every field can be changed and cleared; changes of states are in the history, and the edit has its entry in the
/// audit log.
pub async fn an_edit_changes_and_clears(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let seen = facts(&store, lead).await;
    let full = edit(lead, &seen, |facts| {
        facts.nombre = "Begoña Núñez".into();
        facts.provincia = Some("Cuenca".into());
        facts.perfil = perfil_full(3);
        facts.obra = obra_completa();
    });
    assert_eq!(store.edit_lead(full.clone()).await.expect("edited"), Edited::Saved);
    assert_eq!(facts(&store, lead).await, full.edited);
    assert_eq!(store.lead(lead).await.expect("a lead").actualizado_en, t(50));
    assert_eq!(store.history(lead).await.expect("a history").len(), 2, "both states were given a value");
    let filter = embudo_store::leads::LeadFilter { text: Some("begona".into()), ..Default::default() };
    assert_eq!(store.list_leads(filter, None, 10).await.expect("a list").len(), 1, "found by the new name");

    let cleared = edit(lead, &full.edited, |facts| {
        facts.provincia = None;
        facts.perfil = Perfil::default();
        facts.obra = Obra::default();
    });
    let cleared = EditLead { audit: entry(None, 51), ..cleared };
    assert_eq!(store.edit_lead(cleared.clone()).await.expect("edited"), Edited::Saved);
    assert_eq!(facts(&store, lead).await, cleared.edited);
    let log = store.audit_log(AuditFilter::default(), None, 10).await.expect("a log");
    assert_eq!(log.len(), 2);
    assert!(log[0].before.as_deref().is_some_and(|before| before.starts_with("provincia: Cuenca")));
    assert!(log[0].after.as_deref().is_some_and(|after| after.starts_with("provincia: —")));
    assert_eq!(store.edit_lead(cleared).await.expect("the same again"), Edited::Same);
}

/// A field that another person changed since is not overwritten, and the whole edit is refused; an edit of other fields
/// is saved.
pub async fn a_stale_edit_writes_nothing(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let seen = facts(&store, lead).await;
    let other = Perfil { urgencia: Some(Urgencia::Alta), ..Perfil::default() };
    store.update_perfil(perfil(lead, other, t(2))).await.expect("written");
    let stale = edit(lead, &seen, |facts| {
        facts.perfil.urgencia = Some(Urgencia::Baja);
        facts.nombre = "Otra".into();
    });
    let before = record(&store, lead).await;
    assert_eq!(store.edit_lead(stale).await.expect("an answer"), Edited::Stale);
    assert_eq!(record(&store, lead).await, before);
    assert_eq!(store.audit_log(AuditFilter::default(), None, 10).await.expect("a log"), []);
    let beside = edit(lead, &seen, |facts| facts.nombre = "Otra".into());
    assert_eq!(store.edit_lead(beside).await.expect("edited"), Edited::Saved);
    let now = facts(&store, lead).await;
    assert_eq!((now.nombre.as_str(), now.perfil.urgencia), ("Otra", Some(Urgencia::Alta)));
}

/// A lead that does not exist has no page.
pub async fn an_unknown_lead_has_no_page(store: Arc<dyn Store>) {
    let CreateLead { id, .. } = new_lead("Nadie");
    let lead = a_lead(&store).await;
    let seen = facts(&store, lead).await;
    assert_fails!(store.lead(id).await, LeadNotFound);
    assert_fails!(store.sheet(nobody()).await, LeadNotFound);
    assert_fails!(
        store.edit_lead(edit(nobody(), &seen, |facts| facts.nombre = "X".into())).await,
        LeadNotFound
    );
    assert_eq!(page(&store, nobody(), all(10)).await, []);
}
