//! Who may see a quote, and who may answer it.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use embudo_app::Pass;
use embudo_domain::presupuesto::Presupuesto;
use http::request::Parts;
use http::{HeaderMap, Uri};

use super::{bridge, show};
use crate::WebState;
use crate::parts::{Cliente, Refusal, Storefront, names_our_origin};

/// A quote that the pass in the address opened.
pub(super) struct Opened {
    /// The address of its page.
    pub base: String,
    pub presupuesto: Presupuesto,
    pub storefront: Storefront,
}

impl FromRequestParts<WebState> for Opened {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        // A pass has no character that needs escaping, so the raw segment is enough.
        let pass = parts.uri.path().split('/').nth(2).unwrap_or_default();
        let id = match state.app.rights().open_pass(pass).await? {
            Ok(Pass::Presupuesto(id)) => id,
            Ok(_) => return Err(Refusal::Forged),
            Err(invalid) => return Err(invalid.into()),
        };
        let base = format!("/p/{pass}");
        let presupuesto = bridge::presupuesto(state, id).await?;
        let empresas = state.app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(|e| e.id == presupuesto.empresa).ok_or(Refusal::NotFound)?;
        let storefront = Storefront::of_empresa(state, empresa).await?;
        Ok(Self { base, presupuesto, storefront })
    }
}

/// A form of the quote's own page was sent.
pub(super) struct Enviado {
    pub open: Opened,
    /// Where from, where it is known.
    pub ip: Option<IpAddr>,
}

impl FromRequestParts<WebState> for Enviado {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        let open = Opened::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let public_url = state.app.outbound.links.as_ref().map(|e| e.public_url.as_str());
        if !is_own(&parts.headers, &parts.uri, public_url) {
            return Err(show::foreign(open.storefront));
        }
        let ip = Some(Cliente::of(parts, state).0).filter(|ip| !ip.is_unspecified());
        Ok(Self { open, ip })
    }
}

/// Whether a form was sent by a page of ours. Browsers that say where a request comes from are believed; older ones name the
/// origin at least; a program names nothing, and has no session that another site could borrow.
fn is_own(headers: &HeaderMap, uri: &Uri, public_url: Option<&str>) -> bool {
    if let Some(place) = headers.get("sec-fetch-site") {
        return place == "same-origin" || place == "none";
    }
    names_our_origin(headers, uri, public_url).unwrap_or(true)
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
}
