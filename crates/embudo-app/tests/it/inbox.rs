//! The inbox follows what is written, announces changes, and is rebuilt after a crash.

use embudo_app::{ChangeStream, Changed, Pace};
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::etapa::Etapa;
use embudo_domain::lead::NewLead;
use embudo_domain::next_action::ActionKind;
use embudo_domain::{Body as _, LeadId, TurnoId, UserId};
use embudo_store::inbox::{InboxFilter, InboxRow, InboxSort, PageStart, Reading, Viewer};
use embudo_store::lead_writes::AppendTurno;
use embudo_testkit::{PATIENCE, TestApp, both_engines};
use futures_util::TryStreamExt;
use serde_json::json;
use uuid::Uuid;

use crate::stage::Stage;

both_engines!(
    a_lead_appears_by_itself_and_is_told_of,
    what_was_written_before_the_start_is_shown,
    an_export_has_every_row_once,
    imported_leads_are_not_to_be_contacted,
);

fn viewer(s: &TestApp) -> Viewer {
    Viewer { who: UserId(Uuid::new_v4()), empresas: vec![s.empresa.id] }
}

pub async fn says(s: &TestApp, lead: LeadId, mensaje: &str) {
    let turno = Turno {
        rol: Rol::User,
        mensaje: mensaje.to_owned(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    let (id, at) = (TurnoId(s.app.id()), s.app.now());
    s.app.store.append_turno(AppendTurno { id, lead, turno, at, idempotency: None }).await.unwrap();
}

/// The next change that is about this lead.
async fn told_of(changes: &mut ChangeStream, lead: LeadId) {
    let told = async {
        while !matches!(changes.next().await.unwrap(), Changed::Lead(change) if change.lead == lead) {}
    };
    tokio::time::timeout(PATIENCE, told).await.expect("told in time");
}

async fn a_lead_appears_by_itself_and_is_told_of(s: Stage) {
    let chores = s.app.housekeeping().start_chores(Pace::default());
    let mut changes = s.app.changes().subscribe();
    let lead = s.new_lead().await;
    told_of(&mut changes, lead).await;
    let viewer = viewer(&s);
    let list = || {
        s.app.store.inbox(
            &viewer,
            InboxFilter::default(),
            InboxSort::NextAction(s.app.now()),
            PageStart::Start,
            Reading::rows(10),
        )
    };
    let row = list().await.unwrap().rows.remove(0);
    let next = |row: &InboxRow| row.next_action(s.app.now()).map(|action| action.kind);
    assert_eq!((row.summary.lead.id, row.etapa), (lead, Etapa::Nuevo));
    assert_eq!(next(&row), Some(ActionKind::Contact));
    says(&s, lead, "¿Cuándo pueden venir?").await;
    told_of(&mut changes, lead).await;
    let row = list().await.unwrap().rows.remove(0);
    assert_eq!(row.etapa, Etapa::EnConversacion);
    assert_eq!(next(&row), Some(ActionKind::Answer));
    s.ingest(lead, json!({ "perfilCompleto": true })).await;
    told_of(&mut changes, lead).await;
    chores.iter().for_each(tokio::task::JoinHandle::abort);
}

/// A process died after it wrote the lead and before it projected it.
async fn what_was_written_before_the_start_is_shown(s: Stage) {
    let lead = s.new_lead().await;
    drop(s.app.store.touches().take());
    let viewer = viewer(&s);
    let list = || {
        s.app.store.inbox(
            &viewer,
            InboxFilter::default(),
            InboxSort::Activity,
            PageStart::Start,
            Reading::rows(10),
        )
    };
    assert!(list().await.unwrap().rows.is_empty());
    assert_eq!(s.app.housekeeping().rebuild_inbox().await.unwrap(), 1);
    assert_eq!(list().await.unwrap().rows.remove(0).summary.lead.id, lead);
    assert_eq!(s.app.housekeeping().catch_up().await.unwrap(), 0);
    s.clock.advance(jiff::SignedDuration::from_secs(1));
    says(&s, lead, "hola").await;
    drop(s.app.store.touches().take());
    assert_eq!(s.app.housekeeping().catch_up().await.unwrap(), 1);
    assert_eq!(s.app.housekeeping().catch_up().await.unwrap(), 0);
    let found = s.app.inbox().search(&viewer, "hola").await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(s.app.inbox().search(&viewer, "  ").await.unwrap().hits.is_empty());
}

async fn an_export_has_every_row_once(s: Stage) {
    for _ in 0..3 {
        s.new_lead().await;
    }
    s.app.housekeeping().project_touched().await.unwrap();
    let export = s.app.inbox().export(viewer(&s), InboxFilter::default(), InboxSort::Created);
    let chunks: Vec<_> = export.try_collect().await.unwrap();
    let rows: Vec<_> = chunks.into_iter().flatten().map(|row| row.summary.lead.id).collect();
    assert_eq!(rows.len(), 3);
    let nobody = Viewer { who: UserId(Uuid::nil()), empresas: vec![] };
    let export = s.app.inbox().export(nobody, InboxFilter::default(), InboxSort::Created);
    assert!(export.try_collect::<Vec<_>>().await.unwrap().into_iter().flatten().next().is_none());
}

/// Thousands of imported leads in the list would hide the leads that have just come in.
async fn imported_leads_are_not_to_be_contacted(s: Stage) {
    let body = json!({ "nombre": "Ana", "telefono": "612345678", "email": "ana@ejemplo.es" });
    let mut new = NewLead::read(body.to_string().as_bytes()).unwrap();
    new.empresa = Some(s.empresa.id);
    let known = s.app.leads().import(new).await.unwrap();
    let fresh = s.new_lead().await;
    s.app.housekeeping().project_touched().await.unwrap();
    let rows = s.app.store.inbox_rows(&viewer(&s), vec![known, fresh]).await.unwrap();
    let kind = |lead| {
        let row = rows.iter().find(|row| row.summary.lead.id == lead).unwrap();
        row.next_action(s.app.now()).map(|action| action.kind)
    };
    assert_eq!(kind(known), Some(ActionKind::WaitBot));
    assert_eq!(kind(fresh), Some(ActionKind::Contact));
}
