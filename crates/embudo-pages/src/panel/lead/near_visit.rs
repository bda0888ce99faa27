//! The label of a near visit, in the head of the lead's page.

use embudo_domain::Timestamp;
use embudo_domain::visita::NEAR;
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::{UpcomingVisit, Viewer};

use crate::WebState;
use crate::parts::Refusal;

/// «hoy 16:00», if this lead or a lead united with it has a visit soon. The store names such a visit by the principal
/// lead.
pub(super) async fn of(
    state: &WebState,
    viewer: &Viewer,
    desk: &LeadDesk,
    now: Timestamp,
) -> Result<Option<String>, Refusal> {
    let soon = state.app.store.upcoming_visits(viewer, now, now + NEAR).await?;
    let own = |visit: &&UpcomingVisit| visit.lead == desk.lead || Some(visit.lead) == desk.principal;
    let Some(next) = soon.iter().find(own) else { return Ok(None) };
    Ok(Some(state.app.visits().zone(desk.empresa).await?.near(next.start, now)))
}
