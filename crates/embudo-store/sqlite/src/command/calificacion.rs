//! The qualification of a lead.

use embudo_store::Done;
use embudo_store::lead_writes::UpsertCalificacion;
use rusqlite::{Connection, named_params};

use super::{execute_on_lead, once};
use crate::failure::Step;

/// Writes the sent fields into the lead's only qualification and keeps the others.
pub(crate) fn upsert(connection: &Connection, command: &UpsertCalificacion) -> Step<Done> {
    let c = &command.calificacion;
    once(connection, command.idempotency.as_ref(), || {
        execute_on_lead(
            connection,
            include_str!("../../sql/calificacion/upsert.sql"),
            named_params! {
                ":lead": command.lead.0,
                ":score": c.score,
                ":nivel": c.nivel.map(embudo_domain::calificacion::Nivel::as_str),
                ":criterios": c.criterios,
                ":notas_agente": c.notas_agente,
                ":now": command.at.as_microsecond(),
            },
        )
    })
}
