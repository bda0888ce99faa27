//! Quotes, completed with their PDF by the job that drew it.

use embudo_domain::LeadId;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_store::presupuestos::CompletePresupuesto;
use embudo_store::write::quotes::{set_pdf, set_state};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::finish::{self, Held};
use super::{blob, etapa, event, execute};
use crate::failure::Step;
use crate::query::{run, run_first};

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it; returns its lead.
pub(crate) fn complete(connection: &Connection, command: CompletePresupuesto) -> Step<Option<LeadId>> {
    let CompletePresupuesto { id, pdf, events, deliveries, mut end, swept } = command;
    let Some(Held { lead, .. }) = finish::held(connection, &end)? else { return Ok(None) };
    let antes = run_first(connection, &queries::quote::get(id))?.ok_or(StoreError::PresupuestoNotFound)?;
    if antes.lead != lead {
        return Err(StoreError::PresupuestoNotFound.into());
    }
    if antes.pdf.is_none() {
        blob::check(connection, lead, pdf.digest, &swept)?;
        run(connection, &set_pdf(id, pdf))?;
    }
    if antes.state.can_become(PresupuestoState::Emitido) {
        run(connection, &set_state(id, PresupuestoState::Emitido, Some(end.at)))?;
        etapa::settle(connection, lead, end.at)?;
    }
    if antes.state == PresupuestoState::Superseded {
        end.jobs.clear();
        return finish::finish(connection, &end);
    }
    let ended = finish::finish(connection, &end)?;
    for e in deliveries {
        let sql = include_str!("../../sql/presupuesto_entrega/insert.sql");
        execute(
            connection,
            sql,
            named_params! {
                ":presupuesto": id.0,
                ":canal": e.channel.as_str(),
                ":trabajo": e.job.0,
                ":simulada": e.simulated,
                ":now": end.at.as_microsecond(),
            },
        )?;
    }
    events.iter().try_for_each(|event| event::insert(connection, lead, event))?;
    Ok(ended)
}
