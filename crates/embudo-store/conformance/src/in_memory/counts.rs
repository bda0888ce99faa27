//! Counts that several processes share.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::counts::{Count, CountKey};
use embudo_store::{CountReads, CountStore, Result};

use super::Memory;

#[async_trait]
impl CountStore for Memory {
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()> {
        let kept = &mut self.company().counts;
        for Count { key, n, expires } in counts {
            kept.entry(key).or_insert((0, expires)).0 += i64::from(n);
        }
        Ok(())
    }

    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64> {
        let kept = &mut self.company().counts;
        let expired = kept.iter().filter(|(_, (_, expires))| *expires <= now).map(|(key, _)| *key);
        let expired: Vec<CountKey> = expired.take(max as usize).collect();
        for key in &expired {
            kept.remove(key);
        }
        Ok(expired.len() as u64)
    }
}

#[async_trait]
impl CountReads for Memory {
    async fn counts_since(&self, key: CountKey) -> Result<Vec<(i64, i64)>> {
        let of_subject = |k: &&CountKey| (k.kind, k.subject) == (key.kind, key.subject);
        let company = self.company();
        let since = company.counts.keys().filter(of_subject).filter(|k| k.window >= key.window);
        Ok(since.map(|k| (k.window, company.counts[k].0)).collect())
    }
}
