//! People who look at leads, and the projector run by hand.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::empresa::Empresa;
use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::ActionKind;
use embudo_domain::nota::NotaInterna;
use embudo_domain::search::Asked;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::Store;
use embudo_store::inbox::{Found, InboxFilter, InboxPage, InboxRow, InboxSort, PageStart, Reading, Viewer};
use embudo_store::touches::Touch;
use uuid::Uuid;

use super::access::entry;
use super::{empresa, t};

/// A person of these companies.
pub fn viewer(empresas: &[&Empresa]) -> Viewer {
    Viewer { who: UserId(Uuid::new_v4()), empresas: empresas.iter().map(|empresa| empresa.id).collect() }
}

/// A person who may see every company.
pub async fn anyone(store: &Arc<dyn Store>) -> Viewer {
    let empresas = store.list_empresas().await.expect("a list");
    viewer(&empresas.iter().collect::<Vec<_>>())
}

/// A second company, and a person of it.
pub async fn other_company(store: &Arc<dyn Store>) -> (Empresa, Viewer) {
    let other = empresa("Reformas Dos");
    store.create_empresa(other.clone(), t(0)).await.expect("created");
    let viewer = viewer(&[&other]);
    (other, viewer)
}

/// The entry for the audit log about a change of leads.
pub fn audit_entry() -> AuditEntry {
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

/// A moment long after everything that a case does: every action that has a due time is due.
pub const LATE: Timestamp = Timestamp::constant(2_000_000_000, 0);

/// The next action at [`LATE`], and when it is due; `None` if the lead needs no action.
pub fn next(row: &InboxRow) -> Option<(ActionKind, Option<Timestamp>)> {
    row.next_action(LATE).map(|action| (action.kind, action.due))
}

pub async fn page(
    store: &Arc<dyn Store>,
    viewer: &Viewer,
    filter: &InboxFilter,
    sort: InboxSort,
    from: PageStart,
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
    ids(&page(store, viewer, &filter, sort, PageStart::Start, 1000).await.rows)
}

/// What a search finds without a tight limit of time.
pub async fn found(store: &Arc<dyn Store>, viewer: &Viewer, text: &str) -> Found {
    let asked = Asked::parse(text).expect("something is asked for");
    store.search(viewer, asked, Duration::from_secs(60)).await.expect("searched")
}

/// Checks a database that was migrated from version 21: every lead is listed at once, and has its action once it is
/// projected anew, which the migration asks for. `new` was created shortly before, `known` long ago and nothing
/// happened to it since, `visited` has a visit.
pub async fn leads_of_version_21_get_their_action(
    store: &Arc<dyn Store>,
    [new, known, visited]: [LeadId; 3],
) {
    let viewer = anyone(store).await;
    let mut before = listed(store, &viewer, InboxFilter::default(), InboxSort::NextAction(LATE)).await;
    before.sort();
    let mut all = vec![new, known, visited];
    all.sort();
    assert_eq!(before, all);
    let (now, visit) = (Timestamp::now(), next(&row(store, &viewer, visited).await));
    assert_eq!(visit.map(|(kind, _)| kind), Some(ActionKind::WaitVisit), "its word is known");
    assert!(store.tail(now).await.expect("read").is_first, "everything is projected anew");
    let leads = store.leads_after(None, 10).await.expect("a list");
    store.project(leads.into_iter().map(|lead| (lead, Touch::anew())).collect()).await.expect("projected");
    let kind = async |lead| next(&row(store, &viewer, lead).await).map(|(kind, _)| kind);
    assert_eq!(kind(new).await, Some(ActionKind::Contact));
    assert_eq!(kind(known).await, Some(ActionKind::WaitBot), "it is taken for an imported one");
    let order = listed(store, &viewer, InboxFilter::default(), InboxSort::NextAction(LATE)).await;
    assert_eq!(order[0], new);
}
