//! Actions on one job of the outbox, or on a whole destination. Each one is a plain form, answered with a redirect to
//! the page of the job or to the list.

use axum::extract::{Path, Request, State};
use embudo_domain::JobId;
use embudo_domain::job::{Destination, Job};
use http::StatusCode;

use super::super::form_state::FormState;
use super::super::{PanelResult, Signed};
use super::list;
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// The job in the address, if it belongs to one of the person's companies.
async fn own_job(state: &WebState, signed: &Signed, id: &str) -> Result<Job, Refusal> {
    let id = JobId::parse(id).ok_or(Refusal::NotFound)?;
    let job = state.app.store.jobs(vec![id]).await?.pop().ok_or(Refusal::NotFound)?;
    signed.within(job.empresa)?;
    Ok(job)
}

/// Redirects to the job's page, which says what was done, or that the job changed before the action.
fn back(job: JobId, is_done: bool, done: &str) -> PanelResult {
    let what = if is_done { done } else { "tarde" };
    Ok(redirect(&format!("/panel/envios/{job}?hecho={what}")))
}

/// `POST /panel/envios/:id/reintentar`.
pub(in super::super) async fn retry(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let job = own_job(&state, &signed, &id).await?;
    back(job.id, state.app.outbox().retry(&job, &signed.actor()).await?, "reintento")
}

/// `POST /panel/envios/:id/descartar`.
pub(in super::super) async fn discard(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let job = own_job(&state, &signed, &id).await?;
    back(job.id, state.app.outbox().discard(&job, &signed.actor()).await?, "descartado")
}

/// `POST /panel/envios/:id/dar-por-enviado`.
pub(in super::super) async fn take_as_sent(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let job = own_job(&state, &signed, &id).await?;
    back(job.id, state.app.outbox().take_as_sent(&job, &signed.actor()).await?, "enviado")
}

/// `POST /panel/envios/:id/repetir`: sends the job again and redirects to the new job.
pub(in super::super) async fn repeat(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let job = own_job(&state, &signed, &id).await?;
    match state.app.outbox().repeat(&job, &signed.actor()).await? {
        Some(new) => back(new, true, "repetido"),
        None => back(job.id, false, "repetido"),
    }
}

/// `POST /panel/envios/destinos`: pauses a destination, or resumes it.
pub(in super::super) async fn set_destination(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let fields = fields_of(&state, request).await?;
    let destination = Destination::parse(&fields.text("destino"));
    let (desk, actor) = (state.app.outbox(), signed.actor());
    match (destination, fields.text("accion").as_str()) {
        (Some(destination), "pausar") => {
            desk.pause(empresa, destination, &actor).await?;
            Ok(redirect("/panel/envios?hecho=pausa"))
        }
        (Some(destination), "reanudar") => {
            desk.resume(empresa, destination, &actor).await?;
            Ok(redirect("/panel/envios?hecho=reanudado"))
        }
        _ => {
            let form = FormState::wrong("", "Elige qué destino quieres pausar o reanudar.");
            list::page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, &FormFields::default()).await
        }
    }
}
