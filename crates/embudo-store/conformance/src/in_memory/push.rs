//! The model keeps no devices: they are tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::push::PushDevice;
use embudo_domain::{LeadId, PushId, Timestamp, UserId};
use embudo_store::push::Subscribe;
use embudo_store::{PushReads, PushStore, Result};

use super::Memory;

#[async_trait]
impl PushStore for Memory {
    async fn ensure_push_key(&self, _: Vec<u8>) -> Result<Vec<u8>> {
        unimplemented!()
    }

    async fn subscribe(&self, _: Subscribe) -> Result<()> {
        unimplemented!()
    }

    async fn unsubscribe(&self, _: UserId, _: PushId, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn forget_device(&self, _: PushId) -> Result<()> {
        unimplemented!()
    }

    async fn touch_device(&self, _: PushId, _: Timestamp) -> Result<()> {
        unimplemented!()
    }
}

#[async_trait]
impl PushReads for Memory {
    async fn device(&self, _: PushId) -> Result<Option<PushDevice>> {
        unimplemented!()
    }

    async fn devices_of(&self, _: UserId) -> Result<Vec<PushDevice>> {
        unimplemented!()
    }

    async fn unanswered(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<Vec<(LeadId, Timestamp)>> {
        unimplemented!()
    }
}
