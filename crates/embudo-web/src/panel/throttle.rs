//! How often somebody may guess: passwords and codes per account and per address, links per account and per address.
//!
//! Attempts are counted, not mistakes, and an account that does not exist is counted as one that does: nothing tells them apart.

use std::time::Duration;

use embudo_domain::{Digest, Timestamp, UserId};
use embudo_door::{RateLimit, subscriber};
use std::net::IpAddr;

use crate::parts::{Cliente, Refusal};

const WINDOW: Duration = Duration::from_mins(15);
/// Samples that a person may send in that time.
const SAMPLES: u32 = 20;

/// Attempts in a quarter of an hour.
#[derive(Debug, Clone, Copy)]
pub struct LoginQuota {
    /// At one account, from anywhere.
    pub per_account: u32,
    /// From one address, at any account.
    pub per_address: u32,
}

impl Default for LoginQuota {
    fn default() -> Self {
        Self { per_account: 10, per_address: 40 }
    }
}

/// What was tried so far.
#[derive(Debug)]
pub(crate) struct Throttle {
    accounts: RateLimit<Digest>,
    addresses: RateLimit<IpAddr>,
    links: RateLimit<Digest>,
    samples: RateLimit<UserId>,
}

impl Throttle {
    pub fn new(quota: LoginQuota) -> Self {
        Self {
            accounts: RateLimit::new(quota.per_account, WINDOW),
            addresses: RateLimit::new(quota.per_address, WINDOW),
            // A mailbox is not to be flooded.
            links: RateLimit::new((quota.per_account / 3).max(1), WINDOW),
            samples: RateLimit::new(SAMPLES, WINDOW),
        }
    }

    /// Counts an attempt at an account by its e-mail.
    pub fn password(&self, email: &str, cliente: Cliente, now: Timestamp) -> Result<(), Refusal> {
        self.address(cliente, now)?;
        limited(self.accounts.record(account(email), 1, since_epoch(now)))
    }

    /// Counts an attempt at a second factor, or at a password that is asked for again.
    pub fn again(&self, user: UserId, cliente: Cliente, now: Timestamp) -> Result<(), Refusal> {
        self.address(cliente, now)?;
        limited(self.accounts.record(Digest::of(user.0.as_bytes()), 1, since_epoch(now)))
    }

    /// Counts a wish for a link by mail.
    pub fn link(&self, email: &str, cliente: Cliente, now: Timestamp) -> Result<(), Refusal> {
        self.address(cliente, now)?;
        limited(self.links.record(account(email), 1, since_epoch(now)))
    }

    /// Counts something that a person has sent out to try it.
    pub fn sample(&self, user: UserId, now: Timestamp) -> Result<(), Refusal> {
        limited(self.samples.record(user, 1, since_epoch(now)))
    }

    /// Counts an attempt at anything that can be guessed without naming an account.
    pub fn address(&self, cliente: Cliente, now: Timestamp) -> Result<(), Refusal> {
        limited(self.addresses.record(subscriber(cliente.0), 1, since_epoch(now)))
    }
}

fn account(email: &str) -> Digest {
    Digest::of(email.trim().to_lowercase().as_bytes())
}

fn since_epoch(now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0))
}

fn limited(counted: Result<(), embudo_door::Limited>) -> Result<(), Refusal> {
    counted.map_err(|limited| Refusal::TooMuch(limited.retry_after_s.max(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_addresses_have_their_own_counts() {
        let throttle = Throttle::new(LoginQuota { per_account: 3, per_address: 5 });
        let from = |text: &str| Cliente(text.parse().expect("an address"));
        let now = Timestamp::from_second(900 * 1_000_000).expect("a moment");
        for _ in 0..3 {
            assert_eq!(throttle.password("ana@x.es", from("192.0.2.1"), now), Ok(()));
        }
        assert!(
            throttle.password(" ANA@x.es", from("192.0.2.2"), now).is_err(),
            "from anywhere, in any spelling"
        );
        assert_eq!(throttle.password("b@x.es", from("192.0.2.1"), now), Ok(()));
        assert_eq!(throttle.password("c@x.es", from("192.0.2.1"), now), Ok(()));
        assert!(throttle.password("d@x.es", from("192.0.2.1"), now).is_err(), "at any account");
        let later = now + jiff::SignedDuration::from_mins(31);
        assert_eq!(throttle.password("ana@x.es", from("192.0.2.1"), later), Ok(()));
    }
}
