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

/// The secrets that sign together, in the order in which they were given; may be empty.
#[derive(Clone, Default)]
pub struct Secrets(Vec<Vec<u8>>);

/// A secret that cannot be used. The secret itself is not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "secret {position} is not usable ({reason}): write whsec_ and the base64 of 24 to 64 random bytes, such as the \
     output of: echo whsec_$(openssl rand -base64 32)"
)]
pub struct InvalidSecret {
    /// Its position in the list, counted from 1.
    pub position: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl Secrets {
    /// No secret: nothing is signed.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads secrets separated by white space.
    pub fn read(text: &str) -> Result<Self, InvalidSecret> {
        let read = |(n, secret)| read_one(secret).map_err(|reason| InvalidSecret { position: n + 1, reason });
        text.split_whitespace().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Writes a new secret from these random bytes. The key is a text of hexadecimal digits, because some receivers,
    /// such as n8n's Crypto node, only accept text as a key.
    pub fn write(random: &[u8; 32]) -> String {
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{PREFIX}{}", STANDARD.encode(digits))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the signatures of one message; its body follows in pieces.
    pub fn signer(&self, id: &str, unix_seconds: i64) -> Signer {
        let head = format!("{id}.{unix_seconds}.");
        let begin = |secret: &Vec<u8>| hmac(secret).chain_update(head.as_bytes());
        Signer(self.0.iter().map(begin).collect())
    }
}

/// Shows how many secrets there are, never the secrets.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secretos({})", self.0.len())
    }
}

/// The signatures of one message while its body is hashed.
pub struct Signer(Vec<Hmac<Sha256>>);

impl Signer {
    /// The next piece of the body.
    pub fn update(&mut self, part: &[u8]) {
        for mac in &mut self.0 {
            mac.update(part);
        }
    }

    /// The value of `webhook-signature`; `None` without secrets.
    pub fn header(self) -> Option<String> {
        let a = |mac: Hmac<Sha256>| format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let signatures: Vec<String> = self.0.into_iter().map(a).collect();
        (!signatures.is_empty()).then(|| signatures.join(" "))
    }
}

pub(crate) fn hmac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes a key of any length")
}

fn read_one(secret: &str) -> Result<Vec<u8>, &'static str> {
    let base64 = secret.strip_prefix(PREFIX).unwrap_or(secret);
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
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn sign(secrets: &str, parts: &[&str]) -> Option<String> {
        let secrets = Secrets::read(secrets).expect("they are secrets");
        let mut signer = secrets.signer("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330);
        parts.iter().for_each(|p| signer.update(p.as_bytes()));
        signer.header()
    }

    #[test]
    fn the_example_of_the_standard() {
        assert_eq!(sign(SECRET, &[r#"{"test": 2432232314}"#]).as_deref(), Some(SIGNATURE));
        assert_eq!(sign(&SECRET[6..], &[r#"{"test""#, "", r#": 2432232314}"#]).as_deref(), Some(SIGNATURE));
    }

    #[test]
    fn several_secrets_sign_together() {
        let other = format!("whsec_{}", STANDARD.encode([7; 32]));
        let signatures = sign(&format!("  {SECRET}\n{other} "), &[r#"{"test": 2432232314}"#]).expect("two");
        let (a, another) = signatures.split_once(' ').expect("two");
        assert_eq!(a, SIGNATURE);
        assert!(another.starts_with("v1,") && another != a);
    }

    #[test]
    fn without_secrets_nothing_is_signed() {
        assert_eq!(sign("  ", &["{}"]), None);
        assert!(Secrets::read("").expect("none").is_empty());
    }

    #[test]
    fn a_bad_secret_is_named_by_its_place_and_not_shown() {
        let short = STANDARD.encode([1; 23]);
        let length = STANDARD.encode([1; 65]);
        for (bad, why) in [
            ("contraseña", "not base64"),
            (&*short, "shorter"),
            (&*length, "longer"),
            ("whsec_Zm9v", "shorter"),
        ] {
            let error = Secrets::read(&format!("{SECRET} {bad}")).expect_err(bad);
            assert_eq!(error.position, 2);
            let message = error.to_string();
            assert!(message.contains(why) && !message.contains(bad), "{message}");
        }
        assert_eq!(format!("{:?}", Secrets::read(SECRET).expect("good")), "Secretos(1)");
    }
}
