//! Something that never changes while the process runs, with the headers that let a browser keep it.

use std::fmt::Write as _;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use embudo_door::{accepts_gzip, pack_well};

/// Only our own style and module; calls only to this server; nothing inline, nothing framed.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A resource and its headers. Packed it is another representation, with a tag of its own.
pub(crate) struct Recurso {
    cuerpo: Bytes,
    etag: String,
    gzip: Bytes,
    gzip_etag: String,
    cabeceras: Vec<(HeaderName, &'static str)>,
}

impl Recurso {
    /// A resource of this media type.
    pub fn new(tipo: &'static str, cuerpo: Vec<u8>) -> Self {
        let mut mark = String::new();
        for byte in &Sha256::digest(&cuerpo)[..12] {
            let _ = write!(mark, "{byte:02x}");
        }
        let cabeceras = vec![
            (CONTENT_TYPE, tipo),
            (CACHE_CONTROL, "no-cache"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (VARY, "accept-encoding"),
        ];
        Self {
            gzip: pack_well(&cuerpo).into(),
            gzip_etag: format!("\"{mark}-gzip\""),
            cuerpo: cuerpo.into(),
            etag: format!("\"{mark}\""),
            cabeceras,
        }
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
        let gzip = accepts_gzip(pedido);
        let (cuerpo, etag) = if gzip { (&self.gzip, &self.gzip_etag) } else { (&self.cuerpo, &self.etag) };
        let lo_tiene = pedido.get(IF_NONE_MATCH).is_some_and(|v| coincide(v, etag));
        let mut response = if lo_tiene {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Body::from(cuerpo.clone()).into_response()
        };
        let headers = response.headers_mut();
        for (nombre, valor) in &self.cabeceras {
            headers.insert(nombre, HeaderValue::from_static(valor));
        }
        if gzip && !lo_tiene {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(ETAG, HeaderValue::from_str(etag).expect("hexadecimal in quotes"));
        response
    }
}

fn coincide(pedidos: &HeaderValue, etag: &str) -> bool {
    let Ok(pedidos) = pedidos.to_str() else {
        return false;
    };
    let iguales = |uno: &str| uno.trim().trim_start_matches("W/") == etag;
    pedidos.trim() == "*" || pedidos.split(',').any(iguales)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::ACCEPT_ENCODING;

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
    fn packed_and_plain_are_told_apart() {
        let recurso = Recurso::new("text/css", b"a{}".repeat(1000));
        let ask = |headers: &[(HeaderName, &str)]| {
            let pares = headers.iter().map(|(n, v)| (n.clone(), HeaderValue::from_str(v).expect("a value")));
            recurso.responder(&pares.collect())
        };
        let plain = ask(&[]);
        let packed = ask(&[(ACCEPT_ENCODING, "gzip, br")]);
        assert_eq!(
            (plain.headers().get(CONTENT_ENCODING), &packed.headers()[CONTENT_ENCODING]),
            (None, &HeaderValue::from_static("gzip"))
        );
        assert!(plain.headers()[VARY] == "accept-encoding" && packed.headers()[VARY] == "accept-encoding");
        let (etag, gzip_etag) =
            (plain.headers()[ETAG].to_str().expect("ASCII"), packed.headers()[ETAG].to_str().expect("ASCII"));
        assert_ne!(etag, gzip_etag);
        let again = ask(&[(ACCEPT_ENCODING, "gzip"), (IF_NONE_MATCH, gzip_etag)]);
        assert_eq!((again.status(), again.headers().get(CONTENT_ENCODING)), (StatusCode::NOT_MODIFIED, None));
        assert_eq!(ask(&[(IF_NONE_MATCH, gzip_etag)]).status(), StatusCode::OK, "it has the packed one only");
    }

    #[test]
    fn a_page_forbids_inline_code_and_frames() {
        let response = Recurso::pagina("<p>".to_owned()).responder(&HeaderMap::new());
        let csp = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII");
        assert!(csp.starts_with("default-src 'none'") && csp.contains("frame-ancestors 'none'"), "{csp}");
        assert!(!csp.contains("unsafe"), "{csp}");
    }
}
