//! What the conversation bot writes: turns, partial updates, qualifications, attempts.

use std::sync::LazyLock;

use embudo_store::Done;
use embudo_store::columns::{fill, untyped};
use embudo_store::command::{AppendTurno, RecordIntento, UpdatePerfil, UpsertCalificacion};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{execute_on_lead, once, record_state};
use crate::failure::Step;
use crate::rows::CellParam;

/// Appends a chat turn and updates the lead's states with it.
pub(crate) fn append_turno(connection: &Connection, command: &AppendTurno) -> Step<Done> {
    let (lead, at, turno) = (command.lead, command.at, &command.turno);
    let estado_wa = turno.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        execute_on_lead(
            connection,
            include_str!("../../sql/turno/append.sql"),
            (
                lead.0,
                command.id.0,
                turno.rol.as_str(),
                &turno.mensaje,
                &turno.media_type,
                &turno.media_url,
                &turno.transcripcion_audio,
                at.as_microsecond(),
            ),
        )?;
        if estado_wa.is_none() && turno.bot_step.is_none() {
            return Ok(());
        }
        execute_on_lead(
            connection,
            include_str!("../../sql/lead/update_estado.sql"),
            (lead.0, at.as_microsecond(), estado_wa, &turno.bot_step),
        )?;
        record_state(connection, lead, estado_wa, turno.bot_step.as_deref(), at)
    })
}

static UPDATE_PERFIL: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/update_perfil.sql"), 3, untyped));

/// Writes the fields sent, keeps the others.
pub(crate) fn update_perfil(connection: &Connection, command: &UpdatePerfil) -> Step<Done> {
    let (lead, at, p) = (command.lead, command.at, &command.perfil);
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(connection, command.idempotency.as_ref(), || {
        let (micros, cells) = (at.as_microsecond(), p.cells().map(CellParam));
        let fixed: [&dyn ToSql; 2] = [&lead.0, &micros];
        let parameters = fixed.into_iter().chain(cells.iter().map(|cell| cell as &dyn ToSql));
        execute_on_lead(connection, &UPDATE_PERFIL, params_from_iter(parameters))?;
        record_state(connection, lead, estado_wa, p.bot_step.as_deref(), at)
    })
}

/// Writes the fields sent into the lead's one qualification, keeps the others.
pub(crate) fn upsert_calificacion(connection: &Connection, command: &UpsertCalificacion) -> Step<Done> {
    let c = &command.calificacion;
    once(connection, command.idempotency.as_ref(), || {
        execute_on_lead(
            connection,
            include_str!("../../sql/calificacion/upsert.sql"),
            (
                command.lead.0,
                c.score,
                c.nivel.map(embudo_domain::calificacion::Nivel::as_str),
                &c.criterios,
                &c.notas_agente,
                command.at.as_microsecond(),
            ),
        )
    })
}

/// Records a contact attempt.
pub(crate) fn record_intento(connection: &Connection, command: &RecordIntento) -> Step<Done> {
    let i = &command.intento;
    once(connection, command.idempotency.as_ref(), || {
        execute_on_lead(
            connection,
            include_str!("../../sql/intento/record.sql"),
            (
                command.lead.0,
                command.id.0,
                i.channel.as_str(),
                i.numero_intento,
                i.result.map(embudo_domain::intento::JobOutcome::as_str),
                i.completed,
                i.duracion_seg,
                &i.notas,
                &i.metadata,
                command.at.as_microsecond(),
            ),
        )
    })
}
