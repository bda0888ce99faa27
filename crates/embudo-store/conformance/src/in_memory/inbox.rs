//! The model keeps no inbox: it is tested on the engines alone.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::search::Asked;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::inbox::{
    EtapaCount, Found, InboxFilter, InboxPage, InboxRow, InboxSort, LeadAmount, PageStart, Reading,
    UpcomingVisit, Viewer,
};
use embudo_store::projection::{Heard, LeadChange, TableCursor, Tail};
use embudo_store::touches::{Touch, Touches};
use embudo_store::{InboxStore, ProjectionStore, Result};

use super::Memory;

#[async_trait]
impl InboxStore for Memory {
    async fn inbox(
        &self,
        _: &Viewer,
        _: InboxFilter,
        _: InboxSort,
        _: PageStart,
        _: Reading,
    ) -> Result<InboxPage> {
        unimplemented!()
    }

    async fn inbox_rows(&self, _: &Viewer, _: Vec<LeadId>) -> Result<Vec<InboxRow>> {
        unimplemented!()
    }

    async fn amounts(&self, _: &Viewer, _: Vec<LeadId>) -> Result<Vec<LeadAmount>> {
        unimplemented!()
    }

    async fn inbox_counts(&self, _: &Viewer, _: InboxFilter) -> Result<Vec<EtapaCount>> {
        unimplemented!()
    }

    async fn upcoming_visits(&self, _: &Viewer, _: Timestamp, _: Timestamp) -> Result<Vec<UpcomingVisit>> {
        unimplemented!()
    }

    async fn duplicates(&self, _: &Viewer, _: Vec<LeadId>) -> Result<Vec<InboxRow>> {
        unimplemented!()
    }

    async fn count_news(&self, _: &Viewer) -> Result<u32> {
        unimplemented!()
    }

    async fn search(&self, _: &Viewer, _: Asked, _: Duration) -> Result<Found> {
        unimplemented!()
    }
}

#[async_trait]
impl ProjectionStore for Memory {
    fn touches(&self) -> &Touches {
        &self.3
    }

    async fn project(&self, _: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        unimplemented!()
    }

    fn commands_written(&self) -> Option<u64> {
        None
    }

    async fn owners(&self, _: Vec<LeadId>) -> Result<Vec<LeadChange>> {
        unimplemented!()
    }

    async fn tail(&self, _: Timestamp) -> Result<Tail> {
        unimplemented!()
    }

    async fn keep_cursors(&self, _: Vec<TableCursor>) -> Result<()> {
        unimplemented!()
    }

    async fn leads_after(&self, _: Option<LeadId>, _: u32) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    async fn leads_changed_since(&self, _: Timestamp) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    fn tell_changes(&self, _: Heard) {}

    async fn changes_told(&self) -> Heard {
        std::future::pending().await
    }
}
