//! Leases: work that only one process does at a time.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use embudo_domain::ProcessId;
use embudo_store::leases::Lease;
use embudo_store::{LeaseStore, Result};

use super::Memory;

impl Memory {
    pub(super) fn is_held(&self, lease: Lease) -> bool {
        self.company().leases.get(&lease).is_some_and(|(_, until)| *until > Instant::now())
    }
}

#[async_trait]
impl LeaseStore for Memory {
    async fn take_lease(&self, lease: Lease, who: ProcessId, time: Duration) -> Result<bool> {
        let (mut company, now) = (self.company(), Instant::now());
        let free = company.leases.get(&lease).is_none_or(|(by, until)| *by == who || *until <= now);
        if free {
            company.leases.insert(lease, (who, now + time));
        }
        Ok(free)
    }

    async fn end_lease(&self, lease: Lease, who: ProcessId) -> Result<()> {
        self.company().leases.retain(|which, (by, _)| *which != lease || *by != who);
        Ok(())
    }
}
