//! Leads, listed.

use std::collections::HashMap;

use async_trait::async_trait;
use embudo_domain::lead::LeadSummary;
use embudo_domain::record::StateChange;
use embudo_domain::{EmpresaId, LeadId};

use super::{Reader, first, of_lead};
use crate::Result;
use crate::leads::{Cursor, EventCursor, LeadFilter, ListedEvent};
use crate::queries::lead;

#[async_trait]
pub trait LeadReads: Send + Sync + 'static {
    /// One page of leads, newest first (`creado_en`, then `id`, both descending), after `cursor`.
    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>>;
    /// One page of a lead's events, oldest first, after `cursor`; [`crate::StoreError::LeadNotFound`].
    async fn events(&self, lead: LeadId, cursor: Option<EventCursor>, limit: u32)
    -> Result<Vec<ListedEvent>>;
    /// The company of a lead, which never changes.
    async fn lead_empresa(&self, lead: LeadId) -> Result<Option<EmpresaId>>;
    /// Every value that `estado_wa` and `bot_step` were given, in order.
    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>>;
}

#[async_trait]
impl<R: Reader> LeadReads for R {
    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>> {
        let mut page = self.read(lead::list(filter, cursor, limit)).await?;
        if page.is_empty() {
            return Ok(page);
        }
        // Campaign ids never change, so a second query sees the same leads.
        let ids: Vec<LeadId> = page.iter().map(|summary| summary.lead.id).collect();
        let mut utm: HashMap<LeadId, Vec<(String, String)>> = HashMap::new();
        for (of, pair) in self.read(lead::utm(&ids)).await? {
            utm.entry(of).or_default().push(pair);
        }
        for summary in &mut page {
            summary.lead.utm = utm.remove(&summary.lead.id).unwrap_or_default();
            summary.lead.utm.sort();
        }
        Ok(page)
    }

    async fn events(&self, id: LeadId, cursor: Option<EventCursor>, limit: u32) -> Result<Vec<ListedEvent>> {
        of_lead(self, id, lead::events(id, cursor, limit.into())).await
    }

    async fn lead_empresa(&self, id: LeadId) -> Result<Option<EmpresaId>> {
        first(self, lead::empresa(id)).await
    }

    async fn history(&self, id: LeadId) -> Result<Vec<StateChange>> {
        of_lead(self, id, lead::state_history(id)).await
    }
}
