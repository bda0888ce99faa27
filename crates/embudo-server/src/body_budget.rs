//! The bytes that request bodies may take in memory at once, for all connections together.
//!
//! Memory is counted as bytes arrive, never by a declared length alone. Small bodies have a pool of their own, so that
//! calls of a few bytes do not wait behind uploads. The beginnings of large bodies have a pool of their own too, so
//! that bodies that wait for their turn do not keep the others from finishing. After its beginning, a large body queues
//! in the pool for large bodies, first come, first served, so that two hundred uploads at once queue instead of filling
//! the memory. A body that then sends slowly keeps only the memory that it has filled. This module does not read
//! bodies.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::pool::{Pool, Share};

/// Small bodies hold memory only for a moment: if there is no room after this long, there will be none soon.
const SMALL_WAIT: Duration = Duration::from_secs(1);

/// The limits for reading bodies.
#[derive(Debug, Clone)]
pub struct BodySettings {
    /// Memory for all large bodies together; a quarter of it is for their beginnings.
    pub total_bytes: u64,
    /// Memory for all small bodies together.
    pub small_total_bytes: u64,
    /// A body up to this size is a small one.
    pub small_bytes: u64,
    /// The share of either total that bodies from one address may take, in percent; only counted where the address is
    /// given.
    pub address_percent: u64,
    /// How long a body waits for its share before it is refused.
    pub patience: Duration,
    /// The length of a window. The progress of a body is measured in windows.
    pub window: Duration,
    /// How many bytes each window must bring, unless the body ends in it.
    pub window_least_bytes: u64,
    /// How many bytes a window must bring for a large body to keep memory that it has not filled yet.
    pub brisk_bytes: u64,
    /// The minimum average rate of a whole body, in bytes a second; its first `pace_grace` does not count.
    pub pace_bytes: u64,
    pub pace_grace: Duration,
}

impl Default for BodySettings {
    fn default() -> Self {
        Self::of(128 * 1024 * 1024)
    }
}

impl BodySettings {
    /// The usual limits with this much memory for large bodies.
    #[must_use]
    pub fn of(total_bytes: u64) -> Self {
        Self {
            total_bytes,
            small_total_bytes: (total_bytes / 8).max(1024 * 1024),
            small_bytes: 64 * 1024,
            address_percent: 50,
            patience: Duration::from_secs(15),
            window: Duration::from_secs(5),
            window_least_bytes: 8 * 1024,
            brisk_bytes: 256 * 1024,
            // A telephone with a weak signal sends at this rate; a photo of 3 MB takes it three minutes.
            pace_bytes: 16 * 1024,
            pace_grace: Duration::from_secs(20),
        }
    }

    /// The limits for bodies from unknown clients, beside a budget of `keyed_bytes` for calls with a key.
    #[must_use]
    pub fn public(keyed_bytes: u64) -> Self {
        Self::of(keyed_bytes / 2)
    }
}

/// The shared budget. Clones are handles on the same one.
#[derive(Debug, Clone)]
pub struct BodyBudget {
    settings: Arc<BodySettings>,
    small: Pool,
    beginnings: Pool,
    large: Pool,
}

impl Default for BodyBudget {
    fn default() -> Self {
        Self::new(BodySettings::default())
    }
}

impl BodyBudget {
    /// A new budget with these limits.
    #[must_use]
    pub fn new(settings: BodySettings) -> Self {
        let pool = |total: u64| Pool::new(total.max(1), (total / 100 * settings.address_percent).max(1));
        Self {
            small: pool(settings.small_total_bytes),
            beginnings: pool(settings.total_bytes / 4),
            large: pool(settings.total_bytes - settings.total_bytes / 4),
            settings: Arc::new(settings),
        }
    }

    /// The limits that the budget was made with.
    #[must_use]
    pub fn settings(&self) -> &BodySettings {
        &self.settings
    }

    /// How many bytes of memory all bodies hold at this moment.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.small.held_bytes() + self.beginnings.held_bytes() + self.large.held_bytes()
    }

    /// The permit of a body that begins. It holds no memory yet.
    pub(crate) fn begin(&self, who: Option<IpAddr>, declared: Option<u64>) -> BodyPermit {
        let will_be_large = declared.is_some_and(|length| length > self.settings.small_bytes);
        BodyPermit { who, will_be_large, ..BodyPermit::default() }
    }
}

/// The memory that one request body takes from the budget, given back when this is dropped. Keep it as long as the
/// body's bytes are in memory.
#[derive(Debug, Default)]
pub struct BodyPermit {
    who: Option<IpAddr>,
    will_be_large: bool,
    small: Option<Share>,
    large: Option<Share>,
}

impl BodyPermit {
    /// Waits until the body has memory for `length` bytes in all. `expected` is the length that it will likely reach; a
    /// large body gets memory for all of that at once. Returns false if there was no memory in time.
    pub(crate) async fn make_room(&mut self, budget: &BodyBudget, length: u64, expected: u64) -> bool {
        let BodySettings { small_bytes, patience, .. } = *budget.settings();
        if let Some(large) = &mut self.large {
            return large.bytes() >= length || large.grow_to(expected.max(length), patience).await;
        }
        if length <= small_bytes {
            let (pool, patience) = if self.will_be_large {
                (&budget.beginnings, patience)
            } else {
                (&budget.small, patience.min(SMALL_WAIT))
            };
            if let Some(small) = &mut self.small {
                return small.grow_to(length, patience).await;
            }
            self.small = pool.enter(self.who, length, patience).await;
            return self.small.is_some();
        }
        self.large = budget.large.enter(self.who, expected.max(length), patience).await;
        // The body keeps the memory of its beginning until it has the larger share.
        self.small = None;
        self.large.is_some()
    }

    /// Gives back everything beyond `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        for share in [&mut self.small, &mut self.large].into_iter().flatten() {
            share.shrink_to(bytes);
        }
    }
}
