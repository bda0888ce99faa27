//! What the conversation bot writes: turns, partial updates, qualifications, attempts.

use std::sync::LazyLock;

use embudo_store::Hecho;
use embudo_store::columns::{fill, untyped};
use embudo_store::command::{AppendTurno, RecordIntento, UpdatePerfil, UpsertCalificacion};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{execute_on_lead, once, record_estado};
use crate::failure::Step;
use crate::rows::CellParam;

/// Appends a chat turn and updates the lead's states with it.
pub(crate) fn append_turno(conexion: &Connection, command: &AppendTurno) -> Step<Hecho> {
    let (lead, en, turno) = (command.lead, command.en, &command.turno);
    let estado_wa = turno.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(conexion, command.idempotencia.as_ref(), || {
        execute_on_lead(
            conexion,
            include_str!("../../sql/turno/append.sql"),
            (
                lead.0,
                command.id.0,
                turno.rol.as_str(),
                &turno.mensaje,
                &turno.media_type,
                &turno.media_url,
                &turno.transcripcion_audio,
                en.as_microsecond(),
            ),
        )?;
        if estado_wa.is_none() && turno.bot_step.is_none() {
            return Ok(());
        }
        execute_on_lead(
            conexion,
            include_str!("../../sql/lead/update_estado.sql"),
            (lead.0, en.as_microsecond(), estado_wa, &turno.bot_step),
        )?;
        record_estado(conexion, lead, estado_wa, turno.bot_step.as_deref(), en)
    })
}

static UPDATE_PERFIL: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/update_perfil.sql"), 3, untyped));

/// Writes the fields sent, keeps the others.
pub(crate) fn update_perfil(conexion: &Connection, command: &UpdatePerfil) -> Step<Hecho> {
    let (lead, en, p) = (command.lead, command.en, &command.perfil);
    let estado_wa = p.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
    once(conexion, command.idempotencia.as_ref(), || {
        let (micros, cells) = (en.as_microsecond(), p.cells().map(CellParam));
        let fixed: [&dyn ToSql; 2] = [&lead.0, &micros];
        let parameters = fixed.into_iter().chain(cells.iter().map(|cell| cell as &dyn ToSql));
        execute_on_lead(conexion, &UPDATE_PERFIL, params_from_iter(parameters))?;
        record_estado(conexion, lead, estado_wa, p.bot_step.as_deref(), en)
    })
}

/// Writes the fields sent into the lead's one qualification, keeps the others.
pub(crate) fn upsert_calificacion(conexion: &Connection, command: &UpsertCalificacion) -> Step<Hecho> {
    let c = &command.calificacion;
    once(conexion, command.idempotencia.as_ref(), || {
        execute_on_lead(
            conexion,
            include_str!("../../sql/calificacion/upsert.sql"),
            (
                command.lead.0,
                c.score,
                c.nivel.map(embudo_domain::calificacion::Nivel::as_str),
                &c.criterios,
                &c.notas_agente,
                command.en.as_microsecond(),
            ),
        )
    })
}

/// Records a contact attempt.
pub(crate) fn record_intento(conexion: &Connection, command: &RecordIntento) -> Step<Hecho> {
    let i = &command.intento;
    once(conexion, command.idempotencia.as_ref(), || {
        execute_on_lead(
            conexion,
            include_str!("../../sql/intento/record.sql"),
            (
                command.lead.0,
                command.id.0,
                i.canal.as_str(),
                i.numero_intento,
                i.resultado.map(embudo_domain::intento::Resultado::as_str),
                i.completado,
                i.duracion_seg,
                &i.notas,
                &i.metadata,
                command.en.as_microsecond(),
            ),
        )
    })
}
