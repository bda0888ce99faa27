//! Companies, and what is theirs: brands, logos and price tables.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::settings::Settings;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::empresas::{
    AddTarifa, ChangeLogo, EditEmpresa, EditSettings, EmpresaPatch, StoredTarifa, WithdrawTarifa, Withdrawal,
};
use embudo_store::sheet::Edited;
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

    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_settings(&self.pool, empresa, &settings))
    }

    async fn edit_settings(&self, command: EditSettings) -> Result<Edited> {
        patiently!(self, self.turns.command(), business::edit_settings(&self.pool, &command))
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_logo(&self.pool, empresa, logo.as_deref()))
    }

    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited> {
        patiently!(self, self.turns.command(), business::edit(&self.pool, &command))
    }

    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited> {
        patiently!(self, self.turns.command(), business::change_logo(&self.pool, &command))
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_tarifa(&self.pool, empresa, &tarifa))
    }

    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited> {
        patiently!(self, self.turns.command(), business::add_tarifa(&self.pool, &command))
    }

    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal> {
        patiently!(self, self.turns.command(), business::withdraw_tarifa(&self.pool, &command))
    }
}
