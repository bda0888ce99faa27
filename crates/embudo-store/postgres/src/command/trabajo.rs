//! Jobs are made here, inside the transaction of whatever causes them.

use std::collections::HashSet;
use std::time::Duration;

use deadpool_postgres::Transaction;
use embudo_domain::ficha::Ficha;
use embudo_domain::trabajo::{TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::{Hecho, StoreError};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::failure::Step;
use crate::query;
use crate::rows::Instante;
use crate::writer::Session;

pub(super) const INSERT: &str = include_str!("../../sql/trabajo/insert.sql");

/// How a command that may make jobs ended.
pub(crate) struct Con {
    pub(crate) hecho: Hecho,
    /// Whether it made a job that waits for whoever comes.
    pub(crate) sueltos: bool,
}

impl Con {
    /// The end of a command that was done before.
    pub(crate) fn nada(hecho: Hecho) -> Self {
        Self { hecho, sueltos: false }
    }
}

/// Whether these must be made under the lead's lock: of two that take each other's place one must see the other.
pub(super) fn needs_lock(trabajos: &[NuevoTrabajo]) -> bool {
    trabajos.iter().any(|t| t.tipo.se_sustituye())
}

/// A lease's length, as the statements want it. A hundred years are for ever.
pub(super) fn micros(dura: Duration) -> i64 {
    const FOR_EVER: i64 = 100 * 366 * 86_400 * 1_000_000;
    i64::try_from(dura.as_micros()).map_or(FOR_EVER, |us| us.min(FOR_EVER))
}

/// A job that is wanted, and how it will stand.
pub(super) type Ready<'a> = (&'a NuevoTrabajo, Trabajo);

/// The jobs that a lead's company wants, with what they say.
pub(super) fn ready<'a>(
    trabajos: &'a [NuevoTrabajo],
    ficha: &Ficha,
    en: Timestamp,
) -> Result<Vec<Ready<'a>>, StoreError> {
    trabajos.iter().filter_map(|t| t.make(ficha, en).map(|job| Some((t, job?))).transpose()).collect()
}

/// Writes jobs whose leads are locked; returns those that were not there before.
pub(super) async fn write(on: &Session<'_>, nuevos: &[Ready<'_>]) -> Step<HashSet<Uuid>> {
    if nuevos.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: Vec<Uuid> = nuevos.iter().map(|(_, job)| job.id.0).collect();
    let leads: Vec<Uuid> = nuevos.iter().map(|(_, job)| job.lead.0).collect();
    let empresas: Vec<Uuid> = nuevos.iter().map(|(_, job)| job.empresa.0).collect();
    let tipos: Vec<&str> = nuevos.iter().map(|(_, job)| job.tipo.as_str()).collect();
    let cargas: Vec<&str> = nuevos.iter().map(|(_, job)| job.carga.as_str()).collect();
    let times: Vec<Instante> = nuevos.iter().map(|(_, job)| job.creado_en.into()).collect();
    let due: Vec<Instante> = nuevos.iter().map(|(_, job)| job.proximo_en.into()).collect();
    let quienes: Vec<Option<Uuid>> = nuevos.iter().map(|(t, _)| t.arriendo.map(|a| a.quien.0)).collect();
    let duran: Vec<Option<i64>> = nuevos.iter().map(|(t, _)| t.arriendo.map(|a| micros(a.dura))).collect();

    let newer = || nuevos.iter().map(|(_, job)| job).filter(|job| job.tipo.se_sustituye());
    let s_ids: Vec<Uuid> = newer().map(|job| job.id.0).collect();
    let s_leads: Vec<Uuid> = newer().map(|job| job.lead.0).collect();
    let s_tipos: Vec<&str> = newer().map(|job| job.tipo.as_str()).collect();
    let s_times: Vec<Instante> = newer().map(|job| job.creado_en.into()).collect();

    let values: [&(dyn ToSql + Sync); 13] = [
        &ids, &leads, &empresas, &tipos, &cargas, &times, &due, &quienes, &duran, &s_ids, &s_leads, &s_tipos,
        &s_times,
    ];
    on.query(INSERT, &values).await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Makes jobs of one lead within a transaction that has locked it, where [`needs_lock`]; says whether one of them waits for whoever
/// comes.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    lead: LeadId,
    trabajos: &[NuevoTrabajo],
    en: Timestamp,
) -> Step<bool> {
    if trabajos.is_empty() {
        return Ok(false);
    }
    let ficha = match trabajos.iter().any(|t| matches!(t.carga, CargaNueva::Perfil)) {
        true => query::ficha_de_senal(tx, lead).await?,
        false => Ficha::bare(query::lead_de_senal(tx, lead).await?),
    };
    let nuevos = ready(trabajos, &ficha, en)?;
    let made = write(&Session::within(tx, &[INSERT]).await?, &nuevos).await?;
    Ok(nuevos.iter().any(|(t, job)| t.arriendo.is_none() && made.contains(&job.id.0)))
}

/// Ends the profile signals that were sent and wait for another attempt, because what they ask for came; says whether there was one.
pub(super) async fn answer_waiting(tx: &Transaction<'_>, lead: LeadId, en: Timestamp) -> Step<bool> {
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/answer.sql")).await?;
    Ok(tx.execute(&statement, &[&lead.0, &TipoTrabajo::Perfil.as_str(), &Instante::from(en)]).await? > 0)
}
