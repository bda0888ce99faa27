//! The key that tells push services who we are (VAPID, RFC 8292). Browsers subscribe with its public half, so it is
//! made once for an installation: with a new key every device would have to subscribe again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;
use url::Url;

use crate::InvalidSetting;

/// How long a signed token is valid; the standard allows at most a day.
const LIFE_SECONDS: i64 = 12 * 60 * 60;

/// A key pair of P-256 that signs.
pub struct PushKey {
    pair: EcdsaKeyPair,
}

impl PushKey {
    /// A new key, in the form in which it is stored (PKCS#8).
    pub fn generate() -> Vec<u8> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        made.expect("the system gives random numbers").as_ref().to_vec()
    }

    /// Reads a stored key.
    pub fn read(kept: &[u8]) -> Result<Self, InvalidSetting> {
        let read = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, kept, &SystemRandom::new());
        let pair = read
            .map_err(|_| InvalidSetting("the key for web push in the database cannot be read".to_owned()))?;
        Ok(Self { pair })
    }

    /// Its public half, in the form that browsers expect.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key())
    }

    /// The `Authorization` of a message to this endpoint.
    pub(crate) fn authorization(&self, endpoint: &Url, contact: Option<&str>, now: Timestamp) -> String {
        let mut claims = json!({
            "aud": endpoint.origin().ascii_serialization(),
            "exp": now.as_second() + LIFE_SECONDS,
        });
        if let Some(contact) = contact {
            claims["sub"] = contact.into();
        }
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(json!({ "typ": "JWT", "alg": "ES256" })), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.expect("the system gives random numbers"));
        format!("vapid t={signed}.{signature}, k={}", self.public())
    }
}

impl std::fmt::Debug for PushKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushKey").field("public", &self.public()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn a_word_is_signed_for_one_service() {
        let key = PushKey::read(&PushKey::generate()).expect("a key");
        let endpoint = Url::parse("https://push.example:8443/a/b?c=d").expect("a URL");
        let word = key.authorization(&endpoint, Some("mailto:obra@ejemplo.es"), Timestamp::UNIX_EPOCH);
        let (token, public) =
            word.strip_prefix("vapid t=").and_then(|w| w.split_once(", k=")).expect("both parts");
        assert_eq!(public, key.public());
        let (signed, signature) = token.rsplit_once('.').expect("three parts");
        let of = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64");
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, of(public))
            .verify(signed.as_bytes(), &of(signature))
            .expect("our signature");
        let claims = of(signed.split_once('.').expect("two parts").1);
        let claims: serde_json::Value = serde_json::from_slice(&claims).expect("JSON");
        assert_eq!(
            claims,
            json!({ "aud": "https://push.example:8443", "exp": 43_200, "sub": "mailto:obra@ejemplo.es" })
        );
    }

    #[test]
    fn what_is_no_key_is_said() {
        assert!(PushKey::read(b"nada").is_err());
    }
}
