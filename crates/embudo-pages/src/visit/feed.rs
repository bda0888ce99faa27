//! `GET /calendario/:secreto.ics`: a person's visits, for programs that follow calendars.

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_domain::Digest;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderName, HeaderValue, StatusCode};

use crate::WebState;
use crate::parts::Refusal;

/// The maximum length of a secret. A longer one is refused without reading the store.
const MAX_SECRET: usize = 64;

pub(super) async fn show(State(state): State<WebState>, request: Request) -> Result<Response, Refusal> {
    let (parts, _) = request.into_parts();
    let name = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let secret = name.strip_suffix(".ics").filter(|secret| (1..=MAX_SECRET).contains(&secret.len()));
    let secret = secret.ok_or(Refusal::Forged)?;
    let visits = state.app.visits();
    // Finding the owner costs one index read. The quota is counted before the more expensive work.
    let Some(owner) = visits.feed_owner(secret).await? else { return Err(Refusal::Forged) };
    state.quotas.feed(Digest::of(secret.as_bytes()), state.app.now())?;
    let Some(calendar) = visits.feed(owner).await? else { return Err(Refusal::Forged) };
    let etag = format!("\"{}\"", Digest::of(calendar.as_bytes()));
    let etag = HeaderValue::from_str(&etag).expect("a digest is plain");
    let is_known = parts.headers.get(IF_NONE_MATCH).is_some_and(|known| known == etag);
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => calendar.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/calendar; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.insert(ETAG, etag);
    Ok(response)
}
