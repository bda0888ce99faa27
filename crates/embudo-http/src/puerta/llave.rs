//! The Bearer key at the door.
//!
//! Answers one question: does this request carry a right key? It must not count, limit or answer;
//! [`super::Fallos`] counts, the API answers. No key ever leaves it, not even through `Debug`.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

const SCHEME: &[u8] = b"bearer";

/// A key that is empty, or only white space, would let everybody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlaveVacia;

impl std::fmt::Display for LlaveVacia {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the key is empty or only white space")
    }
}

impl std::error::Error for LlaveVacia {}

/// Which of the accepted keys a request carried; what a limit per key counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Llave {
    /// The key in force.
    Actual,
    /// The one that is being rotated out.
    Anterior,
}

/// The accepted keys, kept as SHA-256: comparing digests takes the same time whatever the length.
#[derive(Clone)]
pub struct Llaves {
    actual: [u8; 32],
    anterior: Option<[u8; 32]>,
}

impl std::fmt::Debug for Llaves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Llaves").finish_non_exhaustive()
    }
}

impl Llaves {
    /// The key in force and, during a rotation, the one before it. White space around a key is
    /// dropped, because no header could carry it.
    ///
    /// # Errors
    /// [`LlaveVacia`] when either is empty.
    pub fn new(actual: &str, anterior: Option<&str>) -> Result<Self, LlaveVacia> {
        Ok(Self { actual: digest_of(actual)?, anterior: anterior.map(digest_of).transpose()? })
    }

    /// Whether the request carries a right key.
    #[must_use]
    pub fn check(&self, headers: &HeaderMap) -> bool {
        self.identify(headers).is_some()
    }

    /// Which right key the request carries. One `Authorization` header with the scheme `Bearer`,
    /// in any case, and a key; two headers are refused because nobody could say which one counts.
    #[must_use]
    pub fn identify(&self, headers: &HeaderMap) -> Option<Llave> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next()?;
        if values.next().is_some() {
            return None;
        }
        let presented: [u8; 32] = Sha256::digest(bearer(value.as_bytes())?).into();
        // Both comparisons always run.
        let is_actual = presented.ct_eq(&self.actual);
        let is_anterior = self.anterior.map_or(Choice::from(0), |key| presented.ct_eq(&key));
        match (bool::from(is_actual), bool::from(is_anterior)) {
            (true, _) => Some(Llave::Actual),
            (false, true) => Some(Llave::Anterior),
            (false, false) => None,
        }
    }
}

fn digest_of(key: &str) -> Result<[u8; 32], LlaveVacia> {
    let key = key.trim();
    if key.is_empty() { Err(LlaveVacia) } else { Ok(Sha256::digest(key).into()) }
}

/// The key in `Bearer <key>`; the rest of the line is one key, spaces included.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(SCHEME.len())?;
    if !scheme.eq_ignore_ascii_case(SCHEME) || !rest.starts_with(b" ") {
        return None;
    }
    let key = rest.trim_ascii();
    (!key.is_empty()).then_some(key)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for value in values {
            map.append(AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        map
    }

    #[test]
    fn accepts_the_key_in_force_and_the_previous_one() {
        let llaves = Llaves::new("nueva clave, entera", Some(" vieja\n")).unwrap();
        for right in ["Bearer nueva clave, entera", "bearer nueva clave, entera", "BEARER   vieja"] {
            assert!(llaves.check(&headers(&[right])), "{right}");
        }
        assert_eq!(llaves.identify(&headers(&["Bearer vieja"])), Some(Llave::Anterior));
        assert!(!Llaves::new("nueva", None).unwrap().check(&headers(&["Bearer vieja"])));
    }

    #[test]
    fn refuses_everything_else() {
        let llaves = Llaves::new("clave", None).unwrap();
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearerclave",
            "Basic clave",
            "clave",
            "Bearer Clave",
            "Bearer clave2",
            "Bearer clav",
            "Bearer\tclave",
            "Bearer clave,clave",
            "Bearer ñ",
        ] {
            assert!(!llaves.check(&headers(&[wrong])), "{wrong}");
        }
        assert!(!llaves.check(&headers(&[])));
        assert!(!llaves.check(&headers(&["Bearer clave", "Bearer clave"])));
    }

    #[test]
    fn refuses_an_empty_key_and_shows_none() {
        assert_eq!(Llaves::new(" \t", None).unwrap_err(), LlaveVacia);
        assert_eq!(Llaves::new("clave", Some("")).unwrap_err(), LlaveVacia);
        assert_eq!(format!("{:?}", Llaves::new("clave", None).unwrap()), "Llaves { .. }");
    }
}
