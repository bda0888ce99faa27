//! Links to photos that carry their own permission and end by themselves.
//!
//! `GET /fotos/<lead>/<foto>?caduca=<unix>&firma=<…>`: the signature is an HMAC-SHA256 over path and expiry, so a link
//! opens one photo until one moment and nothing else. Serving the photo is not done here.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::{FotoId, LeadId, Timestamp};
use hmac::Mac as _;

use crate::firma::hmac;

/// What the key is derived for: the caller's secret may serve other purposes too.
const PURPOSE: &[u8] = b"embudo/enlace/foto/v1";

/// Makes and checks links.
#[derive(Clone)]
pub struct Enlaces {
    key: [u8; 32],
    /// Links signed with this one are opened too; none is made.
    anterior: Option<[u8; 32]>,
}

/// Why a link does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnlaceInvalido {
    /// It is not one of ours, or it was changed.
    #[error("the link's signature does not match")]
    Falso,
    /// It was good once.
    #[error("the link has expired")]
    Caducado,
}

impl Enlaces {
    /// Derives the key from a secret of the caller's, which must be hard to guess.
    pub fn new(secreto: &[u8]) -> Self {
        Self { key: derivada(secreto), anterior: None }
    }

    /// Opens links too that were made with this secret: they were once signed with the API key, and live for days.
    pub fn con_anterior(self, secreto: &[u8]) -> Self {
        Self { anterior: Some(derivada(secreto)), ..self }
    }

    /// Path and query of a photo's link; goes after `PUBLIC_URL` without its last slash.
    pub fn ruta(&self, lead: LeadId, foto: FotoId, caduca: Timestamp) -> String {
        let caduca = caduca.as_second();
        let firma = URL_SAFE_NO_PAD.encode(mac(&self.key, lead, foto, caduca).finalize().into_bytes());
        format!("/fotos/{lead}/{foto}?caduca={caduca}&firma={firma}")
    }

    /// Checks the parts of a link, in constant time, against the caller's clock. A forged link is `Falso` whatever
    /// its expiry says.
    pub fn verificar(
        &self,
        lead: LeadId,
        foto: FotoId,
        caduca: i64,
        firma: &str,
        ahora: Timestamp,
    ) -> Result<(), EnlaceInvalido> {
        let firma = URL_SAFE_NO_PAD.decode(firma).map_err(|_| EnlaceInvalido::Falso)?;
        let mut keys = [Some(&self.key), self.anterior.as_ref()].into_iter().flatten();
        if !keys.any(|key| mac(key, lead, foto, caduca).verify_slice(&firma).is_ok()) {
            return Err(EnlaceInvalido::Falso);
        }
        if ahora.as_second() >= caduca {
            return Err(EnlaceInvalido::Caducado);
        }
        Ok(())
    }
}

fn derivada(secreto: &[u8]) -> [u8; 32] {
    hmac(secreto).chain_update(PURPOSE).finalize().into_bytes().into()
}

fn mac(key: &[u8; 32], lead: LeadId, foto: FotoId, caduca: i64) -> hmac::Hmac<sha2::Sha256> {
    hmac(key).chain_update(format!("/fotos/{lead}/{foto}\n{caduca}"))
}

/// Without the key.
impl fmt::Debug for Enlaces {
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

    fn firma_de(ruta: &str) -> &str {
        ruta.split_once("&firma=").expect("it is signed").1
    }

    #[test]
    fn a_link_opens_until_it_expires() {
        let enlaces = Enlaces::new(b"secreto");
        let (lead, foto) = ids();
        let ruta = enlaces.ruta(lead, foto, at(2000));
        assert!(ruta.starts_with(&format!("/fotos/{LEAD}/{FOTO}?caduca=2000&firma=")), "{ruta}");
        let firma = firma_de(&ruta);
        assert!(firma.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(enlaces.verificar(lead, foto, 2000, firma, at(1999)), Ok(()));
        assert_eq!(enlaces.verificar(lead, foto, 2000, firma, at(2000)), Err(EnlaceInvalido::Caducado));
        assert_eq!(Enlaces::new(b"secreto").ruta(lead, foto, at(2000)), ruta);
    }

    #[test]
    fn links_of_the_version_before_open_and_are_made_no_more() {
        let (lead, foto) = ids();
        let antes = Enlaces::new(b"clave").ruta(lead, foto, at(2000));
        let ahora = Enlaces::new(b"secreto").con_anterior(b"clave");
        assert_eq!(ahora.verificar(lead, foto, 2000, firma_de(&antes), at(1)), Ok(()));
        assert_eq!(ahora.ruta(lead, foto, at(2000)), Enlaces::new(b"secreto").ruta(lead, foto, at(2000)));
        let falso = Err(EnlaceInvalido::Falso);
        let otra = Enlaces::new(b"otra").ruta(lead, foto, at(2000));
        assert_eq!(ahora.verificar(lead, foto, 2000, firma_de(&otra), at(1)), falso);
        assert_eq!(Enlaces::new(b"secreto").verificar(lead, foto, 2000, firma_de(&antes), at(1)), falso);
    }

    #[test]
    fn nothing_of_a_link_can_be_changed() {
        let enlaces = Enlaces::new(b"secreto");
        let (lead, foto) = ids();
        let ruta = enlaces.ruta(lead, foto, at(2000));
        let firma = firma_de(&ruta);
        let (otro_lead, otra_foto) = (LeadId(foto.0), FotoId(lead.0));
        let ahora = at(1);
        let falso = Err(EnlaceInvalido::Falso);
        assert_eq!(enlaces.verificar(otro_lead, foto, 2000, firma, ahora), falso);
        assert_eq!(enlaces.verificar(lead, otra_foto, 2000, firma, ahora), falso);
        assert_eq!(enlaces.verificar(lead, foto, 2001, firma, ahora), falso);
        assert_eq!(Enlaces::new(b"otro").verificar(lead, foto, 2000, firma, ahora), falso);
        for malo in [
            "",
            "x",
            &firma[1..],
            &format!("{firma}="),
            &format!("{firma}AA"),
            &firma.replace(&firma[..1], "!"),
        ] {
            assert_eq!(enlaces.verificar(lead, foto, 2000, malo, ahora), falso, "{malo}");
        }
    }
}
