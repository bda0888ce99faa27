//! The outbox as it is read: one job, lists of them, what is due next, and leads whose step is overdue.

use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{BucleVencido, FiltroTrabajos, JobCount};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, params_from_iter};

use super::{all, first};
use crate::failure::Step;
use crate::rows;

/// One job with its delivery log.
pub(crate) fn trabajo(conexion: &Connection, id: TrabajoId) -> Step<(Trabajo, Vec<Entrega>)> {
    let trabajo = get(conexion, id)?.ok_or(StoreError::TrabajoNotFound)?;
    let entregas = all(conexion, include_str!("../../sql/entrega/list.sql"), (id.0,), rows::entrega)?;
    Ok((trabajo, entregas))
}

/// Those of these jobs that there are, in the order asked.
pub(crate) fn trabajos(conexion: &Connection, ids: &[TrabajoId]) -> Step<Vec<Trabajo>> {
    ids.iter().filter_map(|id| get(conexion, *id).transpose()).collect()
}

fn get(conexion: &Connection, id: TrabajoId) -> Step<Option<Trabajo>> {
    first(conexion, include_str!("../../sql/trabajo/get.sql"), (id.0,), rows::trabajo)
}

/// One page of jobs, newest first.
pub(crate) fn list(
    conexion: &Connection,
    filtro: &FiltroTrabajos,
    despues_de: Option<(Timestamp, TrabajoId)>,
    limit: u32,
) -> Step<Vec<Trabajo>> {
    let (sql, values) = page(filtro, despues_de, limit);
    all(conexion, &sql, params_from_iter(values), rows::trabajo)
}

/// The SQL of a page and the values for its parameters; only the conditions that are set stand in it.
pub(crate) fn page(
    filtro: &FiltroTrabajos,
    despues_de: Option<(Timestamp, TrabajoId)>,
    limit: u32,
) -> (String, Vec<Value>) {
    let uuid = |id: uuid::Uuid| Value::Blob(id.as_bytes().to_vec());
    let word = |w: &str| Value::Text(w.to_owned());
    // A lead has few jobs: they are found by the lead and sorted, rather than all jobs walked in order.
    let (creado_en, id) = match filtro.lead {
        None => ("creado_en", "id"),
        Some(_) => ("+creado_en", "+id"),
    };
    // Jobs that wait for a person have an index of their own, which SQLite takes only where it reads the word itself.
    let parado = |e: &EstadoTrabajo| matches!(e, EstadoTrabajo::Muerto | EstadoTrabajo::Aparcado);
    let parado = filtro.estado.filter(|e| filtro.lead.is_none() && parado(e));
    let otro_estado = filtro.estado.filter(|_| parado.is_none());
    let conditions = [
        ("lead_id = ?", filtro.lead.map(|l| uuid(l.0))),
        ("tipo = ?", filtro.tipo.map(|t| word(t.as_str()))),
        ("+estado = ?", otro_estado.map(|e| word(e.as_str()))),
    ];
    let mut sql = String::from(include_str!("../../sql/trabajo/list.sql"));
    let mut values = Vec::new();
    let mut joint = "WHERE ";
    for (condition, value) in conditions {
        if let Some(value) = value {
            sql.push_str(joint);
            sql.push_str(condition);
            values.push(value);
            joint = " AND ";
        }
    }
    if let Some(estado) = parado {
        sql.push_str(&format!("{joint}estado = '{estado}'"));
        joint = " AND ";
    }
    if let Some((cuando, ultimo)) = despues_de {
        sql.push_str(&format!("{joint}({creado_en}, {id}) < (?, ?)"));
        values.push(Value::Integer(cuando.as_microsecond()));
        values.push(uuid(ultimo.0));
    }
    sql.push_str(&format!(" ORDER BY {creado_en} DESC, {id} DESC LIMIT ?"));
    values.push(Value::Integer(i64::from(limit)));
    (sql, values)
}

/// When there is next something to take: a job that nobody holds is due, or a lease runs out.
pub(crate) fn next_due(conexion: &Connection, tipos: &[TipoTrabajo]) -> Step<Option<Timestamp>> {
    let mut next = moment(conexion, include_str!("../../sql/trabajo/next_lapse.sql"), ())?;
    for tipo in tipos {
        // One look per kind, because the index starts with it.
        let free = moment(conexion, include_str!("../../sql/trabajo/next_free.sql"), (tipo.as_str(),))?;
        let lapsed = moment(conexion, include_str!("../../sql/trabajo/next_lapsed.sql"), (tipo.as_str(),))?;
        next = [next, free, lapsed].into_iter().flatten().min();
    }
    next.map(Timestamp::from_microsecond).transpose().map_err(|_| {
        StoreError::Internal("trabajo holds a time that nothing could have written".into()).into()
    })
}

/// How many jobs are pending, dead and parked.
pub(crate) fn count(conexion: &Connection) -> Step<Vec<JobCount>> {
    all(conexion, include_str!("../../sql/trabajo/count.sql"), (), rows::job_count)
}

fn moment(conexion: &Connection, sql: &str, params: impl Params) -> Step<Option<i64>> {
    Ok(conexion.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
}

/// Leads whose step is overdue and not yet marked so, the longest overdue first.
pub(crate) fn bucles_vencidos(conexion: &Connection, ahora: Timestamp, max: u32) -> Step<Vec<BucleVencido>> {
    let sql = include_str!("../../sql/bucle/overdue.sql");
    all(conexion, sql, (ahora.as_microsecond(), max), rows::bucle_vencido)
}
