//! How often something may happen within a window of time, for each key, in this process.
//!
//! Counting uses a sliding window made of two fixed ones, the older one with decreasing weight. So memory is bounded
//! and nothing has to be swept: when a window ends its whole map is dropped. This module does not read clocks. What all
//! processes count together is in `embudo-app`.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use embudo_domain::rate::{Rate, Used};
use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue};

/// The maximum of keys that are counted separately in a window; all further keys share a single count.
const MOST_KEYS: usize = 65_536;

/// The limit is exceeded; try again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limited {
    /// Seconds until there is room (at least 1).
    pub retry_after_s: u64,
    /// How many requests a window allows.
    pub limit: u32,
    /// How long a window is.
    pub window_s: u64,
}

impl Limited {
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
                header(format!("\"minuto\";q={};w={}", self.limit, self.window_s)),
            ),
        ]
    }
}

/// A maximum of requests for each key in each window of time. Times are given as durations since a fixed moment.
#[derive(Debug)]
pub struct RateLimit<K> {
    rate: Rate,
    windows: Mutex<Windows<K>>,
}

impl<K: Eq + Hash + Copy> RateLimit<K> {
    /// A limit of 0 lets nothing through.
    #[must_use]
    pub fn new(limit: u32, window: Duration) -> Self {
        let windows = Windows { number: 0, current: HashMap::new(), previous: HashMap::new() };
        Self { rate: Rate { limit, window }, windows: Mutex::new(windows) }
    }

    /// Adds `count` to what `key` has used; adds nothing if that would exceed the limit.
    ///
    /// # Errors
    /// [`Limited`] beyond the limit.
    pub fn record(&self, key: K, count: u32, at: Duration) -> Result<(), Limited> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.turn_to(Rate::place(self.rate.window, at).0);
        let (before, current) = windows.counts(key);
        let used = Used { before, current: *current };
        match self.rate.check(used, count, at) {
            Ok(()) => *current += count,
            Err(retry_after_s) => {
                let Rate { limit, window } = self.rate;
                return Err(Limited { retry_after_s, limit, window_s: window.as_secs() });
            }
        }
        Ok(())
    }
}

/// The counts of this window and the last one; `None` is the count that all keys share which have no place of their
/// own.
#[derive(Debug)]
struct Windows<K> {
    number: u64,
    current: HashMap<Option<K>, u32>,
    previous: HashMap<Option<K>, u32>,
}

impl<K: Eq + Hash + Copy> Windows<K> {
    fn counts(&mut self, key: K) -> (u32, &mut u32) {
        let full = self.current.len() >= MOST_KEYS && !self.current.contains_key(&Some(key));
        let key = (!full).then_some(key);
        (self.previous.get(&key).copied().unwrap_or(0), self.current.entry(key).or_insert(0))
    }

    fn turn_to(&mut self, number: u64) {
        match number.saturating_sub(self.number) {
            0 => return,
            1 => self.previous = std::mem::take(&mut self.current),
            _ => {
                self.previous = HashMap::new();
                self.current = HashMap::new();
            }
        }
        self.number = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn so_many_a_window_and_then_a_time_to_wait() {
        let limit = RateLimit::new(1000, MINUTE);
        for _ in 0..1000 {
            assert_eq!(limit.record('a', 1, Duration::ZERO), Ok(()));
        }
        let refused = limit.record('a', 1, Duration::ZERO).expect_err("too many");
        assert_eq!(refused, Limited { retry_after_s: 61, limit: 1000, window_s: 60 });
        assert_eq!(limit.record('b', 1, Duration::ZERO), Ok(()), "others are not touched");
        let early = limit.record('a', 1, Duration::from_secs(59)).expect_err("too early");
        assert_eq!(early.retry_after_s, 2);
        assert_eq!(limit.record('a', 1, Duration::from_secs(61)), Ok(()), "the wait it named is enough");
        assert!(limit.record('c', 1001, Duration::from_secs(61)).is_err(), "all or none");
        assert_eq!(limit.record('c', 1000, Duration::from_secs(61)), Ok(()));
        assert!(RateLimit::new(0, MINUTE).record('a', 1, Duration::ZERO).is_err());
    }

    #[test]
    fn no_window_anywhere_allows_much_more_than_the_limit() {
        let limit = RateLimit::new(100, MINUTE);
        let accepted: Vec<u64> = (0..1800)
            .filter(|tick| limit.record('a', 1, Duration::from_millis(tick * 100)).is_ok())
            .collect();
        let worst =
            accepted.iter().map(|from| accepted.iter().filter(|t| (*from..from + 600).contains(t)).count());
        assert!(worst.max().is_some_and(|worst| worst <= 160));
        assert!(accepted.len() >= 250, "it refills: {}", accepted.len());
    }

    #[test]
    fn every_wait_it_names_is_enough() {
        let (limit, mut at) = (RateLimit::new(7, MINUTE), Duration::ZERO);
        for round in 0..200_u64 {
            let count = 1 + (round % 3) as u32;
            match limit.record('a', count, at) {
                Ok(()) => at += Duration::from_millis(round * 37 % 1700),
                Err(limited) => {
                    at += Duration::from_secs(limited.retry_after_s);
                    assert_eq!(limit.record('a', count, at), Ok(()), "round {round}");
                }
            }
        }
    }

    #[test]
    fn memory_is_bounded_and_is_freed_by_the_next_windows() {
        let limit = RateLimit::new(1000, MINUTE);
        for n in 0..(MOST_KEYS as u32 + 5_000) {
            let _counted = limit.record(n, 1, Duration::ZERO);
        }
        assert_eq!(limit.windows.lock().expect("unharmed").current.len(), MOST_KEYS + 1);
        assert!(limit.record(u32::MAX, 1, Duration::ZERO).is_err(), "newcomers share one count");
        assert!(limit.record(7, 1, Duration::ZERO).is_ok(), "known ones keep their own");

        let _counted = limit.record(7, 1, Duration::from_secs(121));
        let windows = limit.windows.lock().expect("unharmed");
        assert_eq!((windows.current.len(), windows.previous.len()), (1, 0));
    }

    #[test]
    fn says_it_in_headers() {
        let headers = Limited { retry_after_s: 12, limit: 1000, window_s: 60 }.headers();
        assert_eq!(headers[0], (RETRY_AFTER, HeaderValue::from_static("12")));
        assert_eq!(headers[1].1, "\"minuto\";r=0;t=12");
        assert_eq!(headers[2].1, "\"minuto\";q=1000;w=60");
    }
}
