//! `GET /fotos/:lead/:foto?caduca=…&firma=…`: a photo by the signed link that a signal carried.
//!
//! The link is the permission: no key is asked for, and everything but a valid link is 404, so that nothing can be
//! learnt by guessing. A wrong signature counts as a wrong key (429 after too many); an expired link does not. Only
//! picture types that browsers show without running anything keep their type.

use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use embudo_app::InvalidLink;
use embudo_domain::{FotoId, LeadId};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

use crate::HttpState;
use crate::problem::Problem;
use embudo_server::blob;

const HARMLESS: &[&str] = &["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic"];

#[derive(serde::Deserialize)]
pub(crate) struct Link {
    #[serde(rename = "caduca")]
    expires: i64,
    #[serde(rename = "firma")]
    signature: String,
}

pub(crate) async fn show(State(state): State<HttpState>, request: Request) -> Result<Response, Problem> {
    let does_not_open = Problem::unknown_path;
    let (head, _) = request.into_parts();
    let with = state.app.outbound.links.as_ref().ok_or_else(does_not_open)?;
    let mut parts = head.uri.path().split('/').skip(2);
    let lead = parts.next().and_then(LeadId::parse).ok_or_else(does_not_open)?;
    let foto = parts.next().and_then(FotoId::parse).ok_or_else(does_not_open)?;
    let Query(link) = Query::<Link>::try_from_uri(&head.uri).map_err(|_| does_not_open())?;
    let now = state.app.now();
    match with.links.verify(lead, foto, link.expires, &link.signature, now) {
        Ok(()) => {}
        Err(InvalidLink::Expired) => return Err(does_not_open()),
        Err(InvalidLink::False) => {
            state.callers.guessed(&head).map_err(Problem::limited)?;
            return Err(does_not_open());
        }
    }
    let foto = state.app.photos().bytes(lead, foto).await?.ok_or_else(does_not_open)?;
    let kind = HARMLESS.iter().find(|t| **t == foto.kind).copied().unwrap_or("application/octet-stream");
    let headers = [
        (CONTENT_TYPE, kind),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (CACHE_CONTROL, "private, max-age=3600"),
    ];
    Ok((headers, blob(foto.bytes)).into_response())
}
