//! Companies, and what is theirs: brands, logos and price tables.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::empresas::{EmpresaPatch, StoredTarifa};
use embudo_store::{Empresas, Result};

use crate::PgStore;
use crate::command::{business, empresa};
use crate::patience::patiently;

#[async_trait]
impl Empresas for PgStore {
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), empresa::create(&self.pool, &empresa, at))
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::ensure_default(&self.pool, &empresa, at))
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::update(&self.pool, id, &patch))
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_brand(&self.pool, empresa, &brand))
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_logo(&self.pool, empresa, logo.as_deref()))
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_tarifa(&self.pool, empresa, &tarifa))
    }
}
