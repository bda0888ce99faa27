//! What keeps the inbox in order.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::projection::{Heard, LeadChange, Mark, Tail};
use embudo_store::read::Reader;
use embudo_store::touches::{Touch, Touches};
use embudo_store::{Projection, Result, queries, read, write};

use super::ROW;
use crate::SqliteStore;
use crate::command::projection;
use crate::writer::Shape;

#[async_trait]
impl Projection for SqliteStore {
    fn touches(&self) -> &Touches {
        &self.touches
    }

    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        let bytes = touches.len() * 2 * ROW;
        self.writer.run(Shape::Several, bytes, move |c| projection::project(c, touches)).await
    }

    fn written(&self) -> Option<u64> {
        Some(self.writer.counters.commands.load(Ordering::Relaxed))
    }

    async fn owners(&self, leads: Vec<LeadId>) -> Result<Vec<LeadChange>> {
        read::owners(self, &leads).await
    }

    async fn tail(&self, now: Timestamp) -> Result<Tail> {
        read::tail(self, now).await
    }

    async fn keep_marks(&self, marks: Vec<Mark>) -> Result<()> {
        write::marks::keep(self, marks).await
    }

    async fn leads_after(&self, after: Option<LeadId>, limit: u32) -> Result<Vec<LeadId>> {
        self.read(queries::projection::leads_after(after, limit)).await
    }

    async fn leads_changed_since(&self, since: Timestamp) -> Result<Vec<LeadId>> {
        self.read(queries::projection::leads_changed_since(since)).await
    }

    /// There is no other process that serves.
    fn tell_changes(&self, _: Heard) {}

    async fn changes_told(&self) -> Heard {
        std::future::pending().await
    }
}
