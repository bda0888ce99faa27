//! Turns of a conversation.

use embudo_domain::ReplyId;
use embudo_domain::etapa::Etapa;
use embudo_domain::job::JobKind;
use embudo_domain::reply::ReplyChannel;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::{Done, StoreError};
use rusqlite::{Connection, named_params, params};

use super::{etapa, execute, execute_on_lead, once, record_state};
use crate::failure::Step;

/// Appends a chat turn and updates the lead's states with it.
pub(crate) fn append(connection: &Connection, command: &AppendTurno) -> Step<Done> {
    let (lead, at, turno) = (command.lead, command.at, &command.turno);
    let estado_wa = turno.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        if !insert(connection, command)? {
            begin_conversation(connection, command)?;
            let inserted = insert(connection, command);
            if !matches!(inserted, Ok(true)) {
                // Undoes `begin_conversation`: a turn may run without a savepoint, because most turns are a single
                // statement.
                let _ = etapa::settle(connection, lead, at);
                inserted?;
                return Err(StoreError::LeadNotFound.into());
            }
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

/// Sets the etapa at the lead's first turn.
fn begin_conversation(connection: &Connection, command: &AppendTurno) -> Step<()> {
    execute_on_lead(
        connection,
        include_str!("../../sql/turno/first.sql"),
        named_params! {
            ":lead": command.lead.0,
            ":nuevo": Etapa::Nuevo.as_str(),
            ":hablado": Etapa::EnConversacion.as_str(),
            ":now": command.at.as_microsecond(),
        },
    )
}

/// Confirms the reply that the turn records, if the lead has a reply with this id that is sent by messaging.
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

/// Returns `false` if the lead does not exist, or if this is its first turn.
fn insert(connection: &Connection, command: &AppendTurno) -> Step<bool> {
    let turno = &command.turno;
    let inserted = execute(
        connection,
        include_str!("../../sql/turno/append.sql"),
        // In the order in which the names appear in the statement: looking a name up costs more than binding its value.
        params![
            command.id.0,
            command.lead.0,
            Etapa::Nuevo.as_str(),
            turno.rol.as_str(),
            turno.mensaje,
            turno.media_type,
            turno.media_url,
            turno.transcripcion_audio,
            command.at.as_microsecond(),
        ],
    )?;
    Ok(inserted > 0)
}
