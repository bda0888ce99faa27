//! `POST /api/leads/:id/calificacion` (contract §2.4).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::calificacion::Calificacion;
use embudo_store::Outcome;
use embudo_store::lead_writes::UpsertCalificacion;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::{HttpState, answer};

pub(crate) async fn upsert(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<Calificacion>,
) -> Result<Response, Problem> {
    let at = state.app.now();
    let outcome = Outcome::Done;
    let idempotency = body.key.map(|key| key.with(outcome.clone(), Vec::new(), at));
    let command = UpsertCalificacion {
        lead: lead.open_to(&key, &state).await?,
        calificacion: body.value,
        at,
        idempotency,
    };
    Ok(answer::of_call(&CallEnd::of(state.app.store.upsert_calificacion(command).await?, outcome)))
}
