//! Standard Webhooks v1 signatures: HMAC-SHA256 over `id.timestamp.body`, one for each secret.
//!
//! A secret is written `whsec_<base64>` (the prefix may be left out, as the reference libraries allow): 24 to 64 random
//! bytes, as the standard asks. Plain text is refused rather than guessed at, because a receiver that uses a
//! reference library would decode it as base64 and never agree with us.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// The secrets that sign together, oldest or newest first as they were given; may be empty.
#[derive(Clone, Default)]
pub struct Secretos(Vec<Vec<u8>>);

/// A secret that is not one. The secret itself is not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "secret {position} is not usable ({reason}): write whsec_ and the base64 of 24 to 64 random bytes, such as the \
     output of: echo whsec_$(openssl rand -base64 32)"
)]
pub struct SecretoInvalido {
    /// Which one, counted from 1.
    pub position: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl Secretos {
    /// No secret: nothing is signed.
    pub fn ninguno() -> Self {
        Self::default()
    }

    /// Reads secrets separated by white space.
    pub fn leer(texto: &str) -> Result<Self, SecretoInvalido> {
        let leer =
            |(n, secreto)| leer_uno(secreto).map_err(|reason| SecretoInvalido { position: n + 1, reason });
        texto.split_whitespace().enumerate().map(leer).collect::<Result<_, _>>().map(Self)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the signatures of one message; its body follows in pieces.
    pub fn firmante(&self, id: &str, unix_seconds: i64) -> Firmante {
        let cabeza = format!("{id}.{unix_seconds}.");
        let empezar = |secreto: &Vec<u8>| hmac(secreto).chain_update(cabeza.as_bytes());
        Firmante(self.0.iter().map(empezar).collect())
    }
}

/// How many there are, never which.
impl fmt::Debug for Secretos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secretos({})", self.0.len())
    }
}

/// The signatures of one message, under way.
pub struct Firmante(Vec<Hmac<Sha256>>);

impl Firmante {
    /// The next piece of the body.
    pub fn update(&mut self, pieza: &[u8]) {
        for mac in &mut self.0 {
            mac.update(pieza);
        }
    }

    /// The value of `webhook-signature`; `None` without secrets.
    pub fn cabecera(self) -> Option<String> {
        let una = |mac: Hmac<Sha256>| format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let firmas: Vec<String> = self.0.into_iter().map(una).collect();
        (!firmas.is_empty()).then(|| firmas.join(" "))
    }
}

pub(crate) fn hmac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes a key of any length")
}

fn leer_uno(secreto: &str) -> Result<Vec<u8>, &'static str> {
    let base64 = secreto.strip_prefix(PREFIX).unwrap_or(secreto);
    let bytes = STANDARD.decode(base64).map_err(|_| "it is not base64")?;
    match bytes.len() {
        0..24 => Err("it is shorter than 24 bytes"),
        24..=64 => Ok(bytes),
        _ => Err("it is longer than 64 bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard's own example.
    const SECRETO: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const FIRMA: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn firmar(secretos: &str, piezas: &[&str]) -> Option<String> {
        let secretos = Secretos::leer(secretos).expect("they are secrets");
        let mut firmante = secretos.firmante("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330);
        piezas.iter().for_each(|p| firmante.update(p.as_bytes()));
        firmante.cabecera()
    }

    #[test]
    fn the_example_of_the_standard() {
        assert_eq!(firmar(SECRETO, &[r#"{"test": 2432232314}"#]).as_deref(), Some(FIRMA));
        assert_eq!(firmar(&SECRETO[6..], &[r#"{"test""#, "", r#": 2432232314}"#]).as_deref(), Some(FIRMA));
    }

    #[test]
    fn several_secrets_sign_together() {
        let otro = format!("whsec_{}", STANDARD.encode([7; 32]));
        let firmas = firmar(&format!("  {SECRETO}\n{otro} "), &[r#"{"test": 2432232314}"#]).expect("two");
        let (una, otra) = firmas.split_once(' ').expect("two");
        assert_eq!(una, FIRMA);
        assert!(otra.starts_with("v1,") && otra != una);
    }

    #[test]
    fn without_secrets_nothing_is_signed() {
        assert_eq!(firmar("  ", &["{}"]), None);
        assert!(Secretos::leer("").expect("none").is_empty());
    }

    #[test]
    fn a_bad_secret_is_named_by_its_place_and_not_shown() {
        let corto = STANDARD.encode([1; 23]);
        let largo = STANDARD.encode([1; 65]);
        for (malo, por_que) in [
            ("contraseña", "not base64"),
            (&*corto, "shorter"),
            (&*largo, "longer"),
            ("whsec_Zm9v", "shorter"),
        ] {
            let error = Secretos::leer(&format!("{SECRETO} {malo}")).expect_err(malo);
            assert_eq!(error.position, 2);
            let mensaje = error.to_string();
            assert!(mensaje.contains(por_que) && !mensaje.contains(malo), "{mensaje}");
        }
        assert_eq!(format!("{:?}", Secretos::leer(SECRETO).expect("good")), "Secretos(1)");
    }
}
