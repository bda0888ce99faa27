//! Companies, and what is theirs: brands, logos and price tables.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::{Digest, EmpresaId, Timestamp};
use jiff::civil::Date;

use crate::Result;

/// What changes on a company; `None` keeps.
#[derive(Debug, Clone, Default)]
pub struct EmpresaPatch {
    pub nombre: Option<String>,
    pub slug: Option<String>,
    /// Make it the default company.
    pub por_defecto: bool,
    /// New address for notices; empty removes it.
    pub email_avisos: Option<String>,
    /// Whether it wants notices.
    pub notices: Option<bool>,
}

/// A company's price table as it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTarifa {
    /// Its version, unique within the company.
    pub version: String,
    /// The first day on which it holds.
    pub since: Date,
    /// Its text (TOML), checked before it is kept.
    pub text: String,
    /// When it was loaded.
    pub creada_en: Timestamp,
}

/// A company's brand as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredBrand {
    /// The brand; the default one if the company has none.
    pub brand: Brand,
    /// The mark of its logo.
    pub logo: Option<Digest>,
}

/// Companies and what is theirs.
#[async_trait]
pub trait Empresas: Send + Sync + 'static {
    /// Creates a company. The first one ever created becomes the default one, whatever `por_defecto` says; a later
    /// one with `por_defecto` takes that place over. [`crate::StoreError::SlugTaken`] if its slug is in use.
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()>;
    /// Creates this company as the default one unless a default company exists; returns the default company. Safe to
    /// call from several processes at once.
    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa>;
    /// Changes a company; [`crate::StoreError::EmpresaNotFound`], [`crate::StoreError::SlugTaken`].
    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa>;
    /// Writes a company's brand; the logo stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()>;
    /// Writes or removes a company's logo (PNG); the brand stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()>;
    /// Loads a price table. The same version with the same text and day again is fine; with another it is
    /// [`crate::StoreError::TarifaTaken`]: quotes name the version. [`crate::StoreError::EmpresaNotFound`].
    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()>;
}
