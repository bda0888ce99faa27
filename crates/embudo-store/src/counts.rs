//! Counts that several processes share: how often something happened for one subject within a window of time.
//!
//! A subject is a keyed hash, so that no address, telephone or e-mail is stored. Counts only grow, and are deleted once
//! their window does not matter any more.

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
    /// The number of the window since 1970; the length of a window depends on the kind.
    pub window: i64,
}

/// An amount to add to a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub key: CountKey,
    pub n: u32,
    /// After this time the count is not needed any more.
    pub expires: Timestamp,
}

/// Shared counts.
#[async_trait]
pub trait CountStore: Send + Sync + 'static {
    /// Adds to counts, all or none; a count that does not exist begins at 0.
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()>;
    /// Deletes at most `max` expired counts; returns how many.
    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64>;
}

/// Each key once, in the order in which all processes lock the rows.
pub fn merged(counts: Vec<Count>) -> Vec<Count> {
    let mut by_key: BTreeMap<CountKey, Count> = BTreeMap::new();
    for count in counts {
        let sum = by_key.entry(count.key).or_insert(Count { n: 0, ..count });
        sum.n = sum.n.saturating_add(count.n);
    }
    by_key.into_values().collect()
}
