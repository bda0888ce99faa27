//! What keeps the inbox in order.

use async_trait::async_trait;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::projection::{Heard, LeadChange, Mark, Tail};
use embudo_store::read::Reader;
use embudo_store::touches::{Touch, Touches};
use embudo_store::{Projection, Result, queries, read, write};

use crate::PgStore;
use crate::command::projection;
use crate::patience::patiently;

#[async_trait]
impl Projection for PgStore {
    fn touches(&self) -> &Touches {
        &self.touches
    }

    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        patiently!(self, self.turns.command(), projection::project(&self.pool, &touches))
    }

    /// Others write on other connections.
    fn written(&self) -> Option<u64> {
        None
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

    fn tell_changes(&self, changes: Heard) {
        self.teller.tell(changes);
    }

    async fn changes_told(&self) -> Heard {
        self.listener.changes().await
    }
}
