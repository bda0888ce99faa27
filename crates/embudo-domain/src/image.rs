//! A photo's picture as it was received: a data URI, taken apart without losing a byte, or a URL.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, PAD};
use base64::engine::{DecodePaddingMode, Simd};

use crate::Digest;

/// The rule of [`Image::parse`] as a regular expression, for the API's documentation.
pub const PATTERN: &str = concat!(
    r"^(?:[Dd][Aa][Tt][Aa]:image/[A-Za-z0-9!#$&^_.+-]+(?:;[^;,]+)*;[Bb][Aa][Ss][Ee]64,",
    r"[ \t\n\f\r]*[A-Za-z0-9+/_=-][A-Za-z0-9+/_= \t\n\f\r-]*",
    r"|[Hh][Tt][Tt][Pp][Ss]?://(?:[^@/?#\[\]\\ \t\n\f\r]*@)?(?:[A-Za-z0-9._~%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?(?:[/?#][\s\S]*)?)$"
);

/// A picture, ready to be kept and to be given back byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    DataUri {
        /// Everything up to and including the comma, as received.
        prefix: String,
        /// The text after the comma.
        content: Content,
    },
    /// An http(s) address, as received.
    Url(String),
}

/// The payload of a data URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Canonical base64: encoding the bytes again gives the received text.
    Canonical(Vec<u8>),
    /// It decodes, but encoding the bytes again does not give the received text (white space, URL-safe letters, …).
    Informal {
        bytes: Vec<u8>,
        /// The payload as received.
        raw: String,
    },
    /// Canonical base64 whose bytes were stored while they arrived; only their digest is here.
    Aside(Digest),
    /// It does not decode, and is kept anyway.
    Unreadable {
        /// The payload as received.
        raw: String,
    },
}

/// Strict in both directions: it decodes a payload only if it would encode the bytes to exactly that payload.
static CANONICAL: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));

/// Decodes payloads whose white space, padding and URL-safe letters were normalised.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl Image {
    /// Takes a received picture apart (contract §2); `None` when it is neither a data URI of an image nor a URL.
    pub fn parse(text: &str) -> Option<Self> {
        if has_prefix_ignoring_case(text, "data:") {
            return read_data_uri(text);
        }
        is_url_http(text).then(|| Self::Url(text.to_owned()))
    }

    /// Whether the picture's bytes could be read from what was received. A URL counts as legible: nobody has fetched it
    /// yet.
    pub fn legible(&self) -> bool {
        !matches!(self, Self::DataUri { content: Content::Unreadable { .. }, .. })
    }
}

/// The received text of a canonical payload.
pub fn recompose(prefix: &str, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(prefix.len() + bytes.len().div_ceil(3) * 4);
    text.push_str(prefix);
    CANONICAL.encode_string(bytes, &mut text);
    text
}

fn read_data_uri(text: &str) -> Option<Image> {
    let comma = text.find(',')?;
    let (prefix, raw) = text.split_at(comma + 1);
    if !is_data_uri_head(prefix) {
        return None;
    }
    Some(Image::DataUri { prefix: prefix.to_owned(), content: read_content(raw)? })
}

/// Whether a text up to and including its first comma is the head of a base64 data URI of an image.
pub(crate) fn is_data_uri_head(text: &str) -> bool {
    let parts = || {
        let parameters = text.get("data:".len()..)?.strip_suffix(',')?.strip_prefix("image/")?;
        let (subtype, rest) = parameters.split_once(';')?;
        let (halves, last) =
            rest.rsplit_once(';').map_or((None, rest), |(halves, last)| (Some(halves), last));
        let is_subtype = !subtype.is_empty() && subtype.bytes().all(is_token_byte);
        let is_whole = halves.is_none_or(|halves| halves.split(';').all(|part| !part.is_empty()));
        Some(is_subtype && last.eq_ignore_ascii_case("base64") && is_whole)
    };
    has_prefix_ignoring_case(text, "data:") && parts().unwrap_or(false)
}

fn read_content(raw: &str) -> Option<Content> {
    if raw.is_empty() {
        return None;
    }
    if let Ok(bytes) = CANONICAL.decode(raw) {
        return Some(Content::Canonical(bytes));
    }
    let mut plain = Vec::with_capacity(raw.len());
    for b in raw.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => plain.push(b),
            b'-' => plain.push(b'+'),
            b'_' => plain.push(b'/'),
            b' ' | b'\t' | b'\n' | 0x0c | b'\r' => {}
            _ => return None,
        }
    }
    if plain.is_empty() {
        return None;
    }
    let raw = raw.to_owned();
    Some(match LENIENT.decode(&plain) {
        Ok(bytes) if !bytes.is_empty() => Content::Informal { bytes, raw },
        _ => Content::Unreadable { raw },
    })
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b)
}

fn has_prefix_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefix))
}

fn is_url_http(text: &str) -> bool {
    let Some(schema) = ["http://", "https://"].into_iter().find(|e| has_prefix_ignoring_case(text, e)) else {
        return false;
    };
    let rest = &text[schema.len()..];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let server = match authority.rsplit_once('@') {
        Some((user, _)) if user.contains(['@', '[', ']', '\\', ' ', '\t', '\n', '\x0c', '\r']) => {
            return false;
        }
        Some((_, server)) => server,
        None => authority,
    };
    let (nombre, port) = match server.strip_prefix('[').and_then(|s| s.split_once(']')) {
        Some((ip, port)) if ip.bytes().all(|b| b.is_ascii_hexdigit() || b == b':' || b == b'.') => (ip, port),
        Some(_) => return false,
        None => server.split_at(server.find(':').unwrap_or(server.len())),
    };
    let nombre_ok = !nombre.is_empty()
        && (server.starts_with('[')
            || nombre.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~%-".contains(&b)));
    let port_ok = match port.strip_prefix(':') {
        Some(digits) => digits.len() <= 5 && digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    nombre_ok && port_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canonical_data_uri_is_rebuilt_byte_for_byte() {
        for text in ["data:image/png;base64,AAEC", "DATA:image/svg+xml;charset=utf-8;BASE64,aG9sYQ=="] {
            let Some(Image::DataUri { prefix, content: Content::Canonical(bytes) }) = Image::parse(text)
            else {
                panic!("{text} is canonical");
            };
            assert_eq!(recompose(&prefix, &bytes), text);
        }
    }

    #[test]
    fn informal_payloads_decode_and_keep_their_text() {
        for payload in ["aG9s\nYQ==", " aG9sYQ", "aG9sYR==", "-_-_", "aG 9s YQ"] {
            let image = Image::parse(&format!("data:image/png;base64,{payload}"));
            match image {
                Some(Image::DataUri { content: Content::Informal { raw, .. }, .. }) => {
                    assert_eq!(raw, payload);
                }
                another => panic!("{payload}: {another:?}"),
            }
        }
    }

    #[test]
    fn what_does_not_decode_is_kept_as_illegible() {
        for payload in ["A", "====", "AAAAA", "AA=A"] {
            let image = Image::parse(&format!("data:image/png;base64,{payload}")).expect("base64 characters");
            assert!(!image.legible(), "{payload}");
        }
    }

    #[test]
    fn urls_need_http_and_a_host() {
        for url in [
            "http://a",
            "HTTPS://Example.com/x y?z#ñ",
            "https://u:p@10.0.0.1:8080/f.jpg",
            "http://[::1]:80/",
            "http://a:/",
        ] {
            assert_eq!(Image::parse(url), Some(Image::Url(url.to_owned())), "{url}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "hola",
            "ftp://a/b.png",
            "http://",
            "http:///x",
            "http:a",
            "https://?x",
            "http://a b/",
            "http://a:99999999/",
            "http://[zz]/",
            "http://@/",
            "data:image/png,AAAA",
            "data:text/plain;base64,AAAA",
            "data:image/;base64,AAAA",
            "data:image/png;base64,",
            "data:image/png;base64,  \n",
            "data:image/png;;base64,AAAA",
            "data:image/png;base64,AA*A",
            "data:image/png;base64;x=y,AAAA",
            " data:image/png;base64,AAAA",
        ] {
            assert_eq!(Image::parse(text), None, "{text}");
        }
    }
}
