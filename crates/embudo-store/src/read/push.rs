//! Devices that get notices by web push, and clients who wait for an answer.

use std::collections::BTreeMap;

use async_trait::async_trait;
use embudo_domain::next_action::ANSWER_WITHIN;
use embudo_domain::push::PushDevice;
use embudo_domain::reply::ATTENDED_FOR;
use embudo_domain::{LeadId, PushId, Timestamp, UserId};

use super::{Reader, first};
use crate::Result;
use crate::queries::push;

#[async_trait]
pub trait PushReads: Send + Sync + 'static {
    async fn device(&self, id: PushId) -> Result<Option<PushDevice>>;
    /// A person's devices, the newest first.
    async fn devices_of(&self, user: UserId) -> Result<Vec<PushDevice>>;
    /// Clients who wrote after `from` and wait for a person, with the time of their message: at once if a person
    /// answers instead of the bot, after [`ANSWER_WITHIN`] if nobody has answered. At most `max` of each group, those
    /// who wrote first first.
    async fn unanswered(&self, from: Timestamp, now: Timestamp, max: u32)
    -> Result<Vec<(LeadId, Timestamp)>>;
}

#[async_trait]
impl<R: Reader> PushReads for R {
    async fn device(&self, id: PushId) -> Result<Option<PushDevice>> {
        first(self, push::device(id)).await
    }

    async fn devices_of(&self, user: UserId) -> Result<Vec<PushDevice>> {
        let mut found = self.read(push::devices_of(user)).await?;
        found.sort_by_key(|device| std::cmp::Reverse((device.creado_en, device.id)));
        Ok(found)
    }

    async fn unanswered(
        &self,
        from: Timestamp,
        now: Timestamp,
        max: u32,
    ) -> Result<Vec<(LeadId, Timestamp)>> {
        let waited = self.read(push::unanswered(from, now - ANSWER_WITHIN, None, max)).await?;
        let attended = self.read(push::unanswered(from, now, Some(now - ATTENDED_FOR), max)).await?;
        Ok(waited.into_iter().chain(attended).collect::<BTreeMap<_, _>>().into_iter().collect())
    }
}
