//! Leads for which jobs are made: locked, and read with the data for their signals.

use std::collections::HashMap;

use embudo_domain::LeadId;
use embudo_domain::record::LeadRecord;
use embudo_store::outbox::{NewJob, NewPayload};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::failure::Step;
use crate::rows;
use crate::statement::{Sql, params, sql};
use crate::writer::Session;

pub(super) static LEADS: &Sql = sql!("lead/lock_many.sql");
pub(super) static FOTOS: &Sql = sql!("foto/list_many.sql");
pub(super) static NOTAS: &Sql = sql!("nota/list_many.sql");

/// The records of the leads of these jobs; leads that do not exist are left out. The queries are sent together.
pub(super) async fn read<'a>(
    on: &Session<'_>,
    jobs: impl Iterator<Item = (LeadId, &'a [NewJob])>,
) -> Step<HashMap<LeadId, LeadRecord>> {
    let (mut leads, mut signalled): (Vec<Uuid>, Vec<Uuid>) = (Vec::new(), Vec::new());
    for (lead, new_ones) in jobs {
        leads.push(lead.0);
        if new_ones.iter().any(|t| matches!(t.payload, NewPayload::Perfil)) {
            signalled.push(lead.0);
        }
    }
    let leads = params! { lead: leads };
    let signalled = params! { lead: signalled };
    let (leads, fotos, notas) = tokio::join!(
        biased;
        on.query(LEADS, leads),
        on.query(FOTOS, signalled),
        on.query(NOTAS, signalled),
    );
    let mut records = HashMap::new();
    for row in &leads? {
        let lead = rows::lead(row)?;
        records.insert(lead.id, LeadRecord::bare(lead));
    }
    for row in &fotos? {
        if let Some(record) = records.get_mut(&lead_of(row)?) {
            record.fotos.push(rows::foto(row)?);
        }
    }
    for row in &notas? {
        if let Some(record) = records.get_mut(&lead_of(row)?) {
            record.notas.push(rows::nota(row)?);
        }
    }
    Ok(records)
}

fn lead_of(row: &Row) -> Step<LeadId> {
    Ok(LeadId(row.try_get("lead_id")?))
}
