//! Companies. One change at a time, so that exactly one of them is the default one.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::empresas::EmpresaPatch;
use embudo_store::{StoreError, queries};
use tokio_postgres::Error;

use super::alone::commit;
use crate::failure::{Failure, Step, is_taken};
use crate::query::run_in;
use crate::rows::{self, Instant};

/// Held while the companies change; any number that nobody else in the database uses.
const LOCK: i64 = 0x656d_6275_646f_0002;

fn slug_error(error: Error) -> Failure {
    if is_taken(&error, "empresa_slug") { StoreError::SlugTaken.into() } else { error.into() }
}

async fn lock(tx: &Transaction<'_>) -> Step<()> {
    let statement = tx.prepare_cached(include_str!("../../sql/empresa/lock.sql")).await?;
    tx.execute(&statement, &[&LOCK]).await?;
    Ok(())
}

async fn insert(tx: &Transaction<'_>, empresa: &Empresa, at: Timestamp) -> Step<()> {
    let Empresa { id, nombre, slug, por_defecto, email_avisos, notices } = empresa;
    let statement = tx.prepare_cached(include_str!("../../sql/empresa/insert.sql")).await?;
    let at = Instant::from(at);
    tx.execute(&statement, &[&id.0, nombre, slug, por_defecto, email_avisos, notices, &at])
        .await
        .map_err(slug_error)?;
    Ok(())
}

async fn clear_default(tx: &Transaction<'_>, except: EmpresaId) -> Step<()> {
    let statement = tx.prepare_cached(include_str!("../../sql/empresa/clear_default.sql")).await?;
    tx.execute(&statement, &[&except.0]).await?;
    Ok(())
}

/// Creates a company.
pub(crate) async fn create(pool: &Pool, empresa: &Empresa, at: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock(&tx).await?;
    let any = tx.prepare_cached(include_str!("../../sql/empresa/any.sql")).await?;
    let is_first = !tx.query_one(&any, &[]).await?.try_get::<_, bool>(0)?;
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
    if patch.por_defecto {
        clear_default(&tx, id).await?;
    }
    let statement = tx.prepare_cached(include_str!("../../sql/empresa/update.sql")).await?;
    let row = tx
        .query_opt(
            &statement,
            &[&id.0, &patch.nombre, &patch.slug, &patch.por_defecto, &patch.email_avisos, &patch.notices],
        )
        .await
        .map_err(slug_error)?;
    let empresa = rows::empresa(&row.ok_or(StoreError::EmpresaNotFound)?)?;
    commit(tx).await?;
    Ok(empresa)
}
