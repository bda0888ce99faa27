//! Compresses text for clients that accept gzip.
//!
//! Pages, their style sheets, the documentation and `openapi.json` are compressed. Answers of the API are not: they
//! hold passes and personal data beside texts that strangers chose. From the length of a compressed answer, an
//! eavesdropper who can put texts into it finds out what else is in it (BREACH). This attack does not work on the
//! pages of clients, because only the address opens them: they need no cookie or key that another site could make a
//! victim's browser send, and a person who knows the address has nothing to guess. A page of the panel is opened by a
//! cookie, so it is not compressed where another site chose its query.
//!
//! gzip alone, because every browser accepts it and it is in the program already; brotli would save another sixth of a
//! few kilobytes.

use std::io::Write as _;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

/// A smaller text fits into one packet without compression.
const WORTH_BYTES: u64 = 1024;
/// Pages are in memory already when they come here; no page is nearly as long as this.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Whether the client takes gzip: by name, or by `*`, with a weight above zero.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut by_star = false;
    for value in headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()) {
        for coding in value.split(',') {
            let mut parts = coding.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
            let wanted = weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0));
            match name {
                _ if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => {
                    return wanted;
                }
                "*" => by_star = wanted,
                _ => {}
            }
        }
    }
    by_star
}

/// Compresses what is sent again and again, as small as possible.
pub fn pack_well(bytes: &[u8]) -> Vec<u8> {
    pack(bytes, Compression::best())
}

fn pack(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), level);
    gzip.write_all(bytes).and_then(|()| gzip.finish()).expect("writing to memory does not fail")
}

/// Compresses a page or style sheet for a client that accepts it, and tells caches that the answer depends on the
/// client.
pub async fn compress(mut response: Response, accepted: bool) -> Response {
    if !is_page_text(response.headers()) || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    let worth =
        response.body().size_hint().exact().is_some_and(|size| (WORTH_BYTES..=MAX_BYTES).contains(&size));
    if !accepted || !worth {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::try_from(MAX_BYTES).unwrap_or(usize::MAX)).await else {
        unreachable!("a page is a text in memory");
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, Body::from(pack(&bytes, Compression::fast())))
}

fn is_page_text(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| {
        ["text/html", "text/css"].iter().any(|text| kind.as_bytes().starts_with(text.as_bytes()))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use axum::response::IntoResponse as _;

    fn accepts(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap());
        }
        accepts_gzip(&headers)
    }

    #[test]
    fn only_who_takes_gzip_gets_it() {
        for yes in ["gzip", "br, GZIP;q=0.5", "deflate, gzip;q=1.0, *;q=0.5", "*", "x-gzip"] {
            assert!(accepts(&[yes]), "{yes}");
        }
        for no in ["", "identity", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzip;q=x", "gzipped"] {
            assert!(!accepts(&[no]), "{no}");
        }
        assert!(accepts(&["br", "gzip"]) && !accepts(&[]));
    }

    async fn sent(kind: &'static str, text: &str, accepted: bool) -> (HeaderMap, Vec<u8>) {
        let response = compress(([(CONTENT_TYPE, kind)], text.to_owned()).into_response(), accepted).await;
        let (parts, body) = response.into_parts();
        (parts.headers, to_bytes(body, usize::MAX).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_page_comes_packed_or_plain_and_says_that_it_varies() {
        let page = "<p>presupuesto</p>".repeat(500);
        let (headers, bytes) = sent("text/html; charset=utf-8", &page, true).await;
        assert_eq!(
            (&headers[CONTENT_ENCODING], &headers[VARY]),
            (&"gzip".parse().unwrap(), &"accept-encoding".parse().unwrap())
        );
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).unwrap();
        assert!(unpacked == page && bytes.len() * 10 < page.len());
        let (headers, bytes) = sent("text/html; charset=utf-8", &page, false).await;
        assert!(
            bytes == page.as_bytes() && headers.contains_key(VARY) && !headers.contains_key(CONTENT_ENCODING)
        );
        let (headers, _) = sent("text/html; charset=utf-8", "corta", true).await;
        assert!(headers.contains_key(VARY) && !headers.contains_key(CONTENT_ENCODING));
        let (headers, _) = sent("application/json", &page, true).await;
        assert!(
            !headers.contains_key(VARY) && !headers.contains_key(CONTENT_ENCODING),
            "the API's answers stay as they are"
        );
    }
}
