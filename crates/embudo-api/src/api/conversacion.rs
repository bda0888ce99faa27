//! `POST /api/leads/:id/conversacion` (contract §2.2).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::TurnoId;
use embudo_domain::conversacion::Turno;
use embudo_store::Outcome;
use embudo_store::lead_writes::AppendTurno;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::{HttpState, answer};

pub(crate) async fn append(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<Turno>,
) -> Result<Response, Problem> {
    let (id, at) = (TurnoId(state.app.id()), state.app.now());
    let outcome = Outcome::TurnoAppended { id };
    let idempotency = body.key.map(|key| key.with(outcome.clone(), Vec::new(), at));
    let command =
        AppendTurno { id, lead: lead.open_to(&key, &state).await?, turno: body.value, at, idempotency };
    Ok(answer::of_call(&CallEnd::of(state.app.store.append_turno(command).await?, outcome)))
}
