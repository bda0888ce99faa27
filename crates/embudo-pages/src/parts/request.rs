//! The input of a page's request: the form fields and the client's address.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::FromRequestParts;
use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Request, Uri};
use url::form_urlencoded;

use super::Refusal;
use crate::WebState;
use embudo_server::{ReadBody, read_body, subscriber};

/// The maximum size of a form without files.
const MAX_FORM_BYTES: usize = 64 * 1024;

/// The fields of a form or of a query, in the order in which they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(pub Vec<(String, String)>);

impl FormFields {
    /// The last value of a field, without white space around it and without control characters; empty if absent.
    pub fn text(&self, nombre: &str) -> String {
        clean(self.raw(nombre))
    }

    /// The last value of a field exactly as it was sent. Passwords are read like this.
    pub fn raw(&self, nombre: &str) -> &str {
        self.0.iter().rev().find(|(n, _)| n == nombre).map_or("", |(_, v)| v.as_str())
    }

    /// All values of a field, in the order in which they were sent.
    pub fn all(&self, nombre: &str) -> Vec<String> {
        self.0.iter().filter(|(n, _)| n == nombre).map(|(_, v)| v.clone()).collect()
    }

    /// Whether the field was sent, even if it is empty.
    pub fn is_sent(&self, nombre: &str) -> bool {
        self.0.iter().any(|(n, _)| n == nombre)
    }

    /// Whether the field was sent and is not empty.
    pub fn has(&self, nombre: &str) -> bool {
        !self.text(nombre).is_empty()
    }
}

/// The text in the form in which it is stored: every line break is `\n`, other control characters are removed, and the
/// ends are trimmed.
pub(crate) fn clean(text: &str) -> String {
    let without_returns = text.replace("\r\n", "\n").replace('\r', "\n");
    let healthy: String = without_returns.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    healthy.trim().to_owned()
}

/// Parses the fields of a query or of a URL-encoded form.
pub(crate) fn read_fields(bytes: &[u8]) -> FormFields {
    FormFields(form_urlencoded::parse(bytes).into_owned().collect())
}

/// Reads a form's body.
pub(crate) async fn fields_of(state: &WebState, request: Request<Body>) -> Result<FormFields, Refusal> {
    let (parts, body) = request.into_parts();
    let read = read_public(state, &parts, body, MAX_FORM_BYTES).await?;
    Ok(read_fields(&read.bytes))
}

/// Reads a body that was sent without a key. Its memory comes from the budget for such bodies.
pub(crate) async fn read_public(
    state: &WebState,
    parts: &Parts,
    body: Body,
    limit_bytes: usize,
) -> Result<ReadBody, Refusal> {
    let who = subscriber(ClientAddress::of(parts, state).0);
    Ok(read_body(&parts.headers, body, limit_bytes, &state.settings.body_budget, Some(who)).await?)
}

/// The address of the person who sent the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The client's address, with or without trusted proxies in between.
    pub fn of(parts: &Parts, state: &WebState) -> Self {
        Self(state.callers.address(parts))
    }
}

impl FromRequestParts<WebState> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Self::Rejection> {
        Ok(Self::of(parts, state))
    }
}

/// Whether one of our JavaScript modules sent the request. Modules want JSON instead of pages.
pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    headers.get(http::header::ACCEPT).is_some_and(|v| v.as_bytes().starts_with(b"application/json"))
}

/// Whether one of our pages sent the form. Current browsers say so in `sec-fetch-site`; older browsers send at least
/// the origin. A request with neither comes from a program, which has no session that another site could abuse, and is
/// accepted.
pub(crate) fn is_from_us(headers: &HeaderMap, uri: &Uri, state: &WebState) -> bool {
    let public_url = state.app.outbound.links.as_ref().map(|links| links.public_url.as_str());
    is_own(headers, uri, public_url)
}

fn is_own(headers: &HeaderMap, uri: &Uri, public_url: Option<&str>) -> bool {
    match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin" || site == "none",
        None => names_our_origin(headers, uri, public_url).unwrap_or(true),
    }
}

/// Whether the origin of a request is ours: the host that the request was sent to, or the public address. `None` if the
/// request has no origin.
pub(crate) fn names_our_origin(headers: &HeaderMap, uri: &Uri, public_url: Option<&str>) -> Option<bool> {
    let origin = headers.get(ORIGIN)?;
    let Some(origin) = origin.to_str().ok().and_then(authority) else {
        return Some(false);
    };
    let host = headers.get(HOST).and_then(|h| h.to_str().ok());
    let ours = [host, uri.authority().map(http::uri::Authority::as_str), public_url.and_then(authority)];
    Some(ours.into_iter().flatten().any(|ours| ours.eq_ignore_ascii_case(origin)))
}

/// `ejemplo.es:8080` of `https://ejemplo.es:8080/algo`.
fn authority(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().filter(|a| !a.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(extra_headers: &[(&'static str, &'static str)]) -> bool {
        let pairs =
            extra_headers.iter().map(|(n, v)| (n.parse().expect("a name"), v.parse().expect("a value")));
        let headers: HeaderMap = pairs.collect();
        is_own(&headers, &Uri::from_static("/p/x/aceptar"), Some("https://obras.es"))
    }

    #[test]
    fn forms_are_taken_from_our_own_pages_only() {
        for well in [
            &[][..],
            &[("sec-fetch-site", "same-origin"), ("origin", "null")],
            &[("sec-fetch-site", "none")],
            &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")],
            &[("origin", "https://OBRAS.es"), ("host", "interno:8080")],
        ] {
            assert!(own(well), "{well:?}");
        }
        for wrong in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site"), ("origin", "https://obras.es")],
            &[("origin", "null"), ("host", "obras.es")],
            &[("origin", "https://obras.es.malo.com"), ("host", "obras.es")],
            &[("origin", "https://malo.com"), ("host", "obras.es")],
        ] {
            assert!(!own(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn fields_are_cleaned_and_the_last_one_counts() {
        let fields = read_fields("a=1&a=+dos%0D%0Atres%00+&b=".as_bytes());
        assert_eq!(fields.text("a"), "dos\ntres");
        assert!(!fields.has("b") && !fields.has("c"));
    }
}
