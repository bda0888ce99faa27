//! `GET /panel/leads/:id/fotos/:foto` and `/presupuestos/:numero`: the files of a lead's page, for people of its
//! company.

use axum::extract::{Path, State};
use embudo_app::Size;
use embudo_domain::FotoId;
use embudo_domain::presupuesto::PresupuestoNumber;
use http::Uri;

use crate::WebState;
use crate::panel::kit::papers::{file, pdf_named, pdf_of};
use crate::panel::kit::work::open;
use crate::panel::{PanelResult, Signed};
use crate::parts::Refusal;

/// A rendition of a photo, small with `?mini`. The original file is never served.
pub(crate) async fn foto(
    State(state): State<WebState>,
    signed: Signed,
    Path((id, foto)): Path<(String, String)>,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let foto = FotoId::parse(&foto).ok_or(Refusal::NotFound)?;
    let size = if uri.query() == Some("mini") { Size::Thumbnail } else { Size::Print };
    let bytes = state.app.photos().ready(lead.id, foto, size).await?.map_err(|_| Refusal::NotFound)?;
    Ok(file("image/jpeg", bytes))
}

/// The PDF of a quote. `?aceptado` selects the PDF of the accepted version.
pub(crate) async fn pdf(
    State(state): State<WebState>,
    signed: Signed,
    Path((id, number)): Path<(String, String)>,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let number = PresupuestoNumber::parse(&number).ok_or(Refusal::NotFound)?;
    if uri.query() == Some("aceptado") {
        let bytes = state.app.quotes().accepted_pdf(lead.id, number).await?;
        return Ok(pdf_named(&number.accepted_file_name(), bytes));
    }
    let (_, bytes) = state.app.quotes().pdf(lead.id, number).await?;
    Ok(pdf_of(number, bytes))
}
