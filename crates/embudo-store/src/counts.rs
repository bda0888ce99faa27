//! Counts that several processes share: how often something happened for somebody within a window of time.
//!
//! A subject is a keyed hash, so that no address, telephone or e-mail is kept. Counts only grow, and are dropped once
//! their window cannot matter any more.

use std::collections::BTreeMap;

use async_trait::async_trait;
use embudo_domain::Timestamp;
use uuid::Uuid;

use crate::Result;

/// What is counted, for whom, and in which window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountKey {
    pub kind: &'static str,
    pub subject: Uuid,
    /// The number of the window since 1970; how long one is depends on the kind.
    pub window: i64,
}

/// What is added to a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub key: CountKey,
    pub n: u32,
    /// From when on nobody asks for it.
    pub expires: Timestamp,
}

/// Shared counts.
#[async_trait]
pub trait CountStore: Send + Sync + 'static {
    /// Adds to counts, all or none; one that is not there begins at 0.
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()>;
    /// Deletes at most `max` that have expired; returns how many.
    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64>;
}

/// Each key once, in the order in which every process takes its rows.
pub fn merged(counts: Vec<Count>) -> Vec<Count> {
    let mut by_key: BTreeMap<CountKey, Count> = BTreeMap::new();
    for count in counts {
        let sum = by_key.entry(count.key).or_insert(Count { n: 0, ..count });
        sum.n = sum.n.saturating_add(count.n);
    }
    by_key.into_values().collect()
}
