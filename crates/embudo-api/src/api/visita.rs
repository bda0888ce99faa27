//! `GET /api/leads/:id/visita` (contract §3): a lead's visit, and the hours that are left for it.

use axum::extract::State;
use axum::response::Response;

use crate::extract::{Authorized, LeadInPath};
use crate::problem::Problem;
use crate::views::visit::OfferView;
use crate::{HttpState, answer};

pub(crate) async fn show(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
) -> Result<Response, Problem> {
    let offer = state.app.visits().offer(lead.open_to(&key, &state).await?).await?;
    Ok(answer::ok(&OfferView { offer: &offer, app: &state.app }))
}
