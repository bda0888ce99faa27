//! `POST /api/leads/:id/perfil` (contract §2.3).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::perfil::PerfilPatch;
use embudo_store::Outcome;
use embudo_store::lead_writes::UpdatePerfil;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::{HttpState, answer};

pub(crate) async fn update(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<PerfilPatch>,
) -> Result<Response, Problem> {
    let PerfilPatch { perfil, sent } = body.value;
    let at = state.app.now();
    let outcome = Outcome::PerfilUpdated { updated: sent.into_iter().map(Into::into).collect() };
    let idempotency = body.key.map(|key| key.with(outcome.clone(), Vec::new(), at));
    let command = UpdatePerfil {
        lead: lead.open_to(&key, &state).await?,
        perfil,
        m2_is_estimate: false,
        at,
        idempotency,
    };
    Ok(answer::of_call(&CallEnd::of(state.app.store.update_perfil(command).await?, outcome)))
}
