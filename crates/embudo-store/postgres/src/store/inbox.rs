//! The inbox: leads as people see them.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::LeadId;
use embudo_domain::search::Asked;
use embudo_store::inbox::{EtapaCount, Found, From, InboxFilter, InboxPage, InboxRow, InboxSort, Viewer};
use embudo_store::{Inbox, Result, read};

use crate::PgStore;

#[async_trait]
impl Inbox for PgStore {
    async fn inbox(
        &self,
        viewer: &Viewer,
        filter: InboxFilter,
        sort: InboxSort,
        from: From,
        limit: u32,
    ) -> Result<InboxPage> {
        read::inbox(self, viewer, &filter, sort, from, limit).await
    }

    async fn inbox_rows(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>> {
        read::inbox_rows(self, viewer, &leads).await
    }

    async fn inbox_counts(&self, viewer: &Viewer, filter: InboxFilter) -> Result<Vec<EtapaCount>> {
        read::inbox_counts(self, viewer, &filter).await
    }

    async fn search(&self, viewer: &Viewer, asked: Asked, budget: Duration) -> Result<Found> {
        read::search(self, viewer, &asked, budget).await
    }
}
