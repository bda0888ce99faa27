//! `GET /fotos/:lead/:foto?caduca=…&firma=…`: a photo by the signed link that a signal carried.
//!
//! The link is the permission: no key is asked for, and everything but a valid link is 404, so that nothing can be learnt by
//! guessing. Only picture types that browsers show without running anything keep their type.

use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use embudo_domain::{FotoId, LeadId};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

use crate::HttpState;
use crate::problema::Problema;
use embudo_door::blob;

const INOFENSIVAS: &[&str] =
    &["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic"];

#[derive(serde::Deserialize)]
pub(crate) struct Enlace {
    caduca: i64,
    firma: String,
}

pub(crate) async fn show(State(estado): State<HttpState>, request: Request) -> Result<Response, Problema> {
    let no_abre = Problema::ruta_desconocida;
    let con = estado.app.outbound.enlaces.as_ref().ok_or_else(no_abre)?;
    let mut partes = request.uri().path().split('/').skip(2);
    let lead = partes.next().and_then(LeadId::parse).ok_or_else(no_abre)?;
    let foto = partes.next().and_then(FotoId::parse).ok_or_else(no_abre)?;
    let Query(enlace) = Query::<Enlace>::try_from_uri(request.uri()).map_err(|_| no_abre())?;
    let ahora = estado.app.ahora();
    con.enlaces.verificar(lead, foto, enlace.caduca, &enlace.firma, ahora).map_err(|_| no_abre())?;
    let foto = estado.app.photos().bytes(lead, foto).await?.ok_or_else(no_abre)?;
    let tipo = INOFENSIVAS.iter().find(|t| **t == foto.tipo).copied().unwrap_or("application/octet-stream");
    let cabeceras = [
        (CONTENT_TYPE, tipo),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (CACHE_CONTROL, "private, max-age=3600"),
    ];
    Ok((cabeceras, blob(foto.bytes)).into_response())
}
