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

use super::ROW;
use crate::SqliteStore;
use crate::command::{business, empresa};
use crate::writer::Shape;

#[async_trait]
impl Empresas for SqliteStore {
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::create(c, empresa, at)).await
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::ensure_default(c, empresa, at)).await
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::update(c, id, patch)).await
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        let bytes = 4 * ROW + brand.policy.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Single, bytes, move |c| business::save_brand(c, empresa, &brand)).await
    }

    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()> {
        let bytes = 4 * ROW + size_of_settings(&settings);
        let save = move |c: &_| business::save_settings(c, empresa, &settings);
        self.writer.run(Shape::Single, bytes, save).await
    }

    async fn edit_settings(&self, command: EditSettings) -> Result<Edited> {
        let bytes = 8 * ROW + size_of_settings(&command.edited);
        self.writer.run(Shape::Several, bytes, move |c| business::edit_settings(c, &command)).await
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let bytes = ROW + logo.as_ref().map_or(0, Vec::len);
        let save = move |c: &_| business::save_logo(c, empresa, logo.as_deref());
        self.writer.run(Shape::Single, bytes, save).await
    }

    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited> {
        let bytes = 8 * ROW + 2 * command.edited.brand.policy.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Several, bytes, move |c| business::edit(c, &command)).await
    }

    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited> {
        let bytes = 4 * ROW + command.logo.as_ref().map_or(0, Vec::len);
        self.writer.run(Shape::Several, bytes, move |c| business::change_logo(c, &command)).await
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let bytes = ROW + tarifa.text.len();
        self.writer.run(Shape::Several, bytes, move |c| business::save_tarifa(c, empresa, &tarifa)).await
    }

    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited> {
        let bytes = 4 * ROW + command.tarifa.text.len();
        self.writer.run(Shape::Several, bytes, move |c| business::add_tarifa(c, &command)).await
    }

    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| business::withdraw_tarifa(c, &command)).await
    }
}

/// About how long the texts in it are.
fn size_of_settings(settings: &Settings) -> usize {
    settings.legal.texts.iter().flat_map(|text| &text.paragraphs).map(String::len).sum()
}
