//! What was erased, what is kept of it, and who saw what.

use async_trait::async_trait;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Reader, first};
use crate::Result;
use crate::queries::rights;
use crate::rights::{BlockedQuote, Erasure, ForgottenPerson, Seen, Term};

#[async_trait]
pub trait RightsReads: Send + Sync + 'static {
    async fn erasure(&self, lead: LeadId) -> Result<Option<Erasure>>;
    /// Erasures that are not finished, the oldest first.
    async fn open_erasures(&self, limit: u32) -> Result<Vec<Erasure>>;
    /// A company's erasures, newest first.
    async fn erasures_of(&self, empresa: EmpresaId, limit: u32) -> Result<Vec<Erasure>>;
    async fn blocked_quote(&self, id: PresupuestoId) -> Result<Option<BlockedQuote>>;
    /// A company's blocked quotes, or those before one of them, newest first.
    async fn blocked_of(
        &self,
        empresa: EmpresaId,
        before: Option<PresupuestoNumber>,
        limit: u32,
    ) -> Result<Vec<BlockedQuote>>;
    /// Blocked quotes whose retention is over.
    async fn blocked_until(&self, now: Timestamp, limit: u32) -> Result<Vec<BlockedQuote>>;
    /// The blobs of an erased lead that are kept.
    async fn kept_blobs(&self, lead: LeadId) -> Result<Vec<Digest>>;
    /// Who saw a lead, the last day first.
    async fn seen_of(&self, lead: LeadId, limit: u32) -> Result<Vec<Seen>>;
    /// The leads that this one is united with, whichever is the principal.
    async fn united_with(&self, lead: LeadId) -> Result<Vec<LeadId>>;
    /// The generation of passes that opens a thing; 0: the passes that were never revoked.
    async fn pass_generation(&self, thing: Uuid) -> Result<i64>;
    /// Every thing whose passes were revoked, with the generation that opens it.
    async fn pass_generations(&self) -> Result<Vec<(Uuid, i64)>>;
    /// Secrets of 32 bytes whose name begins with `prefix`, in the order of their names.
    async fn secrets(&self, prefix: &str) -> Result<Vec<(String, [u8; 32])>>;
    /// Every row of a lead in a table of [`OF_LEAD`](crate::rights::OF_LEAD), or in `lead` or `entrega`, with all
    /// columns, in no order.
    async fn dump_rows(&self, table: &'static str, lead: LeadId) -> Result<Vec<Map<String, Value>>>;
    /// People of a company for whom a term is over: each of their leads is in an etapa of the term, and since its start
    /// nobody wrote about any of them or planned anything for it. The longest first.
    async fn forgotten_leads(
        &self,
        empresa: EmpresaId,
        term: &Term,
        limit: u32,
    ) -> Result<Vec<ForgottenPerson>>;
}

#[async_trait]
impl<R: Reader> RightsReads for R {
    async fn erasure(&self, lead: LeadId) -> Result<Option<Erasure>> {
        first(self, rights::erasure(lead)).await
    }

    async fn open_erasures(&self, limit: u32) -> Result<Vec<Erasure>> {
        self.read(rights::open_erasures(limit)).await
    }

    async fn erasures_of(&self, empresa: EmpresaId, limit: u32) -> Result<Vec<Erasure>> {
        self.read(rights::erasures_of(empresa, limit)).await
    }

    async fn blocked_quote(&self, id: PresupuestoId) -> Result<Option<BlockedQuote>> {
        first(self, rights::blocked(id)).await
    }

    async fn blocked_of(
        &self,
        empresa: EmpresaId,
        before: Option<PresupuestoNumber>,
        limit: u32,
    ) -> Result<Vec<BlockedQuote>> {
        self.read(rights::blocked_of(empresa, before, limit)).await
    }

    async fn blocked_until(&self, now: Timestamp, limit: u32) -> Result<Vec<BlockedQuote>> {
        self.read(rights::blocked_until(now, limit)).await
    }

    async fn kept_blobs(&self, lead: LeadId) -> Result<Vec<Digest>> {
        self.read(rights::kept_blobs(lead)).await
    }

    async fn seen_of(&self, lead: LeadId, limit: u32) -> Result<Vec<Seen>> {
        self.read(rights::seen(lead, limit)).await
    }

    async fn united_with(&self, lead: LeadId) -> Result<Vec<LeadId>> {
        self.read(rights::united(lead)).await
    }

    async fn pass_generation(&self, thing: Uuid) -> Result<i64> {
        Ok(first(self, rights::generation(thing)).await?.unwrap_or(0))
    }

    async fn pass_generations(&self) -> Result<Vec<(Uuid, i64)>> {
        self.read(rights::generations()).await
    }

    async fn secrets(&self, prefix: &str) -> Result<Vec<(String, [u8; 32])>> {
        self.read(rights::secrets(prefix)).await
    }

    async fn dump_rows(&self, table: &'static str, lead: LeadId) -> Result<Vec<Map<String, Value>>> {
        self.read(rights::dump(table, lead)).await
    }

    async fn forgotten_leads(
        &self,
        empresa: EmpresaId,
        term: &Term,
        limit: u32,
    ) -> Result<Vec<ForgottenPerson>> {
        self.read(rights::forgotten(empresa, term, limit)).await
    }
}
