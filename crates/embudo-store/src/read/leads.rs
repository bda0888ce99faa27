//! Leads, listed.

use std::collections::HashMap;

use async_trait::async_trait;
use embudo_domain::lead::LeadSummary;
use embudo_domain::record::StateChange;
use embudo_domain::{EmpresaId, LeadId};

use super::{Reader, first, of_lead};
use crate::Result;
use crate::leads::{Cursor, EventCursor, LeadFilter, ListedEvent};
use crate::queries::lead::{self, Way};

/// How many leads of the list are read in their order before an index is used. A page of leads with a frequent text is
/// full by then. A rare text is found by the index, which would find too many leads with a frequent one.
pub const IN_ORDER: u32 = 2_000;

#[async_trait]
pub trait LeadReads: Send + Sync + 'static {
    /// One page of leads, newest first (`creado_en`, then `id`, both descending), after `cursor`. With
    /// a searched text, leads beyond the first [`IN_ORDER`] are found by their projected text: a lead whose text has
    /// just changed may be missing until it is projected.
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
        let mut page = page(self, &filter, cursor, limit).await?;
        if page.is_empty() {
            return Ok(page);
        }
        // Campaign ids never change, so a second query may read them.
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

async fn page<R: Reader>(
    reader: &R,
    filter: &LeadFilter,
    cursor: Option<Cursor>,
    limit: u32,
) -> Result<Vec<LeadSummary>> {
    if filter.names_one() || filter.indexed().next().is_none() {
        return reader.read(lead::list(filter, cursor, limit, Way::WHOLE)).await;
    }
    let to = first(reader, lead::further(filter, cursor, IN_ORDER)).await?;
    let mut page = reader.read(lead::list(filter, cursor, limit, Way::Order { to })).await?;
    let left = limit - page.len() as u32;
    if to.is_some() && left > 0 {
        page.extend(reader.read(lead::list(filter, to, left, Way::Index(R::TRIGRAMS))).await?);
    }
    Ok(page)
}
