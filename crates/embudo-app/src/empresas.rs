//! The set-up of a company by its people: the remaining tasks, what the company says of itself, its logo.

use bytes::Bytes;
use embudo_delivery::Secrets;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::checklist::{Item, Server, Situation, checklist};
use embudo_domain::empresa::Empresa;
use embudo_domain::identity::Identity;
use embudo_domain::job::Destination;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId, UserId};
use embudo_store::edited::Edited;
use embudo_store::empresas::{ChangeLogo, ChangeSlug, EditEmpresa, EditSettings};
use embudo_store::inbox::{InboxFilter, InboxSort, PageStart, Reading, Viewer};
use embudo_store::{Result, Store};
use jiff::civil::Date;

use crate::access::fill_random;
use crate::{Actor, App, AppError, logo};

#[derive(Clone, Copy)]
pub struct Empresas<'a> {
    pub(crate) app: &'a App,
}

impl Empresas<'_> {
    /// The tasks of the set-up, and what is still missing.
    pub async fn checklist(self, empresa: &Empresa) -> Result<Vec<Item>> {
        let outbound = &self.app.outbound;
        let destinations = outbound.destinations();
        let server = Server { has_public_url: outbound.links.is_some(), destinations: &destinations };
        checklist_of(&*self.app.store, empresa, server, self.app.today()).await
    }

    /// Changes what a company says of itself; the person saw it as `seen`.
    pub async fn edit(
        self,
        empresa: EmpresaId,
        seen: Identity,
        edited: Identity,
        actor: &Actor,
    ) -> Result<Edited> {
        let audit = self.audit(empresa, AuditAction::EmpresaChanged, actor);
        self.app.store.edit_empresa(EditEmpresa { empresa, seen, edited, audit }).await
    }

    /// Changes the company's name in the address of its form. From then on, the old name that the person saw leads to
    /// the new one.
    pub async fn change_slug(
        self,
        empresa: EmpresaId,
        seen: String,
        slug: String,
        actor: &Actor,
    ) -> Result<Edited> {
        let audit = self.audit(empresa, AuditAction::SlugChanged, actor);
        self.app.store.change_slug(ChangeSlug { empresa, seen, slug, audit }).await
    }

    /// A new secret to sign signals with.
    pub fn new_webhook_secret(self) -> String {
        let mut random = [0; 32];
        fill_random(&mut random);
        Secrets::write(&random)
    }

    /// Changes how a company wants to work; the person saw its settings as `seen`. The words describe the change for
    /// the audit log, without secrets.
    pub async fn edit_settings(
        self,
        empresa: EmpresaId,
        (seen, edited): (Settings, Settings),
        action: AuditAction,
        (before, after): (String, String),
        actor: &Actor,
    ) -> Result<Edited> {
        let (before, after) = (Some(before), Some(after));
        let audit = AuditEntry { before, after, ..self.audit(empresa, action, actor) };
        let end = self.app.store.edit_settings(EditSettings { empresa, seen, edited, audit }).await?;
        self.app.receivers_changed();
        Ok(end)
    }

    /// Replaces or removes the logo that the person saw, or says why the new picture cannot be a logo.
    pub async fn change_logo(
        self,
        empresa: EmpresaId,
        seen: Option<Digest>,
        file: Option<Bytes>,
        actor: &Actor,
    ) -> std::result::Result<std::result::Result<Edited, String>, AppError> {
        let clean = match file {
            Some(bytes) => match self.clean(bytes).await {
                Ok(png) => Some(png),
                Err(reason) => return Ok(Err(reason)),
            },
            None => None,
        };
        let audit = self.audit(empresa, AuditAction::LogoChanged, actor);
        Ok(Ok(self.app.store.change_logo(ChangeLogo { empresa, seen, logo: clean, audit }).await?))
    }

    /// Makes a clean PNG of a logo. A picture takes a processor and memory, so this uses the same semaphore as photos.
    async fn clean(self, bytes: Bytes) -> std::result::Result<Vec<u8>, String> {
        let _seat = self.app.photo_queue.seats.acquire().await.expect("the seats are never closed");
        let made = tokio::task::spawn_blocking(move || logo(&bytes)).await;
        made.expect("the task is not cancelled; a panic in it is this request's panic")
    }

    fn audit(self, empresa: EmpresaId, action: AuditAction, actor: &Actor) -> AuditEntry {
        AuditEntry { empresa: Some(empresa), ..self.app.access().audit(actor, action) }
    }
}

/// The tasks of the set-up of a company, on a server with these settings.
pub async fn checklist_of(
    store: &dyn Store,
    empresa: &Empresa,
    server: Server<'_>,
    today: Date,
) -> Result<Vec<Item>> {
    let stored = store.brand(empresa.id).await?;
    let has_prices = store.current_tarifa(empresa.id, today).await?.is_some();
    let connections = store.settings(empresa.id).await?.connections;
    let is_connected = |to: &Destination| server.destinations.contains(to) || connections.own(*to).is_some();
    let destinations: Vec<_> = Destination::ALL.into_iter().filter(is_connected).collect();
    let situation = Situation {
        empresa,
        brand: &stored.brand,
        has_logo: stored.logo.is_some(),
        has_prices,
        is_form_tried: is_form_tried(store, empresa.id).await?,
        server: Server { destinations: &destinations, ..server },
    };
    Ok(checklist(&situation))
}

/// Whether a lead has come in through the company's form.
async fn is_form_tried(store: &dyn Store, empresa: EmpresaId) -> Result<bool> {
    let nobody = Viewer { who: UserId(uuid::Uuid::nil()), empresas: vec![empresa] };
    let filter = InboxFilter { canal_origen: Some(CanalOrigen::WebForm), ..InboxFilter::default() };
    let page = store.inbox(&nobody, filter, InboxSort::Created, PageStart::Start, Reading::rows(1)).await?;
    Ok(!page.rows.is_empty())
}
