//! Passes: short texts in an address that open one thing to whoever holds them, without an account.
//!
//! A pass names its purpose and its thing, ends at a moment or never, and carries an HMAC-SHA256 over all of it. A forged one is
//! told from an expired one only after its signature matched.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use hmac::Mac as _;
use uuid::Uuid;

use crate::firma::hmac;

const PURPOSE: &[u8] = b"embudo/pase/v1";
/// Purpose, thing, end: what is signed.
const SIGNED_BYTES: usize = 1 + 16 + 8;
/// Half of the HMAC: 128 bits cannot be guessed, and the address stays short enough for a QR code.
const MAC_BYTES: usize = 16;

/// What a pass opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pase {
    /// The form of a lead, to go on with it.
    Formulario(LeadId),
    /// A quote's page.
    Presupuesto(PresupuestoId),
    /// The page where a lead's consents are withdrawn.
    Consentimientos(LeadId),
    /// Nothing yet: the ticket of a form that was shown, with the id that its lead will have.
    Boleto(LeadId),
}

/// Why a pass opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PaseInvalido {
    /// It is not one of ours, or it was changed.
    #[error("the pass is not one of ours")]
    Falso,
    /// It was good once.
    #[error("the pass has expired")]
    Caducado,
}

/// Makes and reads passes.
#[derive(Clone)]
pub struct Pases {
    key: [u8; 32],
}

impl Pases {
    /// Derives the key from a secret that every process on one database shares.
    pub fn new(secreto: &[u8]) -> Self {
        Self { key: hmac(secreto).chain_update(PURPOSE).finalize().into_bytes().into() }
    }

    /// Writes a pass that ends at a moment, or never.
    pub fn escribir(&self, pase: Pase, caduca: Option<Timestamp>) -> String {
        let (clase, id) = match pase {
            Pase::Formulario(lead) => (1, lead.0),
            Pase::Presupuesto(presupuesto) => (2, presupuesto.0),
            Pase::Consentimientos(lead) => (3, lead.0),
            Pase::Boleto(lead) => (4, lead.0),
        };
        let mut bytes = vec![clase];
        bytes.extend(id.as_bytes());
        bytes.extend(caduca.map_or(i64::MAX, Timestamp::as_second).to_be_bytes());
        let mac = hmac(&self.key).chain_update(&bytes).finalize().into_bytes();
        bytes.extend(&mac[..MAC_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a pass, against the caller's clock.
    pub fn leer(&self, texto: &str, ahora: Timestamp) -> Result<Pase, PaseInvalido> {
        let bytes = URL_SAFE_NO_PAD.decode(texto).map_err(|_| PaseInvalido::Falso)?;
        if bytes.len() != SIGNED_BYTES + MAC_BYTES {
            return Err(PaseInvalido::Falso);
        }
        let (signed, mac) = bytes.split_at(SIGNED_BYTES);
        hmac(&self.key).chain_update(signed).verify_truncated_left(mac).map_err(|_| PaseInvalido::Falso)?;
        let id = Uuid::from_slice(&signed[1..17]).map_err(|_| PaseInvalido::Falso)?;
        let caduca = i64::from_be_bytes(signed[17..].try_into().map_err(|_| PaseInvalido::Falso)?);
        if ahora.as_second() >= caduca {
            return Err(PaseInvalido::Caducado);
        }
        match signed[0] {
            1 => Ok(Pase::Formulario(LeadId(id))),
            2 => Ok(Pase::Presupuesto(PresupuestoId(id))),
            3 => Ok(Pase::Consentimientos(LeadId(id))),
            4 => Ok(Pase::Boleto(LeadId(id))),
            _ => Err(PaseInvalido::Falso),
        }
    }
}

/// Without the key.
impl fmt::Debug for Pases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pases")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHORA: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn a_pass_opens_its_thing_until_it_ends() {
        let pases = Pases::new(b"un secreto");
        let id = Uuid::from_u128(7);
        let luego = Timestamp::from_second(60).expect("a moment");
        for pase in [
            Pase::Formulario(LeadId(id)),
            Pase::Presupuesto(PresupuestoId(id)),
            Pase::Consentimientos(LeadId(id)),
            Pase::Boleto(LeadId(id)),
        ] {
            assert_eq!(pases.leer(&pases.escribir(pase, None), AHORA), Ok(pase));
            let corto = pases.escribir(pase, Some(luego));
            assert_eq!(pases.leer(&corto, AHORA), Ok(pase));
            assert_eq!(pases.leer(&corto, luego), Err(PaseInvalido::Caducado));
        }
    }

    #[test]
    fn every_changed_character_is_a_forgery() {
        let pases = Pases::new(b"un secreto");
        let bueno = pases.escribir(Pase::Formulario(LeadId(Uuid::from_u128(7))), None);
        for i in 0..bueno.len() {
            let otro = if bueno.as_bytes()[i] == b'A' { "Q" } else { "A" };
            let mut falso = bueno.clone();
            falso.replace_range(i..=i, otro);
            assert_eq!(pases.leer(&falso, AHORA), Err(PaseInvalido::Falso), "{falso}");
        }
        assert_eq!(Pases::new(b"otro").leer(&bueno, AHORA), Err(PaseInvalido::Falso));
        for mal in ["", "x", "ñ", &bueno[1..]] {
            assert_eq!(pases.leer(mal, AHORA), Err(PaseInvalido::Falso), "{mal}");
        }
    }
}
