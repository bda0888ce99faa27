//! Leads that jobs are made for: locked, and read with what their signals say.

use std::collections::HashMap;

use embudo_domain::LeadId;
use embudo_domain::ficha::Ficha;
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::failure::Step;
use crate::rows;
use crate::writer::Session;

pub(super) const LEADS: &str = include_str!("../../sql/lead/lock_many.sql");
pub(super) const FOTOS: &str = include_str!("../../sql/foto/list_many.sql");
pub(super) const NOTAS: &str = include_str!("../../sql/nota/list_many.sql");

/// The records of the leads that these jobs are for; leads that do not exist are left out. The questions travel together.
pub(super) async fn read<'a>(
    on: &Session<'_>,
    jobs: impl Iterator<Item = (LeadId, &'a [NuevoTrabajo])>,
) -> Step<HashMap<LeadId, Ficha>> {
    let (mut leads, mut signalled): (Vec<Uuid>, Vec<Uuid>) = (Vec::new(), Vec::new());
    for (lead, nuevos) in jobs {
        leads.push(lead.0);
        if nuevos.iter().any(|t| matches!(t.carga, CargaNueva::Perfil)) {
            signalled.push(lead.0);
        }
    }
    let (leads, signalled): ([&(dyn ToSql + Sync); 1], [&(dyn ToSql + Sync); 1]) = ([&leads], [&signalled]);
    let (leads, fotos, notas) = tokio::join!(
        biased;
        on.query(LEADS, &leads),
        on.query(FOTOS, &signalled),
        on.query(NOTAS, &signalled),
    );
    let mut fichas = HashMap::new();
    for row in &leads? {
        let lead = rows::lead(row)?;
        fichas.insert(lead.id, Ficha::bare(lead));
    }
    for row in &fotos? {
        if let Some(ficha) = fichas.get_mut(&lead_of(row)?) {
            ficha.fotos.push(rows::foto(row)?);
        }
    }
    for row in &notas? {
        if let Some(ficha) = fichas.get_mut(&lead_of(row)?) {
            ficha.notas.push(rows::nota(row)?);
        }
    }
    Ok(fichas)
}

fn lead_of(row: &Row) -> Step<LeadId> {
    Ok(LeadId(row.try_get("lead_id")?))
}
