//! Who wants which notices.

use async_trait::async_trait;
use embudo_domain::notice::Recipient;
use embudo_domain::{EmpresaId, LeadId, UserId};

use super::{Reader, first};
use crate::Result;
use crate::queries::notice;

#[async_trait]
pub trait NoticeReads: Send + Sync + 'static {
    /// Those of a company who ever chose, may sign in and are in it; by name.
    async fn recipients(&self, empresa: EmpresaId) -> Result<Vec<Recipient>>;
    /// What a person chose for each company that they are in, in no order.
    async fn choices_of(&self, user: UserId) -> Result<Vec<Recipient>>;
    /// The person in charge of a lead. A united lead has the person of the lead that it was united with.
    async fn assigned_to(&self, lead: LeadId) -> Result<Option<UserId>>;
}

#[async_trait]
impl<R: Reader> NoticeReads for R {
    async fn recipients(&self, empresa: EmpresaId) -> Result<Vec<Recipient>> {
        let mut found = self.read(notice::recipients(empresa)).await?;
        found.sort_by(|a, b| (&a.nombre, a.user).cmp(&(&b.nombre, b.user)));
        Ok(found)
    }

    async fn choices_of(&self, user: UserId) -> Result<Vec<Recipient>> {
        self.read(notice::choices_of(user)).await
    }

    async fn assigned_to(&self, lead: LeadId) -> Result<Option<UserId>> {
        Ok(first(self, notice::assigned_to(lead)).await?.flatten())
    }
}
