//! Counts that several processes share.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::counts::{Count, merged};
use embudo_store::{Counts, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::count;
use crate::writer::Shape;

#[async_trait]
impl Counts for SqliteStore {
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()> {
        let counts = merged(counts);
        self.writer.run(Shape::Several, counts.len() * ROW, move |c| count::add(c, &counts)).await
    }

    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| count::purge(c, now, max)).await
    }
}
