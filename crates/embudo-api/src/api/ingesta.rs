//! `POST /api/leads/:id/ingesta` (contract §2.1).

use axum::extract::State;
use axum::response::Response;
use embudo_app::KnownBy;
use embudo_domain::ingesta::Ingesta;

use crate::extract::{Authorized, LeadInPath};
use crate::json_body::{INGESTA, JsonBody};
use crate::problem::Problem;
use crate::{HttpState, answer};

pub(crate) async fn ingest(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    body: JsonBody<Ingesta, INGESTA>,
) -> Result<Response, Problem> {
    let lead = lead.open_to(&key, &state).await?;
    let known_by = match (body.key, body.repeatable) {
        (Some(key), _) => KnownBy::Key(key),
        (None, Some(sha256)) => KnownBy::Bytes(sha256),
        (None, None) => KnownBy::Nothing,
    };
    // If the client hangs up, this handler is dropped. The work has several steps, so it runs in a task of its own and
    // goes on.
    let app = state.app.clone();
    let job = embudo_trace::spawn(async move {
        let end = app.ingesta().ingest_aside(lead, body.value, &body.aside, known_by).await;
        drop(body.permission);
        end
    });
    let end = job.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(answer::of_call(&end?))
}
