//! Leases: work that only one process does at a time. They use connections of their own, so that no lease runs out
//! behind other work.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::ProcessId;
use embudo_store::leases::Lease;
use embudo_store::{LeaseStore, Result};

use crate::PgStore;
use crate::command::lease;
use crate::patience::patiently;

#[async_trait]
impl LeaseStore for PgStore {
    async fn take_lease(&self, what: Lease, who: ProcessId, time: Duration) -> Result<bool> {
        patiently!(self, lease::take(&self.vital, what, who, time))
    }

    async fn end_lease(&self, what: Lease, who: ProcessId) -> Result<()> {
        patiently!(self, lease::end(&self.vital, what, who))
    }
}
