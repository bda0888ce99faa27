//! Replies, and the person who answers a lead instead of the bot.

use async_trait::async_trait;
use embudo_domain::reply::{Attention, Reply};
use embudo_domain::{LeadId, ReplyId, Timestamp};

use super::{Reader, first};
use crate::Result;
use crate::queries::{lead, reply};

/// The maximum of replies that are shown while a person has to say that they were sent.
const MAX_PREPARED: u32 = 3;

#[async_trait]
pub trait ReplyReads: Send + Sync + 'static {
    async fn reply(&self, id: ReplyId) -> Result<Option<Reply>>;
    /// Replies of a lead that a person still has to send, newest first; at most three.
    async fn prepared_replies(&self, lead: LeadId) -> Result<Vec<Reply>>;
    /// All replies of a lead, in their order.
    async fn replies_of(&self, lead: LeadId) -> Result<Vec<Reply>>;
    /// Who answers the person of a lead at this moment instead of the bot.
    async fn attention(&self, lead: LeadId, now: Timestamp) -> Result<Option<Attention>>;
    /// When the client last wrote, in any of these leads.
    async fn last_written(&self, leads: &[LeadId]) -> Result<Option<Timestamp>>;
}

#[async_trait]
impl<R: Reader> ReplyReads for R {
    async fn reply(&self, id: ReplyId) -> Result<Option<Reply>> {
        first(self, reply::get(id)).await
    }

    async fn prepared_replies(&self, lead: LeadId) -> Result<Vec<Reply>> {
        self.read(reply::prepared(lead, MAX_PREPARED)).await
    }

    async fn replies_of(&self, lead: LeadId) -> Result<Vec<Reply>> {
        self.read(reply::of_lead(lead)).await
    }

    async fn attention(&self, lead: LeadId, now: Timestamp) -> Result<Option<Attention>> {
        let found = first(self, reply::attention_of_person(lead)).await?;
        Ok(found.filter(|attention| attention.holds(now)))
    }

    async fn last_written(&self, leads: &[LeadId]) -> Result<Option<Timestamp>> {
        let mut last = None;
        for id in leads {
            last = last.max(first(self, lead::last_written(*id)).await?);
        }
        Ok(last)
    }
}
