//! Leases: work that only one process does at a time.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::ProcessId;
use embudo_store::leases::Lease;
use embudo_store::{LeaseStore, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::lease;
use crate::writer::Shape;

#[async_trait]
impl LeaseStore for SqliteStore {
    async fn take_lease(&self, what: Lease, who: ProcessId, time: Duration) -> Result<bool> {
        self.writer.run(Shape::Single, ROW, move |c| lease::take(c, what, who, time)).await
    }

    async fn end_lease(&self, what: Lease, who: ProcessId) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| lease::end(c, what, who)).await
    }
}
