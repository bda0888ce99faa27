//! Leads: created, corrected, shown and listed.

use async_trait::async_trait;
use embudo_domain::lead::LeadSummary;
use embudo_domain::record::{LeadRecord, StateChange};
use embudo_domain::{EmpresaId, LeadId};
use embudo_store::leads::{CreateLead, Cursor, EventCursor, LeadFilter, ListedEvent};
use embudo_store::{Done, LeadReads, LeadStore, Result};

use super::Memory;
use crate::model::step::Step;

#[async_trait]
impl LeadStore for Memory {
    async fn create_lead(&self, mut command: CreateLead) -> Result<Done> {
        let por_defecto = self.world().por_defecto().map(|e| e.id);
        command.empresa = command.empresa.or(por_defecto);
        self.with_key(Step::Create(Box::new(command)))
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        self.world().record(lead)
    }
}

#[async_trait]
impl LeadReads for Memory {
    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>> {
        let mut list = self.world().list(&filter);
        list.retain(|r| cursor.is_none_or(|c| (r.lead.creado_en, r.lead.id) < (c.creado_en, c.id)));
        list.truncate(limit as usize);
        Ok(list)
    }

    async fn events(
        &self,
        lead: LeadId,
        cursor: Option<EventCursor>,
        limit: u32,
    ) -> Result<Vec<ListedEvent>> {
        let mut events = self.world().events(lead)?;
        events.retain(|e| cursor.is_none_or(|c| e.cursor > c));
        events.truncate(limit as usize);
        Ok(events)
    }

    async fn lead_empresa(&self, lead: LeadId) -> Result<Option<EmpresaId>> {
        Ok(self.world().record(lead).ok().map(|record| record.lead.empresa.id))
    }

    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>> {
        let world = self.world();
        world.record(lead)?;
        Ok(world.history(lead).to_vec())
    }
}
