//! `GET /api/leads/:id/presupuestos` and `…/:n.pdf` (contract §3): the content of a lead's quotes, and a quote's PDF,
//! byte for byte as it was sent.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use embudo_domain::presupuesto::PresupuestoNumber;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG};

use crate::extract::{Authorized, LeadInPath};
use crate::problem::Problem;
use crate::views::quote::QuoteList;
use crate::{HttpState, answer};
use embudo_server::blob;

/// Only the newest quotes of a lead are listed, at most this number.
const MAX_LISTED: usize = 20;

pub(crate) async fn list(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
) -> Result<Response, Problem> {
    let mut quotes = state.app.store.presupuestos(lead.open_to(&key, &state).await?).await?;
    quotes.truncate(MAX_LISTED);
    Ok(answer::ok(&QuoteList { quotes: &quotes, app: &state.app }))
}

pub(crate) async fn pdf(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    Path((_, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let lead = lead.open_to(&key, &state).await?;
    let number = file.strip_suffix(".pdf").and_then(PresupuestoNumber::parse);
    let number = number.ok_or_else(Problem::presupuesto_not_found)?;
    let (stored, pdf) = state.app.quotes().pdf(lead, number).await?;
    let sha256: String = stored.sha256.iter().map(|b| format!("{b:02x}")).collect();
    let headers = [
        (CONTENT_TYPE, "application/pdf".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", number.file_name())),
        (ETAG, format!("\"{sha256}\"")),
        (CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((headers, blob(pdf)).into_response())
}
