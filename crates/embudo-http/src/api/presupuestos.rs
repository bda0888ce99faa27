//! `GET /api/leads/:id/presupuestos/:n.pdf` (contract §3): a quote's PDF, byte for byte as it was sent.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use embudo_domain::presupuesto::NumeroPresupuesto;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG};

use crate::HttpState;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;
use embudo_door::blob;

pub(crate) async fn pdf(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    Path((_, fichero)): Path<(String, String)>,
) -> Result<Response, Problema> {
    let lead = lead.existe()?;
    let numero = fichero.strip_suffix(".pdf").and_then(NumeroPresupuesto::parse);
    let numero = numero.ok_or_else(Problema::presupuesto_no_encontrado)?;
    let (guardado, pdf) = estado.app.quotes().pdf(lead, numero).await?;
    let sha256: String = guardado.sha256.iter().map(|b| format!("{b:02x}")).collect();
    let cabeceras = [
        (CONTENT_TYPE, "application/pdf".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", numero.nombre_fichero())),
        (ETAG, format!("\"{sha256}\"")),
        (CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((cabeceras, blob(pdf)).into_response())
}
