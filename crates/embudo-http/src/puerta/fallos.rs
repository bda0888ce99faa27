//! How often something may happen in a minute: wrong keys per address, and, where the operator
//! wants it, right keys.
//!
//! Counting is a sliding window made of two fixed minutes, so memory is bounded and nothing has to
//! be swept: when a minute ends its whole map is dropped. It must not read clocks or headers.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue};

use super::llave::Llave;

const WINDOW_S: u64 = 60;
/// Failures a minute that one address may have.
pub const FALLOS_POR_MINUTO: u32 = 1_000;
/// Addresses counted one by one in a minute; all further ones share a single count.
const ADDRESSES: usize = 65_536;

/// Too many; come back later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limitado {
    /// Seconds until there is room for one more (at least 1).
    pub retry_after_s: u64,
    /// What a minute allows.
    pub limite: u32,
}

impl Limitado {
    /// `Retry-After`, and the `RateLimit` pair of the IETF draft of that name.
    #[must_use]
    pub fn headers(&self) -> [(HeaderName, HeaderValue); 3] {
        let header = |text: String| HeaderValue::from_str(&text).expect("digits and ASCII only");
        [
            (RETRY_AFTER, HeaderValue::from(self.retry_after_s)),
            (
                HeaderName::from_static("ratelimit"),
                header(format!("\"minuto\";r=0;t={}", self.retry_after_s)),
            ),
            (
                HeaderName::from_static("ratelimit-policy"),
                header(format!("\"minuto\";q={};w={WINDOW_S}", self.limite)),
            ),
        ]
    }
}

/// Wrong keys per address. Call it only for a request whose key was wrong: right keys are neither
/// counted nor limited here.
#[derive(Debug)]
pub struct Fallos(Mutex<Ventanas<Option<IpAddr>>>);

impl Default for Fallos {
    fn default() -> Self {
        Self::new(FALLOS_POR_MINUTO)
    }
}

impl Fallos {
    /// With `limite` failures a minute for each address.
    #[must_use]
    pub fn new(limite: u32) -> Self {
        Self(Mutex::new(Ventanas::new(limite, ADDRESSES)))
    }

    /// Counts one failure of `address`, or says that it has had too many. An IPv6 address stands
    /// for its /64, which is what one subscriber is given.
    ///
    /// # Errors
    /// [`Limitado`] beyond the limit.
    pub fn record(&self, address: IpAddr, now: Instant) -> Result<(), Limitado> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.record(Some(subscriber(address)), None, now)
    }
}

/// An optional limit for right keys: requests a minute for each key.
#[derive(Debug)]
pub struct LimiteLlaves(Option<Mutex<Ventanas<Llave>>>);

impl LimiteLlaves {
    /// `None` is no limit, which is the default.
    #[must_use]
    pub fn new(por_minuto: Option<u32>) -> Self {
        Self(por_minuto.map(|limite| Mutex::new(Ventanas::new(limite, usize::MAX))))
    }

    /// Counts one request with `llave`.
    ///
    /// # Errors
    /// [`Limitado`] beyond the limit.
    pub fn record(&self, llave: Llave, now: Instant) -> Result<(), Limitado> {
        let Some(windows) = &self.0 else { return Ok(()) };
        windows.lock().unwrap_or_else(PoisonError::into_inner).record(llave, llave, now)
    }
}

fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
    }
}

/// This minute's counts and the last one's.
#[derive(Debug)]
struct Ventanas<K> {
    limite: u32,
    most_keys: usize,
    origin: Option<Instant>,
    minute: u64,
    current: HashMap<K, u32>,
    previous: HashMap<K, u32>,
}

impl<K: Eq + Hash + Copy> Ventanas<K> {
    fn new(limite: u32, most_keys: usize) -> Self {
        Self { limite, most_keys, origin: None, minute: 0, current: HashMap::new(), previous: HashMap::new() }
    }

    /// Counts under `key`, or under `shared` when there is no room for another key.
    fn record(&mut self, key: K, shared: K, now: Instant) -> Result<(), Limitado> {
        let elapsed = now.saturating_duration_since(*self.origin.get_or_insert(now));
        self.turn_to(elapsed.as_secs() / WINDOW_S);
        let into_s = elapsed.as_secs_f64() % WINDOW_S as f64;
        let full = self.current.len() >= self.most_keys && !self.current.contains_key(&key);
        let key = if full { shared } else { key };

        let before = f64::from(self.previous.get(&key).copied().unwrap_or(0));
        let current = self.current.entry(key).or_insert(0);
        let limite = f64::from(self.limite);
        let weighed = before * (1.0 - into_s / WINDOW_S as f64) + f64::from(*current);
        if weighed + 1.0 <= limite {
            *current += 1;
            return Ok(());
        }
        let wait_s = seconds_to_room(before, f64::from(*current), limite, into_s);
        Err(Limitado { retry_after_s: (wait_s.ceil() as u64).max(1), limite: self.limite })
    }

    fn turn_to(&mut self, minute: u64) {
        match minute.saturating_sub(self.minute) {
            0 => return,
            1 => self.previous = std::mem::take(&mut self.current),
            _ => {
                self.previous = HashMap::new();
                self.current = HashMap::new();
            }
        }
        self.minute = minute;
    }
}

/// When the weighed count will have room for one more: still in this minute while the last one
/// fades, else in the next, where this minute is the one that fades.
fn seconds_to_room(before: f64, current: f64, limite: f64, into_s: f64) -> f64 {
    let window = WINDOW_S as f64;
    let fade = |count: f64, room: f64| if count <= room { 0.0 } else { window * (1.0 - room / count) };
    let room = limite - 1.0 - current;
    if room >= 0.0 && before > 0.0 {
        return fade(before, room) - into_s;
    }
    window - into_s + fade(current, (limite - 1.0).max(0.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_thousand_failures_a_minute_and_then_a_time_to_wait() {
        let (fallos, start) = (Fallos::default(), Instant::now());
        for _ in 0..1000 {
            assert_eq!(fallos.record(ip("192.0.2.1"), start), Ok(()));
        }
        let refused = fallos.record(ip("192.0.2.1"), start).unwrap_err();
        assert_eq!(refused, Limitado { retry_after_s: 61, limite: 1000 });
        assert_eq!(fallos.record(ip("192.0.2.2"), start), Ok(()), "others are not touched");

        let early = start + Duration::from_secs(59);
        assert_eq!(fallos.record(ip("192.0.2.1"), early).unwrap_err().retry_after_s, 2);
        let later = start + Duration::from_secs(refused.retry_after_s);
        assert_eq!(fallos.record(ip("192.0.2.1"), later), Ok(()), "the wait it named is enough");
    }

    #[test]
    fn no_minute_anywhere_allows_much_more_than_the_limit() {
        let (fallos, start) = (Fallos::new(100), Instant::now());
        let mut accepted = Vec::new();
        for tick in 0..1800_u64 {
            let now = start + Duration::from_millis(tick * 100);
            if fallos.record(ip("192.0.2.1"), now).is_ok() {
                accepted.push(tick);
            }
        }
        let worst =
            accepted.iter().map(|from| accepted.iter().filter(|t| (*from..from + 600).contains(t)).count());
        assert!(worst.max().unwrap() <= 160);
        assert!(accepted.len() >= 250, "it refills: {}", accepted.len());
    }

    #[test]
    fn every_wait_it_names_is_enough() {
        let (fallos, mut now) = (Fallos::new(7), Instant::now());
        for round in 0..200_u64 {
            match fallos.record(ip("192.0.2.1"), now) {
                Ok(()) => now += Duration::from_millis(round * 37 % 1700),
                Err(limited) => {
                    now += Duration::from_secs(limited.retry_after_s);
                    assert_eq!(fallos.record(ip("192.0.2.1"), now), Ok(()), "round {round}");
                }
            }
        }
    }

    #[test]
    fn ipv6_counts_by_64_and_mapped_addresses_as_ipv4() {
        let (fallos, now) = (Fallos::new(1), Instant::now());
        assert!(fallos.record(ip("2001:db8::1"), now).is_ok());
        assert!(fallos.record(ip("2001:db8::ffff:2"), now).is_err());
        assert!(fallos.record(ip("2001:db8:0:1::1"), now).is_ok());
        assert!(fallos.record(ip("192.0.2.1"), now).is_ok());
        assert!(fallos.record(ip("::ffff:192.0.2.1"), now).is_err());
    }

    #[test]
    fn memory_is_bounded_and_is_freed_by_the_next_minutes() {
        let (fallos, now) = (Fallos::new(1000), Instant::now());
        for n in 0..(ADDRESSES as u32 + 5_000) {
            let _counted = fallos.record(IpAddr::V4(n.into()), now);
        }
        assert_eq!(fallos.0.lock().unwrap().current.len(), ADDRESSES + 1);
        assert!(fallos.record(ip("203.0.113.9"), now).is_err(), "newcomers share one count");
        assert!(fallos.record(IpAddr::V4(7.into()), now).is_ok(), "known ones keep their own");

        let _counted = fallos.record(ip("192.0.2.1"), now + Duration::from_secs(121));
        let windows = fallos.0.lock().unwrap();
        assert_eq!((windows.current.len(), windows.previous.len()), (1, 0));
    }

    #[test]
    fn right_keys_have_no_limit_unless_one_is_set() {
        let now = Instant::now();
        let none = LimiteLlaves::new(None);
        assert!((0..10_000).all(|_| none.record(Llave::Actual, now).is_ok()));
        let two = LimiteLlaves::new(Some(2));
        assert!(two.record(Llave::Actual, now).is_ok() && two.record(Llave::Actual, now).is_ok());
        assert!(two.record(Llave::Actual, now).is_err());
        assert!(two.record(Llave::Anterior, now).is_ok());
    }

    #[test]
    fn says_it_in_headers() {
        let headers = Limitado { retry_after_s: 12, limite: 1000 }.headers();
        assert_eq!(headers[0], (RETRY_AFTER, HeaderValue::from_static("12")));
        assert_eq!(headers[1].1, "\"minuto\";r=0;t=12");
        assert_eq!(headers[2].1, "\"minuto\";q=1000;w=60");
    }
}
