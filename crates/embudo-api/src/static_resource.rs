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

use embudo_server::{accepts_gzip, pack_well};

/// Only our own style and module; calls only to this server; nothing inline, nothing framed.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A resource and its headers. Its compressed form is another representation, with an ETag of its own.
pub(crate) struct StaticResource {
    body: Bytes,
    etag: String,
    gzip: Bytes,
    gzip_etag: String,
    headers: Vec<(HeaderName, &'static str)>,
}

impl StaticResource {
    /// A resource of this media type.
    pub fn new(media_type: &'static str, body: Vec<u8>) -> Self {
        let mut digest = String::new();
        for byte in &Sha256::digest(&body)[..12] {
            let _ = write!(digest, "{byte:02x}");
        }
        let headers = vec![
            (CONTENT_TYPE, media_type),
            (CACHE_CONTROL, "no-cache"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (VARY, "accept-encoding"),
        ];
        Self {
            gzip: pack_well(&body).into(),
            gzip_etag: format!("\"{digest}-gzip\""),
            body: body.into(),
            etag: format!("\"{digest}\""),
            headers,
        }
    }

    /// A page, with its security policy.
    pub fn page(html: String) -> Self {
        let mut resource = Self::new("text/html; charset=utf-8", html.into_bytes());
        resource.headers.push((CONTENT_SECURITY_POLICY, CSP));
        resource.headers.push((REFERRER_POLICY, "no-referrer"));
        resource.headers.push((HeaderName::from_static("cross-origin-opener-policy"), "same-origin"));
        resource
    }

    /// The whole resource, or 304 for a client that has it already.
    pub fn respond(&self, asked: &HeaderMap) -> Response {
        let gzip = accepts_gzip(asked);
        let (body, etag) = if gzip { (&self.gzip, &self.gzip_etag) } else { (&self.body, &self.etag) };
        let has_it = asked.get(IF_NONE_MATCH).is_some_and(|v| matches(v, etag));
        let mut response = if has_it {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Body::from(body.clone()).into_response()
        };
        let headers = response.headers_mut();
        for (name, value) in &self.headers {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if gzip && !has_it {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(ETAG, HeaderValue::from_str(etag).expect("hexadecimal in quotes"));
        response
    }
}

fn matches(asked: &HeaderValue, etag: &str) -> bool {
    let Ok(asked) = asked.to_str() else {
        return false;
    };
    let same = |one: &str| one.trim().trim_start_matches("W/") == etag;
    asked.trim() == "*" || asked.split(',').any(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::ACCEPT_ENCODING;

    #[test]
    fn a_client_that_has_it_is_told_so() {
        let resource = StaticResource::new("text/css", b"a{}".to_vec());
        let status = |value: &str| {
            let mut asked = HeaderMap::new();
            asked.insert(IF_NONE_MATCH, HeaderValue::from_str(value).expect("a header"));
            resource.respond(&asked).status()
        };
        assert_eq!(resource.respond(&HeaderMap::new()).status(), StatusCode::OK);
        assert_eq!(status(&format!("\"x\", W/{}", resource.etag)), StatusCode::NOT_MODIFIED);
        assert_eq!(status("\"x\""), StatusCode::OK);
    }

    #[test]
    fn packed_and_plain_are_told_apart() {
        let resource = StaticResource::new("text/css", b"a{}".repeat(1000));
        let ask = |headers: &[(HeaderName, &str)]| {
            let pairs = headers.iter().map(|(n, v)| (n.clone(), HeaderValue::from_str(v).expect("a value")));
            resource.respond(&pairs.collect())
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
        let response = StaticResource::page("<p>".to_owned()).respond(&HeaderMap::new());
        let csp = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII");
        assert!(csp.starts_with("default-src 'none'") && csp.contains("frame-ancestors 'none'"), "{csp}");
        assert!(!csp.contains("unsafe"), "{csp}");
    }
}
