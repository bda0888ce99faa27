//! What the conversation bot writes: turns, partial updates, qualifications, attempts.

use embudo_store::Hecho;
use embudo_store::command::{AppendTurno, RecordIntento, UpdatePerfil, UpsertCalificacion};
use rusqlite::{Connection, params};

use super::{execute_on_lead, once, record_estado};
use crate::failure::Step;

/// Appends a chat turn and updates the lead's states with it.
pub(crate) fn append_turno(conexion: &Connection, command: &AppendTurno) -> Step<Hecho> {
    let (lead, en, turno) = (command.lead, command.en, &command.turno);
    let estado_wa = turno.estado_wa.map(embudo_domain::lead::EstadoWa::as_str);
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

/// Writes the fields sent, keeps the others.
pub(crate) fn update_perfil(conexion: &Connection, command: &UpdatePerfil) -> Step<Hecho> {
    let (lead, en, p) = (command.lead, command.en, &command.perfil);
    let estado_wa = p.estado_wa.map(embudo_domain::lead::EstadoWa::as_str);
    once(conexion, command.idempotencia.as_ref(), || {
        execute_on_lead(
            conexion,
            include_str!("../../sql/lead/update_perfil.sql"),
            params![
                lead.0,
                en.as_microsecond(),
                p.bot_step,
                estado_wa,
                p.canal_origen.map(embudo_domain::lead::CanalOrigen::as_str),
                p.viable,
                p.espacio,
                p.rango_m2,
                p.estilo,
                p.presupuesto_declarado,
                p.fotos_solicitadas_at.map(embudo_domain::Timestamp::as_microsecond),
                p.tipo_reforma.map(embudo_domain::Zona::as_str),
                p.m2_suelo,
                p.calidad_global.map(embudo_domain::lead::Calidad::as_str),
                p.urgencia.map(embudo_domain::lead::Urgencia::as_str),
                p.presupuesto_target_cents,
                p.taste_text,
                p.estructural,
            ],
        )?;
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
