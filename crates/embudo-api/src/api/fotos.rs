//! `GET` and `DELETE /api/leads/:id/fotos/:fotoId` (contract §3).

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use embudo_app::Received;
use embudo_blobs::BlobError;
use embudo_domain::image::recompose;
use http::StatusCode;
use serde_json::Value;

use crate::extract::{Authorized, FotoInPath, LeadInPath};
use crate::problem::Problem;
use crate::views::parts::ReceivedFoto;
use crate::{HttpState, answer};
use embudo_server::blob_between;

pub(crate) async fn show(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    foto: FotoInPath,
) -> Result<Response, Problem> {
    let (foto, received) =
        state.app.photos().received(lead.open_to(&key, &state).await?, foto.exists()?).await?;
    let with = |image: &str| answer::write(&ReceivedFoto { foto: &foto, image });
    let (prefix, blob, of_piece, size): (_, _, OfPiece, _) = match received {
        Received::Url(url) => return Ok(answer::ok_written(with(&url))),
        Received::Base64(prefix, blob) => {
            let size = blob.size().div_ceil(3) * 4;
            (prefix, blob, |piece| Ok(recompose("", piece).into()), Some(size))
        }
        Received::Raw(prefix, blob) => (prefix, blob, escape, None),
    };
    // The picture may have many megabytes, so it is written between the two halves of the answer while it is read.
    let mut before = with(&prefix);
    let after = before.split_off(prefix_end(&before, &prefix));
    Ok(answer::ok_written(blob_between(before, blob, of_piece, after, size)))
}

type OfPiece = fn(&Bytes) -> Result<Bytes, BlobError>;

/// The position at which the text of `imagen` ends, in an answer that holds only the prefix of the picture. The ids
/// before it contain no quotation marks, so the first match is the field.
fn prefix_end(body: &str, prefix: &str) -> usize {
    let field = format!("\"imagen\":{}", Value::from(prefix));
    let found = body.find(&field).expect("the answer was made with this field");
    found + field.len() - 1
}

/// A piece of a payload, escaped for a JSON string. Payloads are ASCII, so that no character is cut in two.
fn escape(piece: &Bytes) -> Result<Bytes, BlobError> {
    let text = std::str::from_utf8(piece).map_err(|_| BlobError::Missing)?;
    let quoted = Bytes::from(Value::from(text).to_string());
    Ok(quoted.slice(1..quoted.len() - 1))
}

pub(crate) async fn delete(
    key: Authorized,
    State(state): State<HttpState>,
    lead: LeadInPath,
    foto: FotoInPath,
) -> Result<Response, Problem> {
    let lead = lead.open_to(&key, &state).await?;
    state.app.store.delete_foto(lead, foto.exists()?, state.app.now()).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
