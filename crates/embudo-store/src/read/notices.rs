//! Who wants which notices.

use async_trait::async_trait;
use embudo_domain::notice::Recipient;
use embudo_domain::{EmpresaId, LeadId, UserId};

use super::{Reader, first};
use crate::Result;
use crate::queries::notice;

#[async_trait]
pub trait NoticeReads: Send + Sync + 'static {
    /// The people who ever chose notices of a company, may sign in, and belong to it or are administrators; by name.
    async fn recipients(&self, empresa: EmpresaId) -> Result<Vec<Recipient>>;
    /// A person's choices for each company that they belong to, in no order.
    async fn choices_of(&self, user: UserId) -> Result<Vec<Recipient>>;
    /// The person to whom a lead is assigned. For a united lead it is the person of its principal.
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
