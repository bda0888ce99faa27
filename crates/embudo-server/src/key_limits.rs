//! How often keys may be tried per minute: wrong keys per address, and, where the operator wants it, right ones.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::{Limited, RateLimit, WhichKey, subscriber};

const MINUTE: Duration = Duration::from_secs(60);
const WRONG_KEYS_PER_MINUTE: u32 = 1_000;

/// Wrong keys per address. Call it only for a request whose key was wrong: right keys are neither
/// counted nor limited here.
#[derive(Debug)]
pub(crate) struct WrongKeys {
    origin: Instant,
    limit: RateLimit<IpAddr>,
}

impl Default for WrongKeys {
    fn default() -> Self {
        Self::new(WRONG_KEYS_PER_MINUTE)
    }
}

impl WrongKeys {
    pub(crate) fn new(limit: u32) -> Self {
        Self { origin: Instant::now(), limit: RateLimit::new(limit, MINUTE) }
    }

    /// Counts one wrong key from `address`, or refuses if there were too many.
    pub(crate) fn record(&self, address: IpAddr, now: Instant) -> Result<(), Limited> {
        self.limit.record(subscriber(address), 1, now.saturating_duration_since(self.origin))
    }
}

/// An optional limit for right keys: requests a minute for each key.
#[derive(Debug)]
pub struct KeyLimit {
    origin: Instant,
    limit: Option<RateLimit<WhichKey>>,
}

impl KeyLimit {
    /// `None` is no limit, which is the default.
    #[must_use]
    pub fn new(per_minute: Option<u32>) -> Self {
        Self { origin: Instant::now(), limit: per_minute.map(|limit| RateLimit::new(limit, MINUTE)) }
    }

    /// Counts one request with `key`.
    ///
    /// # Errors
    /// [`Limited`] beyond the limit.
    pub fn record(&self, key: WhichKey, now: Instant) -> Result<(), Limited> {
        let Some(limit) = &self.limit else { return Ok(()) };
        limit.record(key, 1, now.saturating_duration_since(self.origin))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ipv6_counts_by_64_and_mapped_addresses_as_ipv4() {
        let (wrong_keys, now) = (WrongKeys::new(1), Instant::now());
        assert!(wrong_keys.record(ip("2001:db8::1"), now).is_ok());
        assert!(wrong_keys.record(ip("2001:db8::ffff:2"), now).is_err());
        assert!(wrong_keys.record(ip("2001:db8:0:1::1"), now).is_ok());
        assert!(wrong_keys.record(ip("192.0.2.1"), now).is_ok());
        assert!(wrong_keys.record(ip("::ffff:192.0.2.1"), now).is_err());
    }

    #[test]
    fn an_address_may_try_a_thousand_wrong_keys_a_minute() {
        let (wrong_keys, now) = (WrongKeys::default(), Instant::now());
        assert!((0..1_000).all(|_| wrong_keys.record(ip("192.0.2.1"), now).is_ok()));
        assert!(wrong_keys.record(ip("192.0.2.1"), now).is_err());
        assert!(wrong_keys.record(ip("192.0.2.2"), now).is_ok());
    }

    #[test]
    fn right_keys_have_no_limit_unless_one_is_set() {
        let now = Instant::now();
        let none = KeyLimit::new(None);
        assert!((0..10_000).all(|_| none.record(WhichKey::Current, now).is_ok()));
        let two = KeyLimit::new(Some(2));
        assert!(two.record(WhichKey::Current, now).is_ok() && two.record(WhichKey::Current, now).is_ok());
        assert!(two.record(WhichKey::Current, now).is_err());
        assert!(two.record(WhichKey::Previous, now).is_ok());
    }
}
