//! Companies with their brands, logos and price tables.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::facts::{Editable as _, audit_texts};
use embudo_domain::identity::Identity;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId, Timestamp};
use jiff::civil::Date;

use crate::Result;
use crate::edited::Edited;

/// The changes to a company; `None` keeps a field.
#[derive(Debug, Clone, Default)]
pub struct EmpresaPatch {
    pub nombre: Option<String>,
    pub slug: Option<String>,
    /// Makes the company the default one; `false` changes nothing.
    pub por_defecto: bool,
    /// New address for notices; empty removes it.
    pub email_avisos: Option<String>,
    /// Whether the company wants notices.
    pub notices: Option<bool>,
}

impl EmpresaPatch {
    /// The company after the changes.
    pub fn over(&self, before: Empresa) -> Empresa {
        Empresa {
            nombre: self.nombre.clone().unwrap_or(before.nombre),
            slug: self.slug.clone().unwrap_or(before.slug),
            por_defecto: before.por_defecto || self.por_defecto,
            email_avisos: match &self.email_avisos {
                Some(new) => Some(new.clone()).filter(|address| !address.is_empty()),
                None => before.email_avisos,
            },
            notices: self.notices.unwrap_or(before.notices),
            ..before
        }
    }
}

/// A company's price table in the form in which it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTarifa {
    /// Its version, unique within the company.
    pub version: String,
    /// The first day on which it is in force.
    pub since: Date,
    /// Its text (TOML), checked before it is stored.
    pub text: String,
    /// When it was loaded.
    pub creada_en: Timestamp,
}

/// The version of a price table, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaVersion {
    pub version: String,
    pub since: Date,
    pub creada_en: Timestamp,
}

/// A person's new price table, and the tables that the company had when the person made it.
#[derive(Debug, Clone)]
pub struct AddTarifa {
    pub empresa: EmpresaId,
    /// The versions that the person saw, as [`crate::read::EmpresaReads::tarifa_versions`] lists them. If they have
    /// changed since, nothing is added.
    pub seen: Vec<TarifaVersion>,
    pub tarifa: StoredTarifa,
    pub audit: AuditEntry,
}

impl AddTarifa {
    /// Whether the table may be added to the current ones; `same` is the existing table with its version, if any.
    /// Engines lock and write; this decides.
    pub fn decide(&self, now: &[TarifaVersion], same: Option<&StoredTarifa>) -> Result<Edited> {
        match same {
            Some(same) if same.text == self.tarifa.text && same.since == self.tarifa.since => {
                Ok(Edited::Same)
            }
            Some(_) => Err(crate::StoreError::TarifaTaken),
            None if now != self.seen => Ok(Edited::Stale),
            None => Ok(Edited::Saved),
        }
    }
}

/// Withdraws a price table that no quote can have used, because it is not in force yet.
#[derive(Debug, Clone)]
pub struct WithdrawTarifa {
    pub empresa: EmpresaId,
    pub version: String,
    /// Only a table that begins after this day can be withdrawn.
    pub today: Date,
    pub audit: AuditEntry,
}

impl WithdrawTarifa {
    pub fn decide(&self, found: Option<&StoredTarifa>) -> Withdrawal {
        match found {
            None => Withdrawal::Missing,
            Some(found) if found.since <= self.today => Withdrawal::Begun,
            Some(_) => Withdrawal::Done,
        }
    }
}

/// The result of withdrawing a price table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    Done,
    /// There is no such version.
    Missing,
    /// The table is or was in force: quotes may name it.
    Begun,
}

/// A company's brand as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredBrand {
    /// The brand; the default one if the company has none.
    pub brand: Brand,
    /// The digest of its logo.
    pub logo: Option<Digest>,
}

/// A person's edit of a company's public data.
#[derive(Debug, Clone)]
pub struct EditEmpresa {
    pub empresa: EmpresaId,
    pub seen: Identity,
    pub edited: Identity,
    /// Who makes the change; `decide` adds the old and the new values.
    pub audit: AuditEntry,
}

impl EditEmpresa {
    /// The values to be written over the current ones, with the entry for the audit log. Engines lock and write; this
    /// decides.
    pub fn decide(&self, now: &Identity) -> std::result::Result<(Identity, AuditEntry), Edited> {
        let identity = now.with_changes(&self.seen, &self.edited).ok_or(Edited::Stale)?;
        let changes = identity.changes(now);
        if changes.is_empty() {
            return Err(Edited::Same);
        }
        let (before, after) = audit_texts(&changes);
        let audit = AuditEntry { before: Some(before), after: Some(after), ..self.audit.clone() };
        Ok((identity, audit))
    }
}

/// Another slug of a company, for the addresses of its form. It replaces the slug that the person saw.
#[derive(Debug, Clone)]
pub struct ChangeSlug {
    pub empresa: EmpresaId,
    pub seen: String,
    pub slug: String,
    /// Who makes the change; `decide` adds the old and the new values.
    pub audit: AuditEntry,
}

impl ChangeSlug {
    /// The entry for the audit log, if the current slug may be replaced.
    pub fn decide(&self, now: &str) -> std::result::Result<AuditEntry, Edited> {
        if now == self.slug {
            return Err(Edited::Same);
        }
        if now != self.seen {
            return Err(Edited::Stale);
        }
        let (before, after) = (format!("/f/{now}"), format!("/f/{}", self.slug));
        Ok(AuditEntry { before: Some(before), after: Some(after), ..self.audit.clone() })
    }
}

/// A person's edit of how a company wants to work.
#[derive(Debug, Clone)]
pub struct EditSettings {
    pub empresa: EmpresaId,
    pub seen: Settings,
    pub edited: Settings,
    /// The whole entry. The caller describes the changes, because settings contain secrets.
    pub audit: AuditEntry,
}

/// A person's new logo (PNG), which replaces the logo that they saw; `None` removes it.
#[derive(Debug, Clone)]
pub struct ChangeLogo {
    pub empresa: EmpresaId,
    /// The digest of the logo that the person saw.
    pub seen: Option<Digest>,
    pub logo: Option<Vec<u8>>,
    /// Who makes the change; `decide` adds the old and the new values.
    pub audit: AuditEntry,
}

impl ChangeLogo {
    /// The entry for the audit log, if the current logo may be replaced.
    pub fn decide(&self, now: Option<Digest>) -> std::result::Result<AuditEntry, Edited> {
        let new = self.logo.as_deref().map(Digest::of);
        if new == now {
            return Err(Edited::Same);
        }
        if now != self.seen {
            return Err(Edited::Stale);
        }
        let logo_text = |logo: Option<Digest>| match logo {
            Some(digest) => digest.to_string().chars().take(12).collect(),
            None => "sin logo".to_owned(),
        };
        Ok(AuditEntry { before: Some(logo_text(now)), after: Some(logo_text(new)), ..self.audit.clone() })
    }
}

/// Companies and their data.
#[async_trait]
pub trait EmpresaStore: Send + Sync + 'static {
    /// Creates a company. The first one ever created becomes the default one, whatever `por_defecto` says; a later one
    /// with `por_defecto` replaces the present default one. [`crate::StoreError::SlugTaken`] if another company has or
    /// had its slug.
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()>;
    /// Creates this company as the default one unless a default company exists; returns the default company. Safe to
    /// call from several processes at once.
    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa>;
    /// Changes a company; [`crate::StoreError::EmpresaNotFound`], [`crate::StoreError::SlugTaken`]. A former slug
    /// stays reserved for the company.
    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa>;
    /// Writes a company's brand; the logo stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()>;
    /// Writes how a company wants to work, without a check of the old values.
    /// [`crate::StoreError::EmpresaNotFound`].
    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()>;
    /// Changes how a company wants to work, with its entry in the audit log, unless the settings changed since they
    /// were seen. [`crate::StoreError::EmpresaNotFound`].
    async fn edit_settings(&self, command: EditSettings) -> Result<Edited>;
    /// Writes or removes a company's logo (PNG); the brand stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()>;
    /// Changes a company's public data, with its entry in the audit log. [`crate::StoreError::EmpresaNotFound`].
    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited>;
    /// Changes a company's slug, with its entry in the audit log. The former slug stays reserved for it.
    /// [`crate::StoreError::EmpresaNotFound`], [`crate::StoreError::SlugTaken`].
    async fn change_slug(&self, command: ChangeSlug) -> Result<Edited>;
    /// Changes or removes a company's logo, with its entry in the audit log. [`crate::StoreError::EmpresaNotFound`].
    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited>;
    /// Loads a price table. Loading the same version with the same text and day again succeeds; with another text or
    /// day it is [`crate::StoreError::TarifaTaken`], because quotes name the version.
    /// [`crate::StoreError::EmpresaNotFound`].
    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()>;
    /// Loads a person's new price table, with its entry in the audit log, unless the company's tables changed since the
    /// person saw them. Otherwise like [`Self::save_tarifa`].
    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited>;
    /// Removes a price table that is not in force yet, with its entry in the audit log.
    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal>;
}
