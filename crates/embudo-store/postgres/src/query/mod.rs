//! The questions, asked on a connection of the pool.

mod ficha;
mod lead;
mod presupuesto;
mod trabajo;

use deadpool_postgres::Pool;
use embudo_domain::empresa::Empresa;
use embudo_domain::ficha::{CambioEstado, Foto};
use embudo_domain::{FotoId, Huella, LeadId};
use embudo_store::StoreError;
use embudo_store::command::MarcaBlob;
use embudo_store::query::{CursorEvento, EventoEnLista};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::failure::Step;
use crate::rows::{self, Instante};

pub(crate) use ficha::{ficha, ficha_de_senal, lead_de_senal};
pub(crate) use lead::list as list_leads;
pub(crate) use presupuesto::{
    empresa_by_slug, logo, marca, presupuesto, presupuestos, rendiciones, tarifa_vigente, tarifas,
};
pub(crate) use trabajo::{
    count as count_trabajos, list as list_trabajos, next_due, trabajo, trabajos, vencidos as bucles_vencidos,
};

/// Succeeds when the server answers and takes writes.
pub(crate) async fn ping(pool: &Pool) -> Step<()> {
    let sql = "SELECT current_setting('transaction_read_only')::boolean OR pg_is_in_recovery()";
    let rows = all(pool, sql, &[]).await?;
    match rows.first().map(|row| row.try_get(0)).transpose()? {
        Some(false) => Ok(()),
        _ => Err(StoreError::Unavailable("the server is read-only".into()).into()),
    }
}

/// Every company.
pub(crate) async fn list_empresas(pool: &Pool) -> Step<Vec<Empresa>> {
    all(pool, include_str!("../../sql/empresa/list.sql"), &[]).await?.iter().map(rows::empresa).collect()
}

/// Every value a lead's states were given.
pub(crate) async fn historial(pool: &Pool, lead: LeadId) -> Step<Vec<CambioEstado>> {
    let rows = all(pool, include_str!("../../sql/estado_historia/list.sql"), &[&lead.0]).await?;
    if rows.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    rows.iter().filter_map(|row| rows::cambio_estado(row).transpose()).collect()
}

/// One page of a lead's events.
pub(crate) async fn eventos(
    pool: &Pool,
    lead: LeadId,
    cursor: Option<CursorEvento>,
    limit: u32,
) -> Step<Vec<EventoEnLista>> {
    let en = cursor.map(|c| Instante::from(c.creado_en));
    let (clase, n, limit) = (cursor.map(|c| c.clase), cursor.map(|c| c.n), i64::from(limit));
    let sql = include_str!("../../sql/evento/page.sql");
    let rows = all(pool, sql, &[&lead.0, &en, &clase, &n, &limit]).await?;
    if rows.is_empty() {
        let exists = all(pool, include_str!("../../sql/lead/exists.sql"), &[&lead.0]).await?;
        if !exists.first().map_or(Ok(false), |row| row.try_get(0))? {
            return Err(StoreError::LeadNotFound.into());
        }
    }
    rows.iter().map(rows::evento_en_lista).collect()
}

/// One photo.
pub(crate) async fn foto(pool: &Pool, lead: LeadId, foto: FotoId) -> Step<Foto> {
    let rows = all(pool, include_str!("../../sql/foto/get.sql"), &[&lead.0, &foto.0]).await?;
    rows::foto(rows.first().ok_or(StoreError::FotoNotFound)?)
}

/// Whether something names a blob.
pub(crate) async fn blob_in_use(pool: &Pool, lead: LeadId, huella: Huella) -> Step<bool> {
    let sql = include_str!("../../sql/blob_marca/named.sql");
    let rows = all(pool, sql, &[&lead.0, &huella.0.as_slice()]).await?;
    Ok(rows.first().map(|row| row.try_get("hay")).transpose()?.unwrap_or_default())
}

/// The marks and traces of a lead.
pub(crate) async fn blob_marks(pool: &Pool, lead: LeadId) -> Step<Vec<MarcaBlob>> {
    let sql = include_str!("../../sql/blob_marca/list_lead.sql");
    all(pool, sql, &[&lead.0]).await?.iter().map(rows::marca_blob).collect()
}

/// Every blob that is marked and not swept.
pub(crate) async fn marked_blobs(pool: &Pool) -> Step<Vec<(LeadId, Huella)>> {
    all(pool, include_str!("../../sql/blob_marca/list.sql"), &[]).await?.iter().map(rows::marca).collect()
}

async fn all(pool: &Pool, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Step<Vec<Row>> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query(&statement, parameters).await?)
}
