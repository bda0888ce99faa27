//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::brand::Brand;
use embudo_domain::identity::Identity;
use embudo_domain::rendition::{Rendition, RenditionOutcome};
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId};
use embudo_store::empresas::{
    AddTarifa, ChangeLogo, EditEmpresa, EditSettings, EmpresaPatch, StoredBrand, StoredTarifa,
    WithdrawTarifa, Withdrawal,
};
use embudo_store::sheet::Edited;
use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::alone::commit;
use super::{audit, blob, empresa};
use crate::failure::Step;
use crate::query::{run, run_in};
use crate::rows::Instant;
use crate::statement::{OnPool, Params, Sql, params, sql};

/// Loads a price table. A racing twin is waited for by the insert.
pub(crate) async fn save_tarifa(pool: &Pool, empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<()> {
    let StoredTarifa { version, since, text, .. } = tarifa;
    // What follows is asked for on another connection of the pool.
    if insert_tarifa(&pool.get().await?, empresa, tarifa).await? == 1 {
        return Ok(());
    }
    let antes = run(pool, &queries::empresa::tarifa(empresa, version)).await?.pop();
    let antes = antes.ok_or(StoreError::EmpresaNotFound)?;
    if antes.text != *text || antes.since != *since {
        return Err(StoreError::TarifaTaken.into());
    }
    Ok(())
}

async fn insert_tarifa(on: &(impl OnPool + Sync), empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<u64> {
    let StoredTarifa { version, since, text, creada_en } = tarifa;
    let new = params! {
        empresa: empresa.0, version, desde: since, texto: text, creado_en: Instant::from(*creada_en)
    };
    on.execute(sql!("tarifa/insert.sql"), new).await
}

/// Loads a person's next price table, unless others came meanwhile. The company's row is held, which every insert of a table waits for.
pub(crate) async fn add_tarifa(pool: &Pool, command: &AddTarifa) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let id = command.empresa;
    hold_tarifas(&tx, id).await?.ok_or(StoreError::EmpresaNotFound)?;
    let now = run_in(&tx, &queries::empresa::tarifa_versions(id)).await?;
    let same = run_in(&tx, &queries::empresa::tarifa(id, &command.tarifa.version)).await?.pop();
    let end = command.decide(&now, same.as_ref())?;
    if end == Edited::Saved {
        insert_tarifa(&tx, id, &command.tarifa).await?;
        audit::record_in(&tx, &command.audit).await?;
        commit(tx).await?;
    }
    Ok(end)
}

/// Removes a price table that has not begun.
pub(crate) async fn withdraw_tarifa(pool: &Pool, command: &WithdrawTarifa) -> Step<Withdrawal> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let WithdrawTarifa { empresa, version, .. } = command;
    hold_tarifas(&tx, *empresa).await?;
    let found = run_in(&tx, &queries::empresa::tarifa(*empresa, version)).await?.pop();
    let end = command.decide(found.as_ref());
    if end == Withdrawal::Done {
        tx.execute(sql!("tarifa/delete.sql"), params! { empresa: empresa.0, version }).await?;
        audit::record_in(&tx, &command.audit).await?;
        commit(tx).await?;
    }
    Ok(end)
}

/// Holds the list of a company's price tables until the transaction ends; `None` without such a company.
async fn hold_tarifas(tx: &Transaction<'_>, empresa: EmpresaId) -> Step<Option<()>> {
    let row = tx.row_opt(sql!("tarifa/hold.sql"), params! { empresa: empresa.0 }).await?;
    Ok(row.map(drop))
}

pub(crate) async fn save_settings(pool: &Pool, empresa: EmpresaId, settings: &Settings) -> Step<()> {
    save_settings_in(&pool.get().await?, empresa, settings).await
}

async fn save_settings_in(on: &(impl OnPool + Sync), empresa: EmpresaId, settings: &Settings) -> Step<()> {
    let datos = serde_json::to_string(settings).expect("plain data becomes JSON");
    let conecta = settings.connections.words();
    execute_on_empresa(on, sql!("ajustes/set.sql"), params! { empresa: empresa.0, datos, conecta }).await
}

/// Writes how a company wants to work, unless somebody else changed it. Read after the lock, so that it is what is written over.
pub(crate) async fn edit_settings(pool: &Pool, command: &EditSettings) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    execute_on_empresa(&tx, sql!("ajustes/hold.sql"), params! { empresa: command.empresa.0 }).await?;
    let now = run_in(&tx, &queries::empresa::settings(command.empresa)).await?.pop().unwrap_or_default();
    let end = command.decide(&now);
    if end == Edited::Saved {
        save_settings_in(&tx, command.empresa, &command.edited).await?;
        audit::record_in(&tx, &command.audit).await?;
        commit(tx).await?;
    }
    Ok(end)
}

/// Runs one statement that takes its company from the database: no row means that there is no such company.
async fn execute_on_empresa(on: &(impl OnPool + Sync), sql: &Sql, params: &Params<'_>) -> Step<()> {
    match on.execute(sql, params).await? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Writes a company's brand.
pub(crate) async fn save_brand(pool: &Pool, empresa: EmpresaId, brand: &Brand) -> Step<()> {
    save_brand_in(&pool.get().await?, empresa, brand).await
}

async fn save_brand_in(on: &(impl OnPool + Sync), empresa: EmpresaId, brand: &Brand) -> Step<()> {
    let data = serde_json::to_string(brand)
        .map_err(|e| StoreError::Internal(format!("a brand cannot be written as JSON: {e}")))?;
    let params = params! { empresa: empresa.0, datos: data };
    execute_on_empresa(on, sql!("marca/set_datos.sql"), params).await
}

/// Writes or removes a company's logo.
pub(crate) async fn save_logo(pool: &Pool, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    save_logo_in(&pool.get().await?, empresa, logo).await
}

async fn save_logo_in(on: &(impl OnPool + Sync), empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let digest = logo.map(|l| Digest::of(l).0.to_vec());
    let params = params! { empresa: empresa.0, huella: digest, logo };
    execute_on_empresa(on, sql!("marca/set_logo.sql"), params).await
}

/// A company's brand, held until the transaction ends.
async fn hold_brand(tx: &Transaction<'_>, empresa: EmpresaId) -> Step<StoredBrand> {
    execute_on_empresa(tx, sql!("marca/hold.sql"), params! { empresa: empresa.0 }).await?;
    Ok(run_in(tx, &queries::empresa::brand(empresa)).await?.pop().unwrap_or_default())
}

/// Writes what somebody changed of what a company says of itself, unless somebody else changed the same.
pub(crate) async fn edit(pool: &Pool, command: &EditEmpresa) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let id = command.empresa;
    empresa::lock(&tx).await?;
    let stored = hold_brand(&tx, id).await?;
    let found = run_in(&tx, &queries::empresa::get(id)).await?.pop().ok_or(StoreError::EmpresaNotFound)?;
    let (Identity { nombre, brand }, entry) = match command.decide(&Identity::of(&found, &stored.brand)) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    let patch = EmpresaPatch { nombre: Some(nombre), ..EmpresaPatch::default() };
    empresa::update_in(&tx, id, &patch).await?;
    save_brand_in(&tx, id, &brand).await?;
    audit::record_in(&tx, &entry).await?;
    commit(tx).await?;
    Ok(Edited::Saved)
}

/// Writes or removes a company's logo, unless somebody else changed it.
pub(crate) async fn change_logo(pool: &Pool, command: &ChangeLogo) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let stored = hold_brand(&tx, command.empresa).await?;
    let entry = match command.decide(stored.logo) {
        Ok(entry) => entry,
        Err(end) => return Ok(end),
    };
    save_logo_in(&tx, command.empresa, command.logo.as_deref()).await?;
    audit::record_in(&tx, &entry).await?;
    commit(tx).await?;
    Ok(Edited::Saved)
}

/// The secret of a name, this one if there was none. A racing twin is waited for by the insert.
pub(crate) async fn ensure_secret(pool: &Pool, nombre: &str, proposed: [u8; 32]) -> Step<[u8; 32]> {
    let client = pool.get().await?;
    client.execute(sql!("secreto/insert.sql"), params! { nombre, valor: proposed.as_slice() }).await?;
    let row = client.row(sql!("secreto/get.sql"), params! { nombre }).await?;
    let value: &[u8] = row.try_get(0)?;
    Ok(value.try_into().map_err(|_| StoreError::Internal("a secret has another length".into()))?)
}

/// Writes what was made of a photo. The photo's row is held, so that it cannot go without what was made of it.
pub(crate) async fn save_rendition(pool: &Pool, r: &Rendition, swept: &[(Digest, i64)]) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    tx.execute(sql!("blob_marca/share.sql"), params! { lock: blob::sweep_lock(r.lead) }).await?;
    let row = tx.row_opt(sql!("foto/hold.sql"), params! { lead: r.lead.0, id: r.foto.0 }).await?;
    let empresa: Uuid = row.ok_or(StoreError::FotoNotFound)?.try_get("empresa_id")?;
    let digests: Vec<Digest> = r.digests().collect();
    blob::check(&tx, r.lead, &digests, swept).await?;
    let (done, reason) = match &r.result {
        RenditionOutcome::Done(derived) => (Some(derived), None),
        RenditionOutcome::Failed(reason) => (None, Some(reason)),
    };
    let rendition = params! {
        lead: r.lead.0,
        foto: r.foto.0,
        empresa,
        copia: r.copy.as_ref().map(|h| h.0.as_slice()),
        impresion: done.map(|d| d.print.0.as_slice()),
        ancho: done.map(|d| i64::from(d.width)),
        alto: done.map(|d| i64::from(d.height)),
        miniatura: done.map(|d| d.thumbnail.0.as_slice()),
        motivo: reason,
        creado_en: Instant::from(r.creada_en),
    };
    tx.execute(sql!("rendicion/upsert.sql"), rendition).await?;
    commit(tx).await
}
