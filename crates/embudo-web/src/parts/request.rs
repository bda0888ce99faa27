//! What comes in with a page's request: form fields, and who sends them.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Request};
use url::form_urlencoded;

use super::Refusal;
use crate::WebState;
use embudo_door::{ReadBody, read_body, subscriber};

/// The largest form without files.
const MAX_FORMULARIO_BYTES: usize = 64 * 1024;

/// The fields of a form or of an address's query, in the order sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Campos(pub Vec<(String, String)>);

impl Campos {
    /// The last value of a field, without white space around it and without control characters; empty if absent.
    pub fn texto(&self, nombre: &str) -> String {
        let crudo = self.0.iter().rev().find(|(n, _)| n == nombre).map_or("", |(_, v)| v.as_str());
        limpio(crudo)
    }

    /// Whether the field was sent with anything in it.
    pub fn tiene(&self, nombre: &str) -> bool {
        !self.texto(nombre).is_empty()
    }
}

/// A text as it is kept: line breaks of one kind, no other control characters, nothing around it.
pub(crate) fn limpio(texto: &str) -> String {
    let sin_retornos = texto.replace("\r\n", "\n").replace('\r', "\n");
    let sano: String = sin_retornos.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    sano.trim().to_owned()
}

/// The fields of a query or an encoded form.
pub(crate) fn leer_campos(bytes: &[u8]) -> Campos {
    Campos(form_urlencoded::parse(bytes).into_owned().collect())
}

/// Reads a form's body.
pub(crate) async fn campos_de(estado: &WebState, request: Request<Body>) -> Result<Campos, Refusal> {
    let (parts, body) = request.into_parts();
    let leido = read_public(estado, &parts, body, MAX_FORMULARIO_BYTES).await?;
    Ok(leer_campos(&leido.bytes))
}

/// Reads what somebody without a key sends, out of the memory for such.
pub(crate) async fn read_public(
    estado: &WebState,
    parts: &Parts,
    body: Body,
    limite_bytes: usize,
) -> Result<ReadBody, Refusal> {
    let who = subscriber(Cliente::de(parts, estado).0);
    Ok(read_body(&parts.headers, body, limite_bytes, &estado.settings.body_budget, Some(who)).await?)
}

/// The person at the other end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cliente(pub IpAddr);

impl Cliente {
    /// Who sent a request, behind trusted proxies or without any.
    pub fn de(parts: &Parts, estado: &WebState) -> Self {
        Self(estado.callers.address(parts))
    }
}

impl FromRequestParts<WebState> for Cliente {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, estado: &WebState) -> Result<Self, Self::Rejection> {
        Ok(Self::de(parts, estado))
    }
}

/// Whether a module of ours asks, which wants data instead of pages.
pub(crate) fn quiere_json(headers: &HeaderMap) -> bool {
    headers.get(http::header::ACCEPT).is_some_and(|v| v.as_bytes().starts_with(b"application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cleaned_and_the_last_one_counts() {
        let campos = leer_campos("a=1&a=+dos%0D%0Atres%00+&b=".as_bytes());
        assert_eq!(campos.texto("a"), "dos\ntres");
        assert!(!campos.tiene("b") && !campos.tiene("c"));
    }
}
