//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::lead::{LeadPatch, NewLead};
use embudo_store::leads::UpdateContact;
use embudo_store::{CallKey, StoreError};

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::views::done::Done;
use crate::views::lead::LeadView;
use crate::{HttpState, answer};

pub(crate) async fn create(
    key: Authorized,
    State(state): State<HttpState>,
    body: JsonBody<NewLead>,
) -> Result<Response, Problem> {
    let (mut new, mut call) = (body.value, body.key);
    if let Some(own) = key.empresa {
        if new.empresa.is_some_and(|named| named != own) {
            return Err(StoreError::EmpresaNotFound.into());
        }
        new.empresa = Some(own);
        // The same Idempotency-Key used by another company is another call.
        call = call.map(|call| CallKey { scope: format!("{} {own}", call.scope), ..call });
    }
    Ok(answer::of_call(&state.app.leads().create(new, call).await?))
}

pub(crate) async fn show(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
) -> Result<Response, Problem> {
    let record = state.app.store.record(lead.open_to(&key, &state).await?).await?;
    let attention = state.app.store.attention(record.lead.id, state.app.now()).await?;
    Ok(answer::ok(&LeadView { record: &record, attention: attention.as_ref(), app: &state.app }))
}

pub(crate) async fn update_contact(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<LeadPatch>,
) -> Result<Response, Problem> {
    let LeadPatch { contact: patch, obra } = body.value;
    let command = UpdateContact {
        lead: lead.open_to(&key, &state).await?,
        patch,
        obra: obra.into(),
        through: None,
        at: state.app.now(),
    };
    state.app.store.update_contact(command).await?;
    Ok(answer::ok(&Done {}))
}
