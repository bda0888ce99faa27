//! The model keeps no replies: they are tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::reply::{Attention, Reply};
use embudo_domain::{LeadId, ReplyId, Timestamp};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use embudo_store::replies::{TakeOver, WriteReply};
use embudo_store::{ReplyReads, ReplyStore, Result};

use super::Memory;

#[async_trait]
impl ReplyStore for Memory {
    async fn write_reply(&self, _: &Viewer, _: WriteReply) -> Result<bool> {
        unimplemented!()
    }

    async fn mark_reply(&self, _: &Viewer, _: LeadId, _: ReplyId, _: bool, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn expire_replies(&self, _: Timestamp, _: u32) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    async fn take_over(&self, _: &Viewer, _: TakeOver) -> Result<Edited> {
        unimplemented!()
    }
}

#[async_trait]
impl ReplyReads for Memory {
    async fn reply(&self, _: ReplyId) -> Result<Option<Reply>> {
        unimplemented!()
    }

    async fn prepared_replies(&self, _: LeadId) -> Result<Vec<Reply>> {
        unimplemented!()
    }

    async fn replies_of(&self, _: LeadId) -> Result<Vec<Reply>> {
        unimplemented!()
    }

    async fn attention(&self, _: LeadId, _: Timestamp) -> Result<Option<Attention>> {
        unimplemented!()
    }

    async fn last_written(&self, _: &[LeadId]) -> Result<Option<Timestamp>> {
        unimplemented!()
    }
}
