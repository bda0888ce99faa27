//! `/panel/leads/:id` and `/panel/leads/nuevo`: everything about one lead, and a new one.
//!
//! What is shown and what is done goes through the same reads and use cases as the API; whoever only reads sees all and no button.
//! What is edited carries what its form was made from, so that nobody overwrites another unseen.

pub(super) mod actions;
mod album;
pub(super) mod create;
pub(super) mod edit;
mod facts;
pub(super) mod files;
pub(super) mod show;
mod timeline;
pub(super) mod upload;
mod view;
mod words;

use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::role::Role;
use embudo_store::CallKey;
use jiff::SignedDuration;

use super::Signed;
use crate::WebState;
use crate::parts::{FormFields, Refusal};

/// A lead of one of the person's companies, if they may do as much there.
async fn open(state: &WebState, signed: &Signed, id: &str, role: Role) -> Result<Lead, Refusal> {
    let id = LeadId::parse(id).ok_or(Refusal::NotFound)?;
    let lead = state.app.store.lead(id).await?;
    signed.within(lead.empresa.id, role)?;
    Ok(lead)
}

/// The key of a button that was pressed: pressed twice it is one press. `None`: it came with no page of ours.
fn press(fields: &FormFields, what: &str) -> Option<CallKey> {
    let once = uuid::Uuid::try_parse(fields.raw("vez")).ok()?;
    let life = SignedDuration::from_hours(24);
    Some(CallKey { scope: format!("panel {what}"), key: once.to_string(), cuerpo_sha256: [0; 32], life })
}
