//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::lead::{ContactPatch, NewLead};
use embudo_store::leads::UpdateContact;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::views::done::Done;
use crate::views::lead::LeadView;
use crate::{HttpState, answer};

pub(crate) async fn create(
    _: Authorized,
    State(state): State<HttpState>,
    body: JsonBody<NewLead>,
) -> Result<Response, Problem> {
    Ok(answer::of_call(&state.app.leads().create(body.value, body.key).await?))
}

pub(crate) async fn show(
    _: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
) -> Result<Response, Problem> {
    let record = state.app.store.record(lead.exists()?).await?;
    Ok(answer::ok(&LeadView { record: &record, app: &state.app }))
}

pub(crate) async fn update_contact(
    _: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<ContactPatch>,
) -> Result<Response, Problem> {
    let command = UpdateContact { lead: lead.exists()?, patch: body.value, at: state.app.now() };
    state.app.store.update_contact(command).await?;
    Ok(answer::ok(&Done {}))
}
