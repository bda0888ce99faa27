//! Quotes.

use async_trait::async_trait;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::{LeadId, PresupuestoId};

use super::{Reader, first, of_lead};
use crate::queries::quote;
use crate::{Result, StoreError};

#[async_trait]
pub trait PresupuestoReads: Send + Sync + 'static {
    /// One quote; [`StoreError::PresupuestoNotFound`].
    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto>;
    /// A lead's quotes, newest first; [`StoreError::LeadNotFound`].
    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>>;
}

#[async_trait]
impl<R: Reader> PresupuestoReads for R {
    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        first(self, quote::get(id)).await?.ok_or(StoreError::PresupuestoNotFound)
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        of_lead(self, lead, quote::list(lead)).await
    }
}
