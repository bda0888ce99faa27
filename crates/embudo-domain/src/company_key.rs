//! An API key that is bound to one company: it reads and writes that company's leads and sees nothing of others.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use crate::{CompanyKeyId, Digest, EmpresaId};

/// The maximum number of keys of one company that are in force at once.
pub const MAX_LIVE: u32 = 20;
/// The maximum number of keys of all companies together: they are held in memory.
pub const MAX_KNOWN: u32 = 10_000;
/// The time of the last use is written again only when the stored time is at least this old.
pub const USE_STEP: SignedDuration = SignedDuration::from_mins(5);
/// The same for a use from another address: such a use is written sooner.
pub const MOVED_STEP: SignedDuration = SignedDuration::from_mins(1);

const START: &str = "emb_";
const RANDOM_BYTES: usize = 32;
const HEX: usize = 2 * RANDOM_BYTES;
/// How many characters of a key are shown, so that people can tell keys apart.
const SHOWN: usize = START.len() + 8;
const MAX_NAME: usize = 60;

/// A key as it is stored: everything but the secret text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyKey {
    pub id: CompanyKeyId,
    pub empresa: EmpresaId,
    /// The name that its company gave it.
    pub nombre: String,
    /// Its first characters.
    pub prefix: String,
    /// The name of the person who created it, at that time.
    pub creada_por: String,
    pub creada_en: Timestamp,
    /// When it was last used, to within `USE_STEP`.
    pub usada_en: Option<Timestamp>,
    /// The address from which it was last used.
    pub usada_desde: Option<IpAddr>,
    pub revocada_en: Option<Timestamp>,
}

/// A key in force, and the company whose data it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveKey {
    pub id: CompanyKeyId,
    pub empresa: EmpresaId,
    pub digest: Digest,
    pub usada_en: Option<Timestamp>,
}

/// The text of the key that is made of these random bytes.
pub fn write(random: &[u8; RANDOM_BYTES]) -> String {
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{START}{digits}")
}

/// The digest under which a key is stored. `None`: the text does not have the form of a company's key.
pub fn digest(presented: &[u8]) -> Option<Digest> {
    let digits = presented.strip_prefix(START.as_bytes())?;
    let is_key = digits.len() == HEX && digits.iter().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    is_key.then(|| Digest::of(presented))
}

/// The part of a key that stays visible after its creation.
pub fn prefix(key: &str) -> String {
    key.chars().take(SHOWN).collect()
}

/// Reads the name that somebody gave a key.
pub fn parse_name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    match name.chars().count() {
        0 => Err("Ponle un nombre, por ejemplo el del programa que la usará."),
        1..=MAX_NAME if !name.chars().any(char::is_control) => Ok(name.to_owned()),
        _ => Err("El nombre puede tener hasta 60 letras."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_here_has_a_mark() {
        let key = write(&[7; 32]);
        assert_eq!(digest(key.as_bytes()), Some(Digest::of(key.as_bytes())));
        assert_eq!(prefix(&key), "emb_07070707");
        for other in ["", "emb_", "clave", &key[..67], &format!("{key}0"), &key.to_uppercase(), &key[4..]] {
            assert_eq!(digest(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_name_is_one_line_of_sixty_letters() {
        assert_eq!(parse_name(" n8n "), Ok("n8n".to_owned()));
        for bad in ["", "  ", &"a".repeat(61), "a\nb"] {
            assert!(parse_name(bad).is_err(), "{bad}");
        }
    }
}
