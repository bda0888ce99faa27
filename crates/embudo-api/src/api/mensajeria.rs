//! `POST /api/leads/:id/mensajeria` (contract §3): the lead chose to go on by messaging.

use axum::extract::State;
use axum::response::Response;
use embudo_domain::body::{Body as FromDomain, Data};
use embudo_domain::schema::Field;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::JsonBody;
use crate::problem::Problem;
use crate::{HttpState, answer};

/// The request, which has no fields; its body may be empty.
pub(crate) struct Mensajeria;

impl FromDomain for Mensajeria {
    const FIELD_TABLE: &'static [Field] = &[];
    const MAY_BE_ABSENT: bool = true;

    fn assemble(_: Data) -> Self {
        Self
    }
}

pub(crate) async fn start(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<Mensajeria>,
) -> Result<Response, Problem> {
    let lead = lead.open_to(&key, &state).await?;
    // As in `ingesta`: the work has several steps, so it runs in a task of its own and goes on if the client hangs up.
    let app = state.app.clone();
    let job = embudo_trace::spawn(async move { app.leads().start_mensajeria(lead, body.key).await });
    let end = job.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(answer::of_call(&end?))
}
