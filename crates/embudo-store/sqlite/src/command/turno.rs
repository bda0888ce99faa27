//! Turns of a conversation.

use embudo_domain::etapa::Etapa;
use embudo_store::Done;
use embudo_store::lead_writes::AppendTurno;
use rusqlite::{Connection, named_params};

use super::{etapa, execute, execute_on_lead, once, record_state};
use crate::failure::Step;

/// Appends a chat turn and updates the lead's states with it.
pub(crate) fn append(connection: &Connection, command: &AppendTurno) -> Step<Done> {
    let (lead, at, turno) = (command.lead, command.at, &command.turno);
    let estado_wa = turno.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        let is_first = begin_conversation(connection, command)?;
        if let Err(failure) = insert(connection, command) {
            // Most turns are one statement that fails as a whole, without a savepoint to go back to.
            if is_first {
                let _ = etapa::settle(connection, lead, at);
            }
            return Err(failure);
        }
        if estado_wa.is_none() && turno.bot_step.is_none() {
            return Ok(());
        }
        execute_on_lead(
            connection,
            include_str!("../../sql/lead/update_estado.sql"),
            named_params! {
                ":lead": lead.0,
                ":now": at.as_microsecond(),
                ":estado_wa": estado_wa,
                ":bot_step": turno.bot_step,
            },
        )?;
        record_state(connection, lead, estado_wa, turno.bot_step.as_deref(), at)
    })
}

/// Says whether this is the lead's first turn.
fn begin_conversation(connection: &Connection, command: &AppendTurno) -> Step<bool> {
    let changed = execute(
        connection,
        include_str!("../../sql/turno/first.sql"),
        named_params! {
            ":lead": command.lead.0,
            ":nuevo": Etapa::Nuevo.as_str(),
            ":hablado": Etapa::EnConversacion.as_str(),
            ":now": command.at.as_microsecond(),
        },
    )?;
    Ok(changed > 0)
}

fn insert(connection: &Connection, command: &AppendTurno) -> Step<()> {
    let turno = &command.turno;
    execute_on_lead(
        connection,
        include_str!("../../sql/turno/append.sql"),
        named_params! {
            ":lead": command.lead.0,
            ":id": command.id.0,
            ":rol": turno.rol.as_str(),
            ":mensaje": turno.mensaje,
            ":media_type": turno.media_type,
            ":media_url": turno.media_url,
            ":transcripcion_audio": turno.transcripcion_audio,
            ":now": command.at.as_microsecond(),
        },
    )
}
