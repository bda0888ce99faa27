//! Companies, and what is theirs: brands, logos and price tables.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::empresas::{EmpresaPatch, StoredTarifa};
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

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let bytes = ROW + logo.as_ref().map_or(0, Vec::len);
        let save = move |c: &_| business::save_logo(c, empresa, logo.as_deref());
        self.writer.run(Shape::Single, bytes, save).await
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let bytes = ROW + tarifa.text.len();
        self.writer.run(Shape::Several, bytes, move |c| business::save_tarifa(c, empresa, &tarifa)).await
    }
}
