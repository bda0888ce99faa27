//! Companies, their brands and price tables.

use std::collections::BTreeSet;

use async_trait::async_trait;
use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::Destination;
use embudo_domain::settings::Settings;
use jiff::civil::Date;

use super::{Reader, first};
use crate::Result;
use crate::empresas::{StoredBrand, StoredTarifa, TarifaVersion};
use crate::queries::empresa;

#[async_trait]
pub trait EmpresaReads: Send + Sync + 'static {
    /// Every company, the default one first, then by name.
    async fn list_empresas(&self) -> Result<Vec<Empresa>>;
    /// The company with this slug, or the default one for `None`.
    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>>;
    /// The company that had this slug before.
    async fn empresa_by_former_slug(&self, slug: String) -> Result<Option<Empresa>>;
    /// A company's brand; the default one if it has none or is unknown.
    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand>;
    /// How a company wants to work; the default settings if it has set nothing.
    async fn settings(&self, empresa: EmpresaId) -> Result<Settings>;
    /// The signals for which at least one company has a receiver of its own.
    async fn own_receivers(&self) -> Result<BTreeSet<Destination>>;
    /// A company's logo.
    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>>;
    /// A company's price tables, the latest `desde` first, then the one loaded last.
    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>>;
    /// [`Self::tarifas`] without their texts.
    async fn tarifa_versions(&self, empresa: EmpresaId) -> Result<Vec<TarifaVersion>>;
    /// The price table of a version.
    async fn tarifa(&self, empresa: EmpresaId, version: String) -> Result<Option<StoredTarifa>>;
    /// The table of [`Self::tarifas`] that is in force on a day; `None` if the company has none: then the shipped one
    /// is in force.
    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>>;
}

#[async_trait]
impl<R: Reader> EmpresaReads for R {
    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        let mut empresas = self.read(empresa::list()).await?;
        empresas.sort_by(|a, b| (!a.por_defecto, &a.nombre, a.id).cmp(&(!b.por_defecto, &b.nombre, b.id)));
        Ok(empresas)
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        first(self, slug.as_deref().map_or_else(empresa::default, empresa::by_slug)).await
    }

    async fn empresa_by_former_slug(&self, slug: String) -> Result<Option<Empresa>> {
        first(self, empresa::by_former_slug(&slug)).await
    }

    async fn brand(&self, id: EmpresaId) -> Result<StoredBrand> {
        Ok(first(self, empresa::brand(id)).await?.unwrap_or_default())
    }

    async fn settings(&self, id: EmpresaId) -> Result<Settings> {
        Ok(first(self, empresa::settings(id)).await?.unwrap_or_default())
    }

    async fn own_receivers(&self) -> Result<BTreeSet<Destination>> {
        let words = self.read(empresa::own_receivers()).await?;
        Ok(words.iter().flat_map(|words| words.split(' ')).filter_map(Destination::parse).collect())
    }

    async fn logo(&self, id: EmpresaId) -> Result<Option<Vec<u8>>> {
        Ok(first(self, empresa::logo(id)).await?.flatten())
    }

    async fn tarifas(&self, id: EmpresaId) -> Result<Vec<StoredTarifa>> {
        self.read(empresa::tarifas(id)).await
    }

    async fn tarifa_versions(&self, id: EmpresaId) -> Result<Vec<TarifaVersion>> {
        self.read(empresa::tarifa_versions(id)).await
    }

    async fn tarifa(&self, id: EmpresaId, version: String) -> Result<Option<StoredTarifa>> {
        first(self, empresa::tarifa(id, &version)).await
    }

    async fn current_tarifa(&self, id: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        first(self, empresa::tarifa_in_force(id, day)).await
    }
}
