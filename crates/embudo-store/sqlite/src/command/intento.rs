//! Contact attempts.

use embudo_store::Done;
use embudo_store::lead_writes::RecordIntento;
use rusqlite::{Connection, named_params};

use super::{execute_on_lead, once};
use crate::failure::Step;

/// Records a contact attempt.
pub(crate) fn record(connection: &Connection, command: &RecordIntento) -> Step<Done> {
    let i = &command.intento;
    once(connection, command.idempotency.as_ref(), || {
        execute_on_lead(
            connection,
            include_str!("../../sql/intento/record.sql"),
            named_params! {
                ":lead": command.lead.0,
                ":id": command.id.0,
                ":canal": i.channel.as_str(),
                ":numero_intento": i.numero_intento,
                ":resultado": i.result.map(embudo_domain::intento::IntentoResult::as_str),
                ":completado": i.completed,
                ":duracion_seg": i.duracion_seg,
                ":notas": i.notas,
                ":metadata": i.metadata,
                ":now": command.at.as_microsecond(),
            },
        )
    })
}
