//! Web push: a browser in which a person wants to get notices, and what it shows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::{PushId, SessionId, UserId};

/// The maximum number of devices of a person. A further device replaces the one that was used longest ago.
pub const MAX_DEVICES: u32 = 10;
/// The maximum length of a stored endpoint, in bytes. Those of the known push services have some 200 to 500.
pub const MAX_ENDPOINT: usize = 1_024;
/// How long a notice is worth showing. A device that is off for longer does not get it.
pub const WORTH_SHOWING: SignedDuration = SignedDuration::from_hours(24);

/// What a browser gives us to reach it: the address where its push service takes messages, and the keys that encrypt
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushTarget {
    /// An https address of the push service. Anybody who knows it can send messages, so it is shown to nobody.
    pub endpoint: String,
    /// The browser's public key, an uncompressed point of P-256.
    pub p256dh: [u8; 65],
    /// The secret that the browser shares with us.
    pub auth: [u8; 16],
}

/// Why the data of a browser is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidTarget {
    Endpoint,
    Key,
}

impl PushTarget {
    /// Reads what a browser sent. Whether we may connect to the endpoint is checked on every delivery, not here.
    pub fn parse(endpoint: &str, p256dh: &str, auth: &str) -> Result<Self, InvalidTarget> {
        let is_fit = endpoint.len() <= MAX_ENDPOINT
            && endpoint.starts_with("https://")
            && endpoint.bytes().all(|b| b.is_ascii_graphic());
        if !is_fit {
            return Err(InvalidTarget::Endpoint);
        }
        let p256dh: [u8; 65] = read(p256dh).filter(|key: &[u8; 65]| key[0] == 4).ok_or(InvalidTarget::Key)?;
        let auth = read(auth).ok_or(InvalidTarget::Key)?;
        Ok(Self { endpoint: endpoint.to_owned(), p256dh, auth })
    }

    /// The browser's key as the browser writes it. By this key a browser recognises itself in the list of its person's
    /// devices.
    pub fn key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.p256dh)
    }
}

/// Base64 as browsers write it, with or without padding.
fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()
}

/// A device of a person on which notices are switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushDevice {
    pub id: PushId,
    pub user: UserId,
    /// The session in which notices were switched on, or a later session of the same browser. If somebody ends that
    /// session by hand, the device is removed too.
    pub session: SessionId,
    pub target: PushTarget,
    /// «Chrome en Android».
    pub agent: String,
    pub creado_en: Timestamp,
    /// When its push service last accepted a message for it.
    pub usado_en: Option<Timestamp>,
}

/// What a device shows. It passes through the push service encrypted, but appears on the screen of a locked telephone,
/// so it contains no personal data except the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PushMessage {
    #[serde(rename = "titulo")]
    pub title: String,
    #[serde(rename = "texto")]
    pub text: String,
    /// The page that a touch opens, as a path on this server.
    #[serde(rename = "ruta")]
    pub path: String,
    /// A newer notice with the same tag replaces this one on the screen.
    #[serde(rename = "marca")]
    pub tag: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn a_browsers_words_are_read() {
        let read = PushTarget::parse("https://push.example/a", KEY, AUTH).expect("a target");
        assert_eq!((read.key().as_str(), read.auth[0]), (KEY, 5));
        assert_eq!(PushTarget::parse("https://push.example/a", KEY, &format!("{AUTH}==")), Ok(read));
    }

    #[test]
    fn what_is_no_target_is_refused() {
        use InvalidTarget::{Endpoint, Key};
        let long = format!("https://push.example/{}", "a".repeat(MAX_ENDPOINT));
        let compressed = URL_SAFE_NO_PAD.encode([2; 65]);
        for (endpoint, key, auth, why) in [
            ("http://push.example/a", KEY, AUTH, Endpoint),
            ("push.example", KEY, AUTH, Endpoint),
            ("https://push.example/a b", KEY, AUTH, Endpoint),
            ("https://push.example/ñ", KEY, AUTH, Endpoint),
            (long.as_str(), KEY, AUTH, Endpoint),
            ("https://push.example/a", "", AUTH, Key),
            ("https://push.example/a", &KEY[1..], AUTH, Key),
            ("https://push.example/a", compressed.as_str(), AUTH, Key),
            ("https://push.example/a", KEY, "AAAA", Key),
            ("https://push.example/a", KEY, "no*base64", Key),
        ] {
            assert_eq!(PushTarget::parse(endpoint, key, auth), Err(why), "{endpoint} {key} {auth}");
        }
    }
}
