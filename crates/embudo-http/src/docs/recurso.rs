//! Something that never changes while the process runs, with the headers that let a browser keep it.

use std::fmt::Write as _;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

/// Only our own style and module; calls only to this server; nothing inline, nothing framed.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A resource and its headers.
pub(crate) struct Recurso {
    cuerpo: Bytes,
    etag: String,
    cabeceras: Vec<(HeaderName, &'static str)>,
}

impl Recurso {
    /// A resource of this media type.
    pub fn new(tipo: &'static str, cuerpo: Vec<u8>) -> Self {
        let mut etag = String::from("\"");
        for byte in &Sha256::digest(&cuerpo)[..12] {
            let _ = write!(etag, "{byte:02x}");
        }
        etag.push('"');
        let cabeceras = vec![
            (CONTENT_TYPE, tipo),
            (CACHE_CONTROL, "no-cache"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ];
        Self { cuerpo: cuerpo.into(), etag, cabeceras }
    }

    /// A page, with its security policy.
    pub fn pagina(html: String) -> Self {
        let mut recurso = Self::new("text/html; charset=utf-8", html.into_bytes());
        recurso.cabeceras.push((CONTENT_SECURITY_POLICY, CSP));
        recurso.cabeceras.push((REFERRER_POLICY, "no-referrer"));
        recurso.cabeceras.push((HeaderName::from_static("cross-origin-opener-policy"), "same-origin"));
        recurso
    }

    /// The whole of it, or 304 for a client that has it.
    pub fn responder(&self, pedido: &HeaderMap) -> Response {
        let lo_tiene = pedido.get(IF_NONE_MATCH).is_some_and(|v| self.coincide(v));
        let mut response = if lo_tiene {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Body::from(self.cuerpo.clone()).into_response()
        };
        let headers = response.headers_mut();
        for (nombre, valor) in &self.cabeceras {
            headers.insert(nombre, HeaderValue::from_static(valor));
        }
        let etag = HeaderValue::from_str(&self.etag).expect("hexadecimal in quotes");
        headers.insert(ETAG, etag);
        response
    }

    fn coincide(&self, pedidos: &HeaderValue) -> bool {
        let Ok(pedidos) = pedidos.to_str() else {
            return false;
        };
        let iguales = |uno: &str| uno.trim().trim_start_matches("W/") == self.etag;
        pedidos.trim() == "*" || pedidos.split(',').any(iguales)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_has_it_is_told_so() {
        let recurso = Recurso::new("text/css", b"a{}".to_vec());
        let status = |valor: &str| {
            let mut pedido = HeaderMap::new();
            pedido.insert(IF_NONE_MATCH, HeaderValue::from_str(valor).expect("a header"));
            recurso.responder(&pedido).status()
        };
        assert_eq!(recurso.responder(&HeaderMap::new()).status(), StatusCode::OK);
        assert_eq!(status(&format!("\"x\", W/{}", recurso.etag)), StatusCode::NOT_MODIFIED);
        assert_eq!(status("\"x\""), StatusCode::OK);
    }

    #[test]
    fn a_page_forbids_inline_code_and_frames() {
        let response = Recurso::pagina("<p>".to_owned()).responder(&HeaderMap::new());
        let csp = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII");
        assert!(csp.starts_with("default-src 'none'") && csp.contains("frame-ancestors 'none'"), "{csp}");
        assert!(!csp.contains("unsafe"), "{csp}");
    }
}
