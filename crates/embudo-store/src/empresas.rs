//! Companies, and what is theirs: brands, logos and price tables.

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
use crate::sheet::Edited;

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

impl EmpresaPatch {
    /// The company with what changes.
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

/// A price table by its name, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaVersion {
    pub version: String,
    pub since: Date,
    pub creada_en: Timestamp,
}

/// A person's next price table, made while the company had these.
#[derive(Debug, Clone)]
pub struct AddTarifa {
    pub empresa: EmpresaId,
    /// The versions that the person saw, as [`crate::read::EmpresaReads::tarifa_versions`] lists them.
    pub seen: Vec<TarifaVersion>,
    pub tarifa: StoredTarifa,
    pub audit: AuditEntry,
}

impl AddTarifa {
    /// Whether it is to be written beside what is there now: `same` is the table that has its name, if any. Engines
    /// lock and write; this decides.
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

/// Takes back a price table that no quote can have used, because it has not begun.
#[derive(Debug, Clone)]
pub struct WithdrawTarifa {
    pub empresa: EmpresaId,
    pub version: String,
    /// Only a table that begins after this day goes.
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

/// What became of taking back a price table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    Done,
    /// There is no such version.
    Missing,
    /// It holds or held: quotes may name it.
    Begun,
}

/// A company's brand as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredBrand {
    /// The brand; the default one if the company has none.
    pub brand: Brand,
    /// The digest of its logo.
    pub logo: Option<Digest>,
}

/// What a person made of what a company says of itself.
#[derive(Debug, Clone)]
pub struct EditEmpresa {
    pub empresa: EmpresaId,
    pub seen: Identity,
    pub edited: Identity,
    /// Who does it; what changes is filled in.
    pub audit: AuditEntry,
}

impl EditEmpresa {
    /// What is to be written over what is there now, with its line of the audit log. Engines lock and write; this
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

/// Another name for a company in the addresses of its form, in place of the one that the person saw.
#[derive(Debug, Clone)]
pub struct ChangeSlug {
    pub empresa: EmpresaId,
    pub seen: String,
    pub slug: String,
    /// Who does it; what changes is filled in.
    pub audit: AuditEntry,
}

impl ChangeSlug {
    /// The line of the audit log, if it is to be written over what is there now.
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

/// What a person made of how a company wants to work.
#[derive(Debug, Clone)]
pub struct EditSettings {
    pub empresa: EmpresaId,
    pub seen: Settings,
    pub edited: Settings,
    /// Who does it, and what changes, as text: settings hold secrets.
    pub audit: AuditEntry,
}

impl EditSettings {
    /// What is to be written over what is there now. Engines lock and write; this decides.
    pub fn decide(&self, now: &Settings) -> Edited {
        if *now == self.edited {
            Edited::Same
        } else if *now == self.seen {
            Edited::Saved
        } else {
            Edited::Stale
        }
    }
}

/// A person's new logo (PNG) in place of the one that they saw; `None` is no logo.
#[derive(Debug, Clone)]
pub struct ChangeLogo {
    pub empresa: EmpresaId,
    /// The digest of the one that was seen.
    pub seen: Option<Digest>,
    pub logo: Option<Vec<u8>>,
    /// Who does it; what changes is filled in.
    pub audit: AuditEntry,
}

impl ChangeLogo {
    /// The line of the audit log, if it is to be written over what is there now.
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

/// Companies and what is theirs.
#[async_trait]
pub trait EmpresaStore: Send + Sync + 'static {
    /// Creates a company. The first one ever created becomes the default one, whatever `por_defecto` says; a later
    /// one with `por_defecto` takes that place over. [`crate::StoreError::SlugTaken`] if its slug is in use.
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()>;
    /// Creates this company as the default one unless a default company exists; returns the default company. Safe to
    /// call from several processes at once.
    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa>;
    /// Changes a company; [`crate::StoreError::EmpresaNotFound`], [`crate::StoreError::SlugTaken`]. A slug that it had
    /// before stays its own.
    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa>;
    /// Writes a company's brand; the logo stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()>;
    /// Writes how a company wants to work, whatever it was; for commands. [`crate::StoreError::EmpresaNotFound`].
    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()>;
    /// Changes how a company wants to work, with its line in the audit log, unless it is not what was seen any more.
    /// [`crate::StoreError::EmpresaNotFound`].
    async fn edit_settings(&self, command: EditSettings) -> Result<Edited>;
    /// Writes or removes a company's logo (PNG); the brand stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()>;
    /// Changes what a company says of itself, with its line in the audit log. [`crate::StoreError::EmpresaNotFound`].
    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited>;
    /// Changes a company's slug, with its line in the audit log. The former one stays its own.
    /// [`crate::StoreError::EmpresaNotFound`], [`crate::StoreError::SlugTaken`].
    async fn change_slug(&self, command: ChangeSlug) -> Result<Edited>;
    /// Changes or removes a company's logo, with its line in the audit log. [`crate::StoreError::EmpresaNotFound`].
    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited>;
    /// Loads a price table. The same version with the same text and day again is fine; with another it is
    /// [`crate::StoreError::TarifaTaken`]: quotes name the version. [`crate::StoreError::EmpresaNotFound`].
    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()>;
    /// Loads a person's next price table, with its line in the audit log, unless others came meanwhile. Otherwise as
    /// [`Self::save_tarifa`].
    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited>;
    /// Removes a price table that has not begun, with its line in the audit log.
    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal>;
}
