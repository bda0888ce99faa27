//! Who may see a quote, and who may answer it.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use embudo_app::{Pase, PaseInvalido};
use embudo_domain::presupuesto::Presupuesto;
use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Uri};

use super::{bridge, show};
use crate::WebState;
use crate::parts::{Cliente, Refusal, Storefront};

/// A quote that the pass in the address opened.
pub(super) struct Abierto {
    /// The address of its page.
    pub base: String,
    /// The quote.
    pub presupuesto: Presupuesto,
    /// Its company.
    pub storefront: Storefront,
}

impl FromRequestParts<WebState> for Abierto {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, estado: &WebState) -> Result<Self, Refusal> {
        // A pass has no character that needs escaping, so the raw segment is enough.
        let pase = parts.uri.path().split('/').nth(2).unwrap_or_default();
        let id = match estado.app.outbound.pases.leer(pase, estado.app.ahora()) {
            Ok(Pase::Presupuesto(id)) => id,
            Ok(_) | Err(PaseInvalido::Falso) => return Err(guessed(parts, estado)),
            Err(PaseInvalido::Caducado) => return Err(Refusal::Caducado),
        };
        let base = format!("/p/{pase}");
        let presupuesto = bridge::presupuesto(estado, id).await?;
        let empresas = estado.app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(|e| e.id == presupuesto.empresa).ok_or(Refusal::NoExiste)?;
        let storefront = Storefront::de_empresa(estado, empresa).await?;
        Ok(Self { base, presupuesto, storefront })
    }
}

/// A wrong pass counts against its address as a wrong key does.
fn guessed(parts: &Parts, estado: &WebState) -> Refusal {
    match estado.callers.guessed(parts) {
        Ok(()) => Refusal::NoExiste,
        Err(limite) => Refusal::Demasiado(limite.retry_after_s),
    }
}

/// A form of the quote's own page was sent.
pub(super) struct Enviado {
    /// The quote.
    pub abierto: Abierto,
    /// Where from, where it is known.
    pub ip: Option<IpAddr>,
}

impl FromRequestParts<WebState> for Enviado {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, estado: &WebState) -> Result<Self, Response> {
        let abierto =
            Abierto::from_request_parts(parts, estado).await.map_err(IntoResponse::into_response)?;
        let public_url = estado.app.outbound.enlaces.as_ref().map(|e| e.public_url.as_str());
        if !es_propio(&parts.headers, &parts.uri, public_url) {
            return Err(show::ajeno(abierto.storefront));
        }
        let ip = Some(Cliente::de(parts, estado).0).filter(|ip| !ip.is_unspecified());
        Ok(Self { abierto, ip })
    }
}

/// Whether a form was sent by a page of ours. Browsers that say where a request comes from are believed; older ones name the
/// origin at least; a program names nothing, and has no session that another site could borrow.
fn es_propio(headers: &HeaderMap, uri: &Uri, public_url: Option<&str>) -> bool {
    if let Some(sitio) = headers.get("sec-fetch-site") {
        return sitio == "same-origin" || sitio == "none";
    }
    let Some(origen) = headers.get(ORIGIN) else {
        return true;
    };
    let Some(origen) = origen.to_str().ok().and_then(autoridad) else {
        return false;
    };
    let host = headers.get(HOST).and_then(|h| h.to_str().ok());
    [host, uri.authority().map(http::uri::Authority::as_str), public_url.and_then(autoridad)]
        .into_iter()
        .flatten()
        .any(|nuestra| nuestra.eq_ignore_ascii_case(origen))
}

/// `ejemplo.es:8080` of `https://ejemplo.es:8080/algo`.
fn autoridad(url: &str) -> Option<&str> {
    let (_, resto) = url.split_once("://")?;
    resto.split('/').next().filter(|a| !a.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn propio(cabeceras: &[(&'static str, &'static str)]) -> bool {
        let pares = cabeceras.iter().map(|(n, v)| (n.parse().expect("a name"), v.parse().expect("a value")));
        let headers: HeaderMap = pares.collect();
        es_propio(&headers, &Uri::from_static("/p/x/aceptar"), Some("https://obras.es"))
    }

    #[test]
    fn forms_are_taken_from_our_own_pages_only() {
        for bien in [
            &[][..],
            &[("sec-fetch-site", "same-origin"), ("origin", "null")],
            &[("sec-fetch-site", "none")],
            &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")],
            &[("origin", "https://OBRAS.es"), ("host", "interno:8080")],
        ] {
            assert!(propio(bien), "{bien:?}");
        }
        for mal in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site"), ("origin", "https://obras.es")],
            &[("origin", "null"), ("host", "obras.es")],
            &[("origin", "https://obras.es.malo.com"), ("host", "obras.es")],
            &[("origin", "https://malo.com"), ("host", "obras.es")],
        ] {
            assert!(!propio(mal), "{mal:?}");
        }
    }
}
