//! Signed links to photos, which need no login and expire.
//!
//! `GET /fotos/<lead>/<foto>?caduca=<unix>&firma=<…>`: the signature is an HMAC-SHA256 over path and expiry, so a link
//! opens one photo until one moment and nothing else. Serving the photo is not done here.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::{FotoId, LeadId, Timestamp};
use hmac::Mac as _;

use crate::signature::hmac;

/// The purpose of the derived key: other keys may be derived from the same secret.
const PURPOSE: &[u8] = b"embudo/enlace/foto/v1";

/// Makes and checks links.
#[derive(Clone)]
pub struct Links {
    key: [u8; 32],
}

/// Why a link does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLink {
    /// The link was not signed by us, or it was changed.
    #[error("the link's signature does not match")]
    False,
    /// The link was valid, but its time is over.
    #[error("the link has expired")]
    Expired,
}

impl Links {
    /// Derives the key from a secret of the caller's, which must be hard to guess.
    pub fn new(secret: &[u8]) -> Self {
        Self { key: derived(secret) }
    }

    /// Path and query of a photo's link; goes after `PUBLIC_URL` without its last slash.
    pub fn path(&self, lead: LeadId, foto: FotoId, expires: Timestamp) -> String {
        let expires = expires.as_second();
        let signature = URL_SAFE_NO_PAD.encode(mac(&self.key, lead, foto, expires).finalize().into_bytes());
        format!("/fotos/{lead}/{foto}?caduca={expires}&firma={signature}")
    }

    /// Checks the parts of a link, in constant time, against the caller's clock. A forged link is `False` whatever
    /// its expiry says.
    pub fn verify(
        &self,
        lead: LeadId,
        foto: FotoId,
        expires: i64,
        signature: &str,
        now: Timestamp,
    ) -> Result<(), InvalidLink> {
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| InvalidLink::False)?;
        if mac(&self.key, lead, foto, expires).verify_slice(&signature).is_err() {
            return Err(InvalidLink::False);
        }
        if now.as_second() >= expires {
            return Err(InvalidLink::Expired);
        }
        Ok(())
    }
}

fn derived(secret: &[u8]) -> [u8; 32] {
    hmac(secret).chain_update(PURPOSE).finalize().into_bytes().into()
}

fn mac(key: &[u8; 32], lead: LeadId, foto: FotoId, expires: i64) -> hmac::Hmac<sha2::Sha256> {
    hmac(key).chain_update(format!("/fotos/{lead}/{foto}\n{expires}"))
}

/// Does not show the key.
impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Enlaces")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAD: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
    const FOTO: &str = "0190a1b2-c3d4-7e5f-8a6b-000000000001";

    fn ids() -> (LeadId, FotoId) {
        (LeadId::parse(LEAD).expect("an id"), FotoId::parse(FOTO).expect("an id"))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("in range")
    }

    fn signature_of(path: &str) -> &str {
        path.split_once("&firma=").expect("it is signed").1
    }

    #[test]
    fn a_link_opens_until_it_expires() {
        let links = Links::new(b"secreto");
        let (lead, foto) = ids();
        let path = links.path(lead, foto, at(2000));
        assert!(path.starts_with(&format!("/fotos/{LEAD}/{FOTO}?caduca=2000&firma=")), "{path}");
        let signature = signature_of(&path);
        assert!(signature.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(links.verify(lead, foto, 2000, signature, at(1999)), Ok(()));
        assert_eq!(links.verify(lead, foto, 2000, signature, at(2000)), Err(InvalidLink::Expired));
        assert_eq!(Links::new(b"secreto").path(lead, foto, at(2000)), path);
    }

    #[test]
    fn nothing_of_a_link_can_be_changed() {
        let links = Links::new(b"secreto");
        let (lead, foto) = ids();
        let path = links.path(lead, foto, at(2000));
        let signature = signature_of(&path);
        let (other_lead, another_foto) = (LeadId(foto.0), FotoId(lead.0));
        let now = at(1);
        let false_ = Err(InvalidLink::False);
        assert_eq!(links.verify(other_lead, foto, 2000, signature, now), false_);
        assert_eq!(links.verify(lead, another_foto, 2000, signature, now), false_);
        assert_eq!(links.verify(lead, foto, 2001, signature, now), false_);
        assert_eq!(Links::new(b"otro").verify(lead, foto, 2000, signature, now), false_);
        for bad in [
            "",
            "x",
            &signature[1..],
            &format!("{signature}="),
            &format!("{signature}AA"),
            &signature.replace(&signature[..1], "!"),
        ] {
            assert_eq!(links.verify(lead, foto, 2000, bad, now), false_, "{bad}");
        }
    }
}
