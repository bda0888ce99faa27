//! `POST /panel/leads/:id/fotos`: photos that a person adds.

use axum::extract::Request;

use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::kit::upload::keep_fotos;
use crate::panel::kit::work::Work;

pub(crate) async fn add(work: Work, request: Request) -> PanelResult {
    let form = keep_fotos(&work.state, &work.signed, &work.lead, request).await?;
    if form.is_good() {
        return Ok(work.done("fotos#fotos"));
    }
    // What was right is kept.
    work.mistaken(Shown { form, ..Shown::default() }).await
}
