//! The model erases nobody: that is tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::rights::{BlockedQuote, EraseLead, ErasedLead, Erasure, ForgottenPerson, Seen, Term};
use embudo_store::{Result, RightsReads, RightsStore};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Memory;

#[async_trait]
impl RightsStore for Memory {
    async fn erase_lead(&self, _: EraseLead) -> Result<ErasedLead> {
        unimplemented!()
    }

    async fn settle_erasure(&self, _: LeadId) -> Result<bool> {
        unimplemented!()
    }

    async fn forget_statistics(&self) -> Result<()> {
        unimplemented!()
    }

    async fn end_erasure(&self, _: LeadId, _: Timestamp) -> Result<()> {
        unimplemented!()
    }

    async fn drop_blocked(&self, _: PresupuestoId, _: Timestamp) -> Result<bool> {
        unimplemented!()
    }

    async fn note_seen(&self, _: Vec<Seen>) -> Result<()> {
        unimplemented!()
    }

    async fn revoke_passes(&self, _: LeadId, _: Uuid, _: Timestamp, _: AuditEntry) -> Result<()> {
        unimplemented!()
    }

    async fn rotate_secret(&self, _: String, _: [u8; 32], _: String) -> Result<()> {
        unimplemented!()
    }

    async fn drop_secrets(&self, _: Vec<String>) -> Result<()> {
        unimplemented!()
    }
}

#[async_trait]
impl RightsReads for Memory {
    async fn erasure(&self, _: LeadId) -> Result<Option<Erasure>> {
        unimplemented!()
    }

    async fn open_erasures(&self, _: u32) -> Result<Vec<Erasure>> {
        unimplemented!()
    }

    async fn erasures_of(&self, _: EmpresaId, _: u32) -> Result<Vec<Erasure>> {
        unimplemented!()
    }

    async fn blocked_quote(&self, _: PresupuestoId) -> Result<Option<BlockedQuote>> {
        unimplemented!()
    }

    async fn blocked_of(
        &self,
        _: EmpresaId,
        _: Option<PresupuestoNumber>,
        _: u32,
    ) -> Result<Vec<BlockedQuote>> {
        unimplemented!()
    }

    async fn blocked_until(&self, _: Timestamp, _: u32) -> Result<Vec<BlockedQuote>> {
        unimplemented!()
    }

    async fn kept_blobs(&self, _: LeadId) -> Result<Vec<Digest>> {
        unimplemented!()
    }

    async fn seen_of(&self, _: LeadId, _: u32) -> Result<Vec<Seen>> {
        unimplemented!()
    }

    async fn united_with(&self, _: LeadId) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    async fn pass_generation(&self, _: Uuid) -> Result<i64> {
        unimplemented!()
    }

    async fn pass_generations(&self) -> Result<Vec<(Uuid, i64)>> {
        unimplemented!()
    }

    async fn secrets(&self, _: &str) -> Result<Vec<(String, [u8; 32])>> {
        unimplemented!()
    }

    async fn dump_rows(&self, _: &'static str, _: LeadId) -> Result<Vec<Map<String, Value>>> {
        unimplemented!()
    }

    async fn forgotten_leads(&self, _: EmpresaId, _: &Term, _: u32) -> Result<Vec<ForgottenPerson>> {
        unimplemented!()
    }
}
