//! `POST /panel/leads/:id/fotos`: photos that a person adds.

use axum::extract::Request;

use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::kit::upload::keep_fotos;
use crate::panel::kit::work::OpenLead;

pub(crate) async fn add(open: OpenLead, request: Request) -> PanelResult {
    let form = keep_fotos(&open.state, &open.signed, &open.lead, request).await?;
    if form.is_good() {
        return Ok(open.done("fotos#fotos"));
    }
    // Valid photos were saved. The page reports the others.
    open.mistaken(Shown { form, ..Shown::default() }).await
}
