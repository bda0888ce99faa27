//! What handlers take from a request's head, in the order of contract §1.

use std::time::Instant;

use axum::extract::FromRequestParts;
use embudo_domain::{FotoId, LeadId};
use http::request::Parts;
use http::{HeaderMap, HeaderName};

use crate::HttpState;
use crate::problema::Problema;

/// Proof that the request carried a right key. First argument of every handler under `/api`.
pub(crate) struct Autorizado;

impl FromRequestParts<HttpState> for Autorizado {
    type Rejection = Problema;

    async fn from_request_parts(parts: &mut Parts, estado: &HttpState) -> Result<Self, Problema> {
        if let Some(llave) = estado.ajustes.llaves.identify(&parts.headers) {
            return match estado.limite_llaves.record(llave, Instant::now()) {
                Ok(()) => Ok(Self),
                Err(limite) => Err(Problema::limitado(limite)),
            };
        }
        Err(wrong_key(parts, estado))
    }
}

/// Counts a wrong key against its address and words the refusal.
pub(crate) fn wrong_key(parts: &Parts, estado: &HttpState) -> Problema {
    match estado.callers.guessed(parts) {
        Ok(()) => Problema::no_autorizado(),
        Err(limite) => Problema::limitado(limite),
    }
}

/// The `:id` of `/api/leads/:id/…`. Anything but a hyphenated UUID names no lead, which is said in its place in the
/// order: after the body was found right.
#[derive(Clone, Copy)]
pub(crate) struct LeadEnRuta(Option<LeadId>);

impl LeadEnRuta {
    pub fn existe(self) -> Result<LeadId, Problema> {
        self.0.ok_or_else(Problema::lead_no_encontrado)
    }
}

impl<S: Sync> FromRequestParts<S> for LeadEnRuta {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(segment(parts, 3).and_then(LeadId::parse)))
    }
}

/// The `:fotoId` of `/api/leads/:id/fotos/:fotoId`.
#[derive(Clone, Copy)]
pub(crate) struct FotoEnRuta(Option<FotoId>);

impl FotoEnRuta {
    pub fn existe(self) -> Result<FotoId, Problema> {
        self.0.ok_or_else(Problema::foto_no_encontrada)
    }
}

impl<S: Sync> FromRequestParts<S> for FotoEnRuta {
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
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problema> {
    let mut valores = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(valor) = valores.next() else {
        return Ok(None);
    };
    let bytes = valor.as_bytes();
    let imprimible = bytes.iter().all(|b| (b' '..=b'~').contains(b));
    if valores.next().is_some() || !(1..=255).contains(&bytes.len()) || !imprimible {
        return Err(Problema::clave_mal_formada());
    }
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}
