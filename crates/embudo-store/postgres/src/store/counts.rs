//! Counts that several processes share.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::counts::{Count, merged};
use embudo_store::{Counts, Result};

use crate::PgStore;
use crate::command::count;
use crate::patience::patiently;

#[async_trait]
impl Counts for PgStore {
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()> {
        let counts = merged(counts);
        patiently!(self, self.turns.command(), count::add(&self.pool, &counts))
    }

    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), count::purge(&self.pool, now, max))
    }
}
