//! People who look at leads, and the projector done by hand.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::empresa::Empresa;
use embudo_domain::etapa::Etapa;
use embudo_domain::nota::NotaInterna;
use embudo_domain::search::Asked;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::Store;
use embudo_store::inbox::{Found, From, InboxFilter, InboxPage, InboxRow, InboxSort, Reading, Viewer};
use uuid::Uuid;

use super::access::entry;
use super::{empresa, t};

/// Somebody of these companies.
pub fn viewer(empresas: &[&Empresa]) -> Viewer {
    Viewer { who: UserId(Uuid::new_v4()), empresas: empresas.iter().map(|empresa| empresa.id).collect() }
}

/// Somebody who may see every company.
pub async fn anyone(store: &Arc<dyn Store>) -> Viewer {
    let empresas = store.list_empresas().await.expect("a list");
    viewer(&empresas.iter().collect::<Vec<_>>())
}

/// A second company, and somebody of it.
pub async fn other_company(store: &Arc<dyn Store>) -> (Empresa, Viewer) {
    let other = empresa("Reformas Dos");
    store.create_empresa(other.clone(), t(0)).await.expect("created");
    let viewer = viewer(&[&other]);
    (other, viewer)
}

/// The line of the audit log about something that is done to leads.
pub fn told() -> AuditEntry {
    AuditEntry { action: AuditAction::LeadChanged, ..entry(None, 60) }
}

pub fn nota_interna(viewer: &Viewer, text: &str, at: Timestamp) -> NotaInterna {
    NotaInterna { id: NotaId(Uuid::new_v4()), author: viewer.who, text: text.to_owned(), creada_en: at }
}

/// Projects what was written since the last time.
pub async fn project(store: &Arc<dyn Store>) {
    let taken = store.touches().take();
    let touches = taken.leads.into_iter().filter(|(_, touch)| touch.is_projected()).collect();
    store.project(touches).await.expect("projected");
}

pub async fn etapa(store: &Arc<dyn Store>, lead: LeadId) -> Etapa {
    store.desk(&anyone(store).await, lead).await.expect("the lead exists").etapa
}

/// The lead as the list shows it, after everything is projected.
pub async fn row(store: &Arc<dyn Store>, viewer: &Viewer, lead: LeadId) -> InboxRow {
    project(store).await;
    store.inbox_rows(viewer, vec![lead]).await.expect("a list").pop().expect("the viewer may see it")
}

pub async fn page(
    store: &Arc<dyn Store>,
    viewer: &Viewer,
    filter: &InboxFilter,
    sort: InboxSort,
    from: From,
    limit: u32,
) -> InboxPage {
    store.inbox(viewer, filter.clone(), sort, from, Reading::rows(limit)).await.expect("a page")
}

pub fn ids(rows: &[InboxRow]) -> Vec<LeadId> {
    rows.iter().map(|row| row.summary.lead.id).collect()
}

/// All leads of a list.
pub async fn listed(
    store: &Arc<dyn Store>,
    viewer: &Viewer,
    filter: InboxFilter,
    sort: InboxSort,
) -> Vec<LeadId> {
    ids(&page(store, viewer, &filter, sort, From::Start, 1000).await.rows)
}

/// What a search finds when it has all the time it wants.
pub async fn found(store: &Arc<dyn Store>, viewer: &Viewer, text: &str) -> Found {
    let asked = Asked::parse(text).expect("something is asked for");
    store.search(viewer, asked, Duration::from_secs(60)).await.expect("searched")
}
