//! What people add on a visit besides measurements: photos, and internal notes about the lead.

use axum::extract::Request;
use http::StatusCode;

use super::show::render;
use super::shown::Shown;
use super::{OpenVisita, PostedVisita};
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::upload::keep_fotos;
use crate::panel::kit::work::{nota_mistake, once, viewer};

/// `POST /panel/visitas/:id/fotos`.
pub(crate) async fn add_fotos(open: OpenVisita, request: Request) -> PanelResult {
    open.can_add()?;
    let form = keep_fotos(&open.state, &open.signed, &open.lead, request).await?;
    if form.is_good() {
        return Ok(open.done("fotos#fotos"));
    }
    // Valid photos were saved. The page reports the others.
    render(&open, StatusCode::UNPROCESSABLE_ENTITY, Shown { form, ..Shown::default() }).await
}

/// `POST /panel/visitas/:id/notas`.
pub(crate) async fn add_nota(posted: PostedVisita) -> PanelResult {
    let open = &posted.open;
    let Some(once) = once(&posted.fields) else {
        return posted.wrong(FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.")).await;
    };
    let text = posted.fields.text("nota");
    if let Some(mistake) = nota_mistake(&text) {
        return posted.wrong(FormState::wrong("nota", mistake)).await;
    }
    let (viewer, actor) = (viewer(&open.signed, &open.lead), open.signed.actor());
    open.state.app.desk().add_nota(&viewer, &open.lead, once, text, &actor).await?;
    Ok(open.done("nota#nota-interna"))
}
