//! Web push: a message for one browser, encrypted so that its push service cannot read it (RFC 8291), and signed so
//! that the service knows that it is ours (RFC 8292). It is sent by [`Webhooks::push`](crate::Webhooks::push).

mod encrypt;
mod key;

use embudo_domain::push::PushTarget;

pub use encrypt::{Sealed, seal};
pub use key::PushKey;

/// How urgently the push service should wake up the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    Normal,
    /// Also wakes a telephone that saves its battery.
    High,
}

impl Urgency {
    /// The header's word (RFC 8030 §5.3).
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// A message to be sent to a browser.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingPush<'a> {
    pub target: &'a PushTarget,
    /// What the browser's service worker receives.
    pub content: &'a [u8],
    /// For how many seconds the push service keeps it for a device that is off.
    pub ttl_seconds: u64,
    pub urgency: Urgency,
    pub key: &'a PushKey,
    /// An https or mailto address at which the push service can reach us.
    pub contact: Option<&'a str>,
}
