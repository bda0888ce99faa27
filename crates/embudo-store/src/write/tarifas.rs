//! Price tables. Those of a company change one at a time, under the company's lock.

use embudo_domain::EmpresaId;

use super::{Lock, Tx, audit, sql};
use crate::edited::Edited;
use crate::empresas::{AddTarifa, StoredTarifa, WithdrawTarifa, Withdrawal};
use crate::queries::{Statement, empresa as queries};
use crate::{Result, StoreError};

/// Loads a price table. Loading the same one again succeeds.
pub(super) async fn save(tx: &Tx<'_>, empresa: EmpresaId, tarifa: &StoredTarifa) -> Result<()> {
    tx.lock(Lock::Empresa(empresa)).await?;
    match tx.first(queries::tarifa(empresa, &tarifa.version)).await? {
        Some(same) if same.text == tarifa.text && same.since == tarifa.since => Ok(()),
        Some(_) => Err(StoreError::TarifaTaken),
        None => tx.run_or(insert(empresa, tarifa), StoreError::EmpresaNotFound).await,
    }
}

/// Loads a person's new price table, unless the company's tables changed since the person saw them.
pub(super) async fn add(tx: &Tx<'_>, command: &AddTarifa) -> Result<Edited> {
    let id = command.empresa;
    tx.lock(Lock::Empresa(id)).await?;
    tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let now = tx.rows(queries::tarifa_versions(id)).await?;
    let same = tx.first(queries::tarifa(id, &command.tarifa.version)).await?;
    let end = command.decide(&now, same.as_ref())?;
    if end == Edited::Saved {
        tx.run(insert(id, &command.tarifa)).await?;
        audit::tell(tx, &command.audit).await?;
    }
    Ok(end)
}

/// Removes a price table that is not in force yet.
pub(super) async fn withdraw(tx: &Tx<'_>, command: &WithdrawTarifa) -> Result<Withdrawal> {
    let WithdrawTarifa { empresa, version, .. } = command;
    tx.lock(Lock::Empresa(*empresa)).await?;
    let found = tx.first(queries::tarifa(*empresa, version)).await?;
    let end = command.decide(found.as_ref());
    if end == Withdrawal::Done {
        tx.run(sql!("tarifa/delete.sql", empresa: empresa.0, version)).await?;
        audit::tell(tx, &command.audit).await?;
    }
    Ok(end)
}

fn insert(empresa: EmpresaId, tarifa: &StoredTarifa) -> Statement {
    sql!(
        "tarifa/insert.sql",
        empresa: empresa.0,
        version: &tarifa.version,
        desde: tarifa.since,
        texto: &tarifa.text,
        creado_en: tarifa.creada_en,
    )
}
