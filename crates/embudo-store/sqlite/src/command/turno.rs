//! Turns of a conversation.

use embudo_domain::ReplyId;
use embudo_domain::etapa::Etapa;
use embudo_domain::job::JobKind;
use embudo_domain::reply::ReplyChannel;
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
        if let Some(reply) = command.records() {
            confirm(connection, command, reply)?;
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

/// The turn records a reply, if the lead has one of this id that goes by messaging.
fn confirm(connection: &Connection, command: &AppendTurno, reply: ReplyId) -> Step<()> {
    let (lead, now) = (command.lead.0, command.at.as_microsecond());
    let confirmed = execute(
        connection,
        include_str!("../../sql/mensaje/confirm.sql"),
        named_params! {
            ":id": reply.0,
            ":lead": lead,
            ":turno": command.id.0,
            ":canal": ReplyChannel::Messaging.as_str(),
            ":now": now,
        },
    )?;
    if confirmed > 0 {
        execute(
            connection,
            include_str!("../../sql/mensaje/close.sql"),
            named_params! {":id": reply.0, ":lead": lead, ":tipo": JobKind::Reply.as_str(), ":now": now},
        )?;
    }
    Ok(())
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
