//! `GET` and `DELETE /api/leads/:id/fotos/:fotoId` (contract §3).

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use embudo_app::Recibida;
use embudo_blobs::BlobError;
use embudo_domain::imagen::recomponer;
use http::StatusCode;
use serde_json::Value;

use crate::extraer::{Autorizado, FotoEnRuta, LeadEnRuta};
use crate::problema::Problema;
use crate::views::parts::ReceivedFoto;
use crate::{HttpState, answer};
use embudo_door::blob_between;

pub(crate) async fn show(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    foto: FotoEnRuta,
) -> Result<Response, Problema> {
    let (foto, recibida) = estado.app.photos().received(lead.existe()?, foto.existe()?).await?;
    let with = |imagen: &str| answer::write(&ReceivedFoto { foto: &foto, imagen });
    let (prefijo, blob, of_piece, size): (_, _, OfPiece, _) = match recibida {
        Recibida::Url(url) => return Ok(answer::ok_written(with(&url))),
        Recibida::Base64(prefijo, blob) => {
            let size = blob.size().div_ceil(3) * 4;
            (prefijo, blob, |piece| Ok(recomponer("", piece).into()), Some(size))
        }
        Recibida::Crudo(prefijo, blob) => (prefijo, blob, escape, None),
    };
    // The picture is written between the halves of the answer as it is read: it may have many megabytes.
    let mut before = with(&prefijo);
    let after = before.split_off(prefix_end(&before, &prefijo));
    Ok(answer::ok_written(blob_between(before, blob, of_piece, after, size)))
}

type OfPiece = fn(&Bytes) -> Result<Bytes, BlobError>;

/// Where the text of `imagen` ends in an answer that holds only its prefix. The ids before it hold no quote of their own.
fn prefix_end(cuerpo: &str, prefijo: &str) -> usize {
    let campo = format!("\"imagen\":{}", Value::from(prefijo));
    let found = cuerpo.find(&campo).expect("the answer was made with this field");
    found + campo.len() - 1
}

/// A piece of a payload as it stands inside a JSON string. Payloads are ASCII, so that no character is cut in two.
fn escape(piece: &Bytes) -> Result<Bytes, BlobError> {
    let text = std::str::from_utf8(piece).map_err(|_| BlobError::Missing)?;
    let quoted = Bytes::from(Value::from(text).to_string());
    Ok(quoted.slice(1..quoted.len() - 1))
}

pub(crate) async fn delete(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    foto: FotoEnRuta,
) -> Result<Response, Problema> {
    estado.app.store.delete_foto(lead.existe()?, foto.existe()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
