//! `/panel/leads/:id` and `/panel/leads/nuevo`: everything about one lead, and a new one.
//!
//! What is shown and what is done goes through the same reads and use cases as the API; whoever only reads sees all and no button.
//! What is edited carries what its form was made from, so that nobody overwrites another unseen.

pub(super) mod actions;
mod album;
mod cards;
pub(super) mod create;
pub(super) mod desk;
mod desk_forms;
mod desk_view;
pub(super) mod edit;
mod fact_views;
pub(super) mod facts;
pub(super) mod files;
mod head;
mod lines;
mod near_visit;
pub(super) mod notas;
pub(super) mod persona;
pub(super) mod progress;
mod progress_view;
pub(super) mod reply;
mod reply_view;
pub(super) mod show;
mod shown;
mod timeline;
mod union;
mod union_views;
pub(super) mod unite;
pub(super) mod upload;
mod view;
pub(super) mod words;
pub(super) mod work;

use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::role::Role;
use embudo_store::CallKey;
use embudo_store::inbox::Viewer;
use jiff::SignedDuration;
use uuid::Uuid;

use super::Signed;
use crate::WebState;
use crate::parts::{FormFields, Refusal};

/// A lead of one of the person's companies, if they may do as much there. That they look is written down.
async fn open(state: &WebState, signed: &Signed, id: &str, role: Role) -> Result<Lead, Refusal> {
    let id = LeadId::parse(id).ok_or(Refusal::NotFound)?;
    let lead = state.app.store.lead(id).await?;
    signed.within(lead.empresa.id, role)?;
    signed.looks_at(state, id).await;
    Ok(lead)
}

/// Whoever looks at a lead: they see its company.
fn viewer(signed: &Signed, lead: &Lead) -> Viewer {
    Viewer { who: signed.open.user.id, empresas: vec![lead.empresa.id] }
}

/// The number of a page's buttons. `None`: the form came with no page of ours.
fn once(fields: &FormFields) -> Option<Uuid> {
    Uuid::try_parse(fields.raw("vez")).ok()
}

/// The key of a button that was pressed on something, `of`: pressed twice it is one press. A number that a page of something else got names
/// another press.
pub(super) fn press(fields: &FormFields, what: &str, of: Uuid) -> Option<CallKey> {
    let (scope, key) = (format!("panel {what} {of}"), once(fields)?.to_string());
    Some(CallKey { scope, key, cuerpo_sha256: [0; 32], life: SignedDuration::from_hours(24) })
}
