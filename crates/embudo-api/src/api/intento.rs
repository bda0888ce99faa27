//! `POST /api/leads/:id/intento` (contract §2.5).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::IntentoId;
use embudo_domain::intento::Intento;
use embudo_store::Outcome;
use embudo_store::lead_writes::RecordIntento;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::{HttpState, answer};

pub(crate) async fn record(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<Intento>,
) -> Result<Response, Problem> {
    let (id, at) = (IntentoId(state.app.id()), state.app.now());
    let outcome = Outcome::IntentoRecorded { id };
    let idempotency = body.key.map(|key| key.with(outcome.clone(), Vec::new(), at));
    let command =
        RecordIntento { id, lead: lead.open_to(&key, &state).await?, intento: body.value, at, idempotency };
    Ok(answer::of_call(&CallEnd::of(state.app.store.record_intento(command).await?, outcome)))
}
