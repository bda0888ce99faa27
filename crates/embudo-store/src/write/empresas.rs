//! Companies. One change at a time, so that exactly one of them is the default one.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::settings::Settings;
use embudo_domain::{EmpresaId, Timestamp};

use super::{Engine, Load, Lock, Tx, audit, company, sql, tarifas};
use crate::edited::Edited;
use crate::empresas::{
    AddTarifa, ChangeLogo, ChangeSlug, EditEmpresa, EditSettings, EmpresaPatch, StoredTarifa, WithdrawTarifa,
    Withdrawal,
};
use crate::queries::{Statement, empresa as queries};
use crate::read::Reader;
use crate::{EmpresaStore, Result, StoreError};

#[async_trait]
impl<E: Engine + Reader> EmpresaStore for E {
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()> {
        self.write(Load::SMALL, (empresa, at), |tx, (empresa, at)| Box::pin(create(tx, empresa, *at))).await
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa> {
        // Every start of the program asks for the default company, and only the first one writes.
        if let Some(existing) = self.read(queries::default()).await?.pop() {
            return Ok(existing);
        }
        let command = (empresa, at);
        self.write(Load::SMALL, command, |tx, (empresa, at)| Box::pin(ensure_default(tx, empresa, *at))).await
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        self.write(Load::SMALL, (id, patch), |tx, (id, patch)| Box::pin(update(tx, *id, patch))).await
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        let load = Load::SMALL.and(brand.policy.as_ref().map_or(0, String::len));
        self.write(load, (empresa, brand), |tx, (id, brand)| Box::pin(company::save_brand(tx, *id, brand)))
            .await
    }

    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()> {
        let load = Load::SMALL.and(length(&settings));
        self.write(load, (empresa, settings), |tx, (id, new)| Box::pin(company::save_settings(tx, *id, new)))
            .await
    }

    async fn edit_settings(&self, command: EditSettings) -> Result<Edited> {
        let load = Load::SMALL.and(length(&command.edited));
        self.write(load, command, |tx, command| Box::pin(company::edit_settings(tx, command))).await
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let load = Load::SMALL.and(logo.as_ref().map_or(0, Vec::len));
        let command = (empresa, logo);
        self.write(load, command, |tx, (id, logo)| Box::pin(company::save_logo(tx, *id, logo.as_deref())))
            .await
    }

    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited> {
        let load = Load::SMALL.and(2 * command.edited.brand.policy.as_ref().map_or(0, String::len));
        self.write(load, command, |tx, command| Box::pin(company::edit(tx, command))).await
    }

    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited> {
        let load = Load::SMALL.and(command.logo.as_ref().map_or(0, Vec::len));
        self.write(load, command, |tx, command| Box::pin(company::change_logo(tx, command))).await
    }

    async fn change_slug(&self, command: ChangeSlug) -> Result<Edited> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(change_slug(tx, command))).await
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let load = Load::SMALL.and(tarifa.text.len());
        self.write(load, (empresa, tarifa), |tx, (id, tarifa)| Box::pin(tarifas::save(tx, *id, tarifa))).await
    }

    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited> {
        let load = Load::SMALL.and(command.tarifa.text.len());
        self.write(load, command, |tx, command| Box::pin(tarifas::add(tx, command))).await
    }

    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(tarifas::withdraw(tx, command))).await
    }
}

/// Approximately how long the texts in settings are.
fn length(settings: &Settings) -> usize {
    settings.legal.texts.iter().flat_map(|text| &text.paragraphs).map(String::len).sum()
}

/// Creates a company; the first one is the default one.
async fn create(tx: &Tx<'_>, empresa: &Empresa, at: Timestamp) -> Result<()> {
    tx.lock(Lock::Empresas).await?;
    let is_first = tx.first(queries::default()).await?.is_none();
    let por_defecto = empresa.por_defecto || is_first;
    insert(tx, &Empresa { por_defecto, ..empresa.clone() }, at).await
}

/// The default company; creates this one if there is none.
async fn ensure_default(tx: &Tx<'_>, empresa: &Empresa, at: Timestamp) -> Result<Empresa> {
    tx.lock(Lock::Empresas).await?;
    if let Some(existing) = tx.first(queries::default()).await? {
        return Ok(existing);
    }
    let empresa = Empresa { por_defecto: true, ..empresa.clone() };
    insert(tx, &empresa, at).await?;
    Ok(empresa)
}

async fn insert(tx: &Tx<'_>, empresa: &Empresa, at: Timestamp) -> Result<()> {
    if empresa.por_defecto {
        tx.run(clear_default(empresa.id)).await?;
    }
    let insert = sql!(
        "empresa/insert.sql",
        id: empresa.id.0,
        nombre: &empresa.nombre,
        slug: &empresa.slug,
        por_defecto: empresa.por_defecto,
        email_avisos: &empresa.email_avisos,
        avisos: empresa.notices,
        avisos_elegidos: empresa.topics.to_string(),
        now: at,
    );
    if tx.first(queries::by_former_slug(&empresa.slug)).await?.is_some() {
        return Err(StoreError::SlugTaken);
    }
    tx.run_or(insert, StoreError::SlugTaken).await
}

async fn update(tx: &Tx<'_>, id: EmpresaId, patch: &EmpresaPatch) -> Result<Empresa> {
    tx.lock(Lock::Empresas).await?;
    let before = tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let before_slug = before.slug.clone();
    let after = patch.over(before);
    if before_slug != after.slug {
        reserve(tx, id, &before_slug, &after.slug).await?;
    }
    if after.por_defecto {
        tx.run(clear_default(id)).await?;
    }
    tx.run(company::write(&after)).await?;
    Ok(after)
}

async fn change_slug(tx: &Tx<'_>, command: &ChangeSlug) -> Result<Edited> {
    let id = command.empresa;
    tx.lock(Lock::Empresas).await?;
    let before = tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let entry = match command.decide(&before.slug) {
        Ok(entry) => entry,
        Err(end) => return Ok(end),
    };
    reserve(tx, id, &before.slug, &command.slug).await?;
    tx.run(company::write(&Empresa { slug: command.slug.clone(), ..before })).await?;
    audit::tell(tx, &entry).await?;
    Ok(Edited::Saved)
}

/// Keeps the former slug for its company, and frees the new one if it was a former slug of the same company. Fails if
/// another company has or had the new one.
async fn reserve(tx: &Tx<'_>, id: EmpresaId, before: &str, after: &str) -> Result<()> {
    let is_taken = tx.first(queries::by_slug(after)).await?.is_some();
    let former = tx.first(queries::by_former_slug(after)).await?;
    if is_taken || former.is_some_and(|other| other.id != id) {
        return Err(StoreError::SlugTaken);
    }
    tx.run(sql!("slug_anterior/delete.sql", slug: after)).await?;
    tx.run(sql!("slug_anterior/insert.sql", slug: before, empresa: id.0)).await.map(drop)
}

fn clear_default(except: EmpresaId) -> Statement {
    sql!("empresa/clear_default.sql", id: except.0)
}
