//! The Bearer keys that requests carry.
//!
//! Answers one question: does this request carry a right key? It does not count, limit or answer; [`crate::Callers`]
//! counts, the API answers. No key ever leaves this type, not even through `Debug`.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

const SCHEME: &[u8] = b"bearer";

/// A key that is empty, or only white space, would let everybody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyKey;

impl std::fmt::Display for EmptyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the key is empty or only white space")
    }
}

impl std::error::Error for EmptyKey {}

/// Which of the accepted keys a request carried; a limit per key counts by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhichKey {
    /// The key in force.
    Current,
    /// The key before it, which is still accepted during a rotation.
    Previous,
    /// A company's own key, which the database holds, by its id.
    Kept(u128),
}

/// The accepted keys, kept as SHA-256: comparing digests takes the same time whatever the length.
#[derive(Clone)]
pub struct ApiKeys {
    current: [u8; 32],
    previous: Option<[u8; 32]>,
}

impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiKeys").finish_non_exhaustive()
    }
}

impl ApiKeys {
    /// The key in force and, during a rotation, the one before it. White space around a key is
    /// dropped, because no header could carry it.
    ///
    /// # Errors
    /// [`EmptyKey`] when either is empty.
    pub fn new(current: &str, previous: Option<&str>) -> Result<Self, EmptyKey> {
        Ok(Self { current: digest_of(current)?, previous: previous.map(digest_of).transpose()? })
    }

    /// Whether the request carries a right key.
    #[must_use]
    pub fn check(&self, headers: &HeaderMap) -> bool {
        self.identify(headers).is_some()
    }

    /// Which right key the request carries; `None` if it carries none.
    #[must_use]
    pub fn identify(&self, headers: &HeaderMap) -> Option<WhichKey> {
        let presented: [u8; 32] = Sha256::digest(presented_key(headers)?).into();
        // Both comparisons always run, so that the time does not reveal which key matched.
        let is_current = presented.ct_eq(&self.current);
        let is_previous = self.previous.map_or(Choice::from(0), |key| presented.ct_eq(&key));
        match (bool::from(is_current), bool::from(is_previous)) {
            (true, _) => Some(WhichKey::Current),
            (false, true) => Some(WhichKey::Previous),
            (false, false) => None,
        }
    }
}

fn digest_of(key: &str) -> Result<[u8; 32], EmptyKey> {
    let key = key.trim();
    if key.is_empty() { Err(EmptyKey) } else { Ok(Sha256::digest(key).into()) }
}

/// The key that a request carries, right or wrong. One `Authorization` header with the scheme `Bearer`, in any case,
/// and a key. Two headers are refused, because it would be unclear which one counts.
#[must_use]
pub fn presented_key(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { bearer(value.as_bytes()) }
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
        let keys = ApiKeys::new("nueva clave, entera", Some(" vieja\n")).unwrap();
        for right in ["Bearer nueva clave, entera", "bearer nueva clave, entera", "BEARER   vieja"] {
            assert!(keys.check(&headers(&[right])), "{right}");
        }
        assert_eq!(keys.identify(&headers(&["Bearer vieja"])), Some(WhichKey::Previous));
        assert!(!ApiKeys::new("nueva", None).unwrap().check(&headers(&["Bearer vieja"])));
    }

    #[test]
    fn refuses_everything_else() {
        let keys = ApiKeys::new("clave", None).unwrap();
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
            assert!(!keys.check(&headers(&[wrong])), "{wrong}");
        }
        assert!(!keys.check(&headers(&[])));
        assert!(!keys.check(&headers(&["Bearer clave", "Bearer clave"])));
    }

    #[test]
    fn refuses_an_empty_key_and_shows_none() {
        assert_eq!(ApiKeys::new(" \t", None).unwrap_err(), EmptyKey);
        assert_eq!(ApiKeys::new("clave", Some("")).unwrap_err(), EmptyKey);
        assert_eq!(format!("{:?}", ApiKeys::new("clave", None).unwrap()), "ApiKeys { .. }");
    }
}
