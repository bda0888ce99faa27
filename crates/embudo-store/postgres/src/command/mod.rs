//! The commands that can be run for many callers at once, as one statement each.
//!
//! Each turns a batch into arrays, one per column, for a statement with `UNNEST`. Rows are sorted by lead, so that two
//! processes lock leads in the same order and never each other out; of one lead they keep the order of arrival. Where several
//! commands write the same row, they are laid over each other here, in that order, and the row is written once.

pub(crate) mod alone;
pub(crate) mod blob;
pub(crate) mod bucle;
mod calificacion;
pub(crate) mod cola;
pub(crate) mod correction;
pub(crate) mod empresa;
mod encargo;
pub(crate) mod evento;
mod fines;
pub(crate) mod idempotencia;
pub(crate) mod ingesta;
mod intento;
pub(crate) mod lead;
pub(crate) mod negocio;
mod perfil;
pub(crate) mod presupuesto;
mod textos;
pub(crate) mod trabajo;
pub(crate) mod turno;

use std::future::Future;

use embudo_domain::LeadId;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, GenericClient, Statement};
use uuid::Uuid;

pub(crate) use encargo::{Encargo, Hechos};
pub(crate) use fines::Fin;
pub(crate) use perfil::Perfil;
pub(crate) use textos::Textos;

/// A command that one statement can do for many.
pub(crate) trait Grouped: Send + Sync + 'static {
    /// The statement.
    const SQL: &'static str;

    /// The statement for this batch, where a leaner one will do.
    fn sql(_batch: &[&Self]) -> &'static str {
        Self::SQL
    }

    /// Whose.
    fn lead(&self) -> LeadId;

    /// About how much memory it takes.
    fn bytes(&self) -> usize;

    /// Runs the batch and returns the leads that do not exist. Run again with the same commands it does nothing twice.
    fn run<C: GenericClient + Sync>(
        client: &C,
        statement: &Statement,
        batch: &[&Self],
    ) -> impl Future<Output = Result<Vec<Uuid>, Error>> + Send;
}

/// The batch by lead, of one lead in the order of arrival.
fn by_lead<'a, K: Grouped>(batch: &[&'a K]) -> Vec<&'a K> {
    let mut sorted = batch.to_vec();
    sorted.sort_by_key(|command| command.lead());
    sorted
}

/// Runs a statement whose rows are the leads that do not exist.
async fn missing<C: GenericClient + Sync>(
    client: &C,
    statement: &Statement,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Uuid>, Error> {
    let rows = client.query(statement, parameters).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The length of a text that may be absent.
fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}
