//! `GET` and `DELETE /api/leads/:id/fotos/:fotoId` (contract §3).

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

use super::vista;
use crate::Estado;
use crate::contestacion::{contestar, responder};
use crate::extraer::{Autorizado, FotoEnRuta, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn show(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    foto: FotoEnRuta,
) -> Result<Response, Problema> {
    let (foto, imagen) = estado.app.foto_recibida(lead.existe()?, foto.existe()?).await?;
    let cuerpo = json!({
        "id": foto.id,
        "imagen": imagen,
        "zona": foto.zona,
        "momento": foto.momento,
        "orden": vista::numero(foto.orden),
    });
    Ok(responder(contestar(StatusCode::OK, &cuerpo)))
}

pub(crate) async fn delete(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    foto: FotoEnRuta,
) -> Result<Response, Problema> {
    estado.app.store.delete_foto(lead.existe()?, foto.existe()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
