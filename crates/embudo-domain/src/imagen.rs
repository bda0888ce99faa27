//! A photo's picture as it was received: a data URI, taken apart without losing a byte, or a URL.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, PAD};
use base64::engine::{DecodePaddingMode, Simd};

/// The rule of [`Imagen::parse`] as a regular expression, for the API's documentation.
pub const PATRON: &str = concat!(
    r"^(?:[Dd][Aa][Tt][Aa]:image/[A-Za-z0-9!#$&^_.+-]+(?:;[^;,]+)*;[Bb][Aa][Ss][Ee]64,",
    r"[ \t\n\f\r]*[A-Za-z0-9+/_=-][A-Za-z0-9+/_= \t\n\f\r-]*",
    r"|[Hh][Tt][Tt][Pp][Ss]?://(?:[^@/?#\[\]\\ \t\n\f\r]*@)?(?:[A-Za-z0-9._~%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?(?:[/?#][\s\S]*)?)$"
);

/// A picture, ready to be kept and to be given back byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imagen {
    /// An inline picture.
    DataUri {
        /// Everything up to and including the comma, as received.
        prefijo: String,
        /// What stands after the comma.
        contenido: Contenido,
    },
    /// An http(s) address, as received.
    Url(String),
}

/// The payload of a data URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contenido {
    /// Canonical base64: encoding the bytes again gives the received text.
    Canonico(Vec<u8>),
    /// It decodes, but only the received text itself gives the received text (white space, URL-safe letters, …).
    Informal {
        /// The picture.
        bytes: Vec<u8>,
        /// The payload as received.
        crudo: String,
    },
    /// It does not decode; kept all the same.
    Ilegible {
        /// The payload as received.
        crudo: String,
    },
}

/// Strict both ways, so a payload that it decodes is exactly what it encodes.
static CANONICO: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));

/// What is left when white space, padding and the URL-safe alphabet are smoothed out.
const INDULGENTE: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl Imagen {
    /// Takes a received picture apart (contract §2); `None` when it is neither a data URI of an image nor a URL.
    pub fn parse(texto: &str) -> Option<Self> {
        if has_prefix_ignoring_case(texto, "data:") {
            return leer_data_uri(texto);
        }
        es_url_http(texto).then(|| Self::Url(texto.to_owned()))
    }

    /// Whether the picture's bytes could be read from what was received. A URL has not been looked at.
    pub fn legible(&self) -> bool {
        !matches!(self, Self::DataUri { contenido: Contenido::Ilegible { .. }, .. })
    }
}

/// The received text of a canonical payload.
pub fn recomponer(prefijo: &str, bytes: &[u8]) -> String {
    let mut texto = String::with_capacity(prefijo.len() + bytes.len().div_ceil(3) * 4);
    texto.push_str(prefijo);
    CANONICO.encode_string(bytes, &mut texto);
    texto
}

fn leer_data_uri(texto: &str) -> Option<Imagen> {
    let coma = texto.find(',')?;
    let (prefijo, crudo) = texto.split_at(coma + 1);
    let parametros = prefijo["data:".len()..coma].strip_prefix("image/")?;
    let mut partes = parametros.split(';');
    let subtipo = partes.next()?;
    let es_subtipo = !subtipo.is_empty() && subtipo.bytes().all(is_token_byte);
    let resto: Vec<&str> = partes.collect();
    let (ultimo, medios) = resto.split_last()?;
    if !es_subtipo || !ultimo.eq_ignore_ascii_case("base64") || medios.iter().any(|p| p.is_empty()) {
        return None;
    }
    Some(Imagen::DataUri { prefijo: prefijo.to_owned(), contenido: leer_contenido(crudo)? })
}

fn leer_contenido(crudo: &str) -> Option<Contenido> {
    if crudo.is_empty() {
        return None;
    }
    if let Ok(bytes) = CANONICO.decode(crudo) {
        return Some(Contenido::Canonico(bytes));
    }
    let mut liso = Vec::with_capacity(crudo.len());
    for b in crudo.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => liso.push(b),
            b'-' => liso.push(b'+'),
            b'_' => liso.push(b'/'),
            b' ' | b'\t' | b'\n' | 0x0c | b'\r' => {}
            _ => return None,
        }
    }
    if liso.is_empty() {
        return None;
    }
    let crudo = crudo.to_owned();
    Some(match INDULGENTE.decode(&liso) {
        Ok(bytes) if !bytes.is_empty() => Contenido::Informal { bytes, crudo },
        _ => Contenido::Ilegible { crudo },
    })
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b)
}

fn has_prefix_ignoring_case(texto: &str, prefijo: &str) -> bool {
    texto.get(..prefijo.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefijo))
}

fn es_url_http(texto: &str) -> bool {
    let Some(esquema) = ["http://", "https://"].into_iter().find(|e| has_prefix_ignoring_case(texto, e))
    else {
        return false;
    };
    let resto = &texto[esquema.len()..];
    let autoridad = &resto[..resto.find(['/', '?', '#']).unwrap_or(resto.len())];
    let servidor = match autoridad.rsplit_once('@') {
        Some((usuario, _)) if usuario.contains(['@', '[', ']', '\\', ' ', '\t', '\n', '\x0c', '\r']) => {
            return false;
        }
        Some((_, servidor)) => servidor,
        None => autoridad,
    };
    let (nombre, puerto) = match servidor.strip_prefix('[').and_then(|s| s.split_once(']')) {
        Some((ip, puerto)) if ip.bytes().all(|b| b.is_ascii_hexdigit() || b == b':' || b == b'.') => {
            (ip, puerto)
        }
        Some(_) => return false,
        None => servidor.split_at(servidor.find(':').unwrap_or(servidor.len())),
    };
    let nombre_ok = !nombre.is_empty()
        && (servidor.starts_with('[')
            || nombre.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~%-".contains(&b)));
    let puerto_ok = match puerto.strip_prefix(':') {
        Some(cifras) => cifras.len() <= 5 && cifras.bytes().all(|b| b.is_ascii_digit()),
        None => puerto.is_empty(),
    };
    nombre_ok && puerto_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canonical_data_uri_is_rebuilt_byte_for_byte() {
        for texto in ["data:image/png;base64,AAEC", "DATA:image/svg+xml;charset=utf-8;BASE64,aG9sYQ=="] {
            let Some(Imagen::DataUri { prefijo, contenido: Contenido::Canonico(bytes) }) =
                Imagen::parse(texto)
            else {
                panic!("{texto} is canonical");
            };
            assert_eq!(recomponer(&prefijo, &bytes), texto);
        }
    }

    #[test]
    fn informal_payloads_decode_and_keep_their_text() {
        for payload in ["aG9s\nYQ==", " aG9sYQ", "aG9sYR==", "-_-_", "aG 9s YQ"] {
            let imagen = Imagen::parse(&format!("data:image/png;base64,{payload}"));
            match imagen {
                Some(Imagen::DataUri { contenido: Contenido::Informal { crudo, .. }, .. }) => {
                    assert_eq!(crudo, payload);
                }
                otra => panic!("{payload}: {otra:?}"),
            }
        }
    }

    #[test]
    fn what_does_not_decode_is_kept_as_illegible() {
        for payload in ["A", "====", "AAAAA", "AA=A"] {
            let imagen =
                Imagen::parse(&format!("data:image/png;base64,{payload}")).expect("base64 characters");
            assert!(!imagen.legible(), "{payload}");
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
            assert_eq!(Imagen::parse(url), Some(Imagen::Url(url.to_owned())), "{url}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for texto in [
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
            assert_eq!(Imagen::parse(texto), None, "{texto}");
        }
    }
}
