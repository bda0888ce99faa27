//! Companies. One change at a time, so that exactly one of them is the default one.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::empresas::EmpresaPatch;
use embudo_store::{StoreError, queries};

use super::alone::commit;
use crate::failure::{Failure, Step, is_taken};
use crate::query::run_in;
use crate::rows::{self, Instant};
use crate::statement::{OnPool, params, sql};

/// Held while the companies change; any number that nobody else in the database uses.
const LOCK: i64 = 0x656d_6275_646f_0002;

fn slug_error(failure: Failure) -> Failure {
    match failure {
        Failure::Pg(error) if is_taken(&error, "empresa_slug") => StoreError::SlugTaken.into(),
        other => other,
    }
}

pub(super) async fn lock(tx: &Transaction<'_>) -> Step<()> {
    tx.execute(sql!("advisory/lock.sql"), params! { lock: LOCK }).await.map(drop)
}

async fn insert(tx: &Transaction<'_>, empresa: &Empresa, at: Timestamp) -> Step<()> {
    let Empresa { id, nombre, slug, por_defecto, email_avisos, notices, topics, .. } = empresa;
    let (now, elegidos) = (Instant::from(at), topics.to_string());
    let params = params! {
        id: id.0,
        nombre,
        slug,
        por_defecto,
        email_avisos,
        avisos: notices,
        avisos_elegidos: elegidos,
        now,
    };
    tx.execute(sql!("empresa/insert.sql"), params).await.map(drop).map_err(slug_error)
}

async fn clear_default(tx: &Transaction<'_>, except: EmpresaId) -> Step<()> {
    tx.execute(sql!("empresa/clear_default.sql"), params! { id: except.0 }).await.map(drop)
}

/// Creates a company.
pub(crate) async fn create(pool: &Pool, empresa: &Empresa, at: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    let is_first = !tx.row(sql!("empresa/any.sql"), params! {}).await?.try_get::<_, bool>(0)?;
    let empresa = Empresa { por_defecto: empresa.por_defecto || is_first, ..empresa.clone() };
    if empresa.por_defecto {
        clear_default(&tx, empresa.id).await?;
    }
    insert(&tx, &empresa, at).await?;
    commit(tx).await
}

/// The default company; this one, if there is none.
pub(crate) async fn ensure_default(pool: &Pool, empresa: &Empresa, at: Timestamp) -> Step<Empresa> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    if let Some(existing) = run_in(&tx, &queries::empresa::default()).await?.pop() {
        return Ok(existing);
    }
    let empresa = Empresa { por_defecto: true, ..empresa.clone() };
    insert(&tx, &empresa, at).await?;
    commit(tx).await?;
    Ok(empresa)
}

/// Changes a company.
pub(crate) async fn update(pool: &Pool, id: EmpresaId, patch: &EmpresaPatch) -> Step<Empresa> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    let empresa = update_in(&tx, id, patch).await?;
    commit(tx).await?;
    Ok(empresa)
}

/// The same inside a transaction that holds the lock.
pub(super) async fn update_in(tx: &Transaction<'_>, id: EmpresaId, patch: &EmpresaPatch) -> Step<Empresa> {
    if patch.por_defecto {
        clear_default(tx, id).await?;
    }
    let EmpresaPatch { nombre, slug, por_defecto, email_avisos, notices } = patch;
    let params = params! { id: id.0, nombre, slug, por_defecto, email_avisos, avisos: notices };
    let row = tx.row_opt(sql!("empresa/update.sql"), params).await.map_err(slug_error)?;
    rows::empresa(&row.ok_or(StoreError::EmpresaNotFound)?)
}
