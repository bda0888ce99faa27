//! What handlers take from a request's head, in the order of contract §1.

use std::time::Instant;

use axum::extract::FromRequestParts;
use embudo_domain::{EmpresaId, FotoId, LeadId};
use embudo_server::{WhichKey, presented_key};
use http::request::Parts;
use http::{HeaderMap, HeaderName};

use crate::HttpState;
use crate::problem::Problem;

/// Proof that the request carried a right key, and what that key opens. First argument of every handler under `/api`.
#[derive(Clone, Copy)]
pub(crate) struct Authorized {
    /// The company that the key is bound to; a key without one opens every company.
    pub empresa: Option<EmpresaId>,
}

impl FromRequestParts<HttpState> for Authorized {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        // A tool makes this call inside the server: the key was checked and counted when the message with the tool call
        // came.
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(*known);
        }
        let (key, empresa) = match state.settings.keys.identify(&parts.headers) {
            Some(key) => (key, None),
            None => {
                let presented = presented_key(&parts.headers).unwrap_or_default();
                let from = Some(state.callers.address(parts)).filter(|ip| !ip.is_unspecified());
                let found = state.app.company_keys().find(presented, from).await?;
                let found = found.ok_or_else(|| wrong_key(parts, state))?;
                (WhichKey::Kept(found.id.0.as_u128()), Some(found.empresa))
            }
        };
        state.limit_keys.record(key, Instant::now()).map_err(Problem::limited)?;
        Ok(Self { empresa })
    }
}

/// Counts a wrong key against the caller's address and returns the refusal.
pub(crate) fn wrong_key(parts: &Parts, state: &HttpState) -> Problem {
    match state.callers.guessed(parts) {
        Ok(()) => Problem::unauthorized(),
        Err(limit) => Problem::limited(limit),
    }
}

/// The `:id` of `/api/leads/:id/…`. Anything but a hyphenated UUID names no lead. The refusal comes in the order that
/// the contract defines: after the body was found right.
#[derive(Clone, Copy)]
pub(crate) struct LeadInPath(Option<LeadId>);

impl LeadInPath {
    /// The lead, if the key opens it. Handlers get at the id only here, so none can skip the check. Whether the lead
    /// exists is not checked here.
    pub async fn open_to(self, key: &Authorized, state: &HttpState) -> Result<LeadId, Problem> {
        let lead = self.0.ok_or_else(Problem::lead_not_found)?;
        match key.empresa {
            Some(empresa) if !state.app.company_keys().owns(empresa, lead).await? => {
                Err(Problem::lead_not_found())
            }
            _ => Ok(lead),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for LeadInPath {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(segment(parts, 3).and_then(LeadId::parse)))
    }
}

/// The `:fotoId` of `/api/leads/:id/fotos/:fotoId`.
#[derive(Clone, Copy)]
pub(crate) struct FotoInPath(Option<FotoId>);

impl FotoInPath {
    pub fn exists(self) -> Result<FotoId, Problem> {
        self.0.ok_or_else(Problem::foto_not_found)
    }
}

impl<S: Sync> FromRequestParts<S> for FotoInPath {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(segment(parts, 5).and_then(FotoId::parse)))
    }
}

/// A UUID has no character that needs escaping, so the raw segment is enough.
fn segment(parts: &Parts, n: usize) -> Option<&str> {
    parts.uri.path().split('/').nth(n)
}

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The call's `Idempotency-Key`, if it has one: 1 to 255 printable ASCII characters.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let bytes = value.as_bytes();
    let printable = bytes.iter().all(|b| (b' '..=b'~').contains(b));
    if values.next().is_some() || !(1..=255).contains(&bytes.len()) || !printable {
        return Err(Problem::malformed_key());
    }
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}
