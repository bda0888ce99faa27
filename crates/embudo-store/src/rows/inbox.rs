//! Rows of the inbox, and of the data from which it is projected.

use embudo_domain::conversacion::Rol;
use embudo_domain::direccion::Direccion;
use embudo_domain::etapa::{Etapa, EtapaInput, Progress};
use embudo_domain::next_action::{ActionKind, NextAction, Outlook};
use embudo_domain::nota::NotaInterna;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::{EmpresaId, LeadId, NotaId, Timestamp, UserId};
use uuid::Uuid;

use super::lead_summary;
use crate::Result;
use crate::desk::{Archived, HandAction, LeadDesk, WorkState};
use crate::inbox::InboxRow;
use crate::projected_lead::{NO_ACTION, Part, ProjectedLead, Since, Standing};
use crate::projection::{LeadChange, SearchText, TableCursor};
use crate::queries::projection::TABLES;
use crate::row::{Columns, damaged};

fn person(c: &Columns<'_>, name: &str) -> Result<Option<UserId>> {
    Ok(c.get::<Option<Uuid>>(name)?.map(UserId))
}

fn principal(c: &Columns<'_>) -> Result<Option<LeadId>> {
    Ok(c.get::<Option<Uuid>>("principal_id")?.map(LeadId))
}

/// A lead in the inbox. If it is not projected yet, its creation is shown as its activity.
pub fn inbox(c: &Columns<'_>) -> Result<InboxRow> {
    let mut summary = lead_summary(c)?;
    summary.lead.obra.direccion = c.word_opt("direccion", Direccion::parse)?;
    let activity = c.get::<Option<Timestamp>>("actividad_en")?.unwrap_or(summary.lead.creado_en);
    let seen: Option<Timestamp> = c.get("visto_en")?;
    Ok(InboxRow {
        summary,
        etapa: c.word("etapa", Etapa::parse)?,
        etapa_since: c.get("desde")?,
        assigned: person(c, "asignado_id")?,
        activity,
        client_wrote: c.get("usuario_en")?,
        last_rol: c.word_opt("turno_rol", Rol::parse)?,
        outlook: outlook(c)?,
        standing: standing(c)?.unwrap_or(Standing::unknown(activity)),
        action_text: c.get("accion_texto")?,
        archived_reason: c.get("archivado_motivo")?,
        unread: seen.is_none_or(|seen| seen < activity),
        principal: principal(c)?,
    })
}

fn outlook(c: &Columns<'_>) -> Result<Outlook> {
    let due = c.get::<Option<Timestamp>>("accion_en")?.filter(|due| *due < NO_ACTION);
    let action = c.word_opt("accion", ActionKind::parse)?.map(|kind| NextAction { kind, due });
    Ok(Outlook::known(action, c.get("limite_en")?))
}

fn standing(c: &Columns<'_>) -> Result<Option<Standing>> {
    let Some(part) = c.get::<Option<i64>>("parte")? else { return Ok(None) };
    let part = Part::parse(part).ok_or_else(|| damaged("parte"))?;
    let (due_from, key) = (c.get("vence_en")?, c.get("orden_en")?);
    Ok(Some(Standing { rank: c.get("rango")?, due_from, part, key }))
}

fn turn(c: &Columns<'_>) -> Result<Option<(Timestamp, Rol)>> {
    let at: Option<Timestamp> = c.get("turno_en")?;
    Ok(at.zip(c.word_opt("turno_rol", Rol::parse)?))
}

pub fn projected_facts(c: &Columns<'_>) -> Result<ProjectedLead> {
    Ok(ProjectedLead {
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        activity: c.get("actividad_en")?,
        client_wrote: c.get("usuario_en")?,
        turn: turn(c)?,
        right_asked: c.get("derecho_en")?,
        call_asked: c.get("llamada_en")?,
        visit_asked: c.get("visita_pedida_en")?,
        to_review: c.get("revisar_en")?,
        visit: c.get("visita_en")?,
        visit_proposed: c.get("propuesta")?,
        issued: c.get("emitido_en")?,
        to_plan: c.get("aceptado_en")?,
        uncontacted: c.get("nuevo_en")?,
        reached: c.get("hablado_en")?,
        loop_limit: c.get("limite_en")?,
        by_hand: c.get("mano_en")?,
        etapa: c.word("etapa", Etapa::parse)?,
        viable: c.get("viable")?,
        canal: c.word_opt("canal", CanalOrigen::parse)?,
        urgent: c.get("urgente")?,
        score: c.get("puntuacion")?,
        contacted: c.get("contactado")?,
        answered: c.get("contestado")?,
        moved: c.get("movido")?,
    })
}

/// The facts of a lead, read from the tables where they were written. [`crate::figures::note`] adds what the figures
/// already count.
pub fn lead_facts(c: &Columns<'_>) -> Result<(ProjectedLead, SearchText)> {
    let (lead, empresa) = (LeadId(c.get("lead_id")?), EmpresaId(c.get("empresa_id")?));
    let creado_en: Timestamp = c.get("creado_en")?;
    let mut latest = None;
    for column in ["evento_en", "intento_en", "nota_en", "foto_en"] {
        latest = latest.max(c.get::<Option<Timestamp>>(column)?);
    }
    let written = ProjectedLead {
        lead,
        empresa,
        activity: creado_en,
        client_wrote: c.get("usuario_en")?,
        turn: turn(c)?,
        right_asked: c.get("derecho_en")?,
        call_asked: c.get("llamada_en")?,
        visit_asked: c.get("visita_pedida_en")?,
        to_review: c.get("revisar_en")?,
        visit: c.get("visita_en")?,
        visit_proposed: c.get("propuesta")?,
        issued: c.get("emitido_en")?,
        to_plan: c.get("aceptado_en")?,
        uncontacted: Some(creado_en),
        reached: c.get("hablado_en")?,
        loop_limit: c.get("limite_en")?,
        by_hand: c.get("mano_en")?,
        etapa: c.word("etapa", Etapa::parse)?,
        viable: c.get("viable")?,
        canal: c.word_opt("canal", CanalOrigen::parse)?,
        urgent: c.word_opt("urgencia", Urgencia::parse)? == Some(Urgencia::Alta),
        score: c.get("puntuacion")?,
        contacted: false,
        answered: false,
        moved: false,
    };
    let facts = written.settled(&Since {
        latest,
        answered_by_person: c.get("respondido_en")?,
        right_granted: c.get("atendido_en")?,
        is_imported: c.get("importado")?,
        is_contacted: c.get("tratado")?,
        work_begins: c.get("obra_inicio")?,
    });
    let parts: [String; 4] = [c.get("nombre")?, c.get("telefono_e164")?, c.get("telefono")?, c.get("email")?];
    let provincia = c.get::<Option<String>>("provincia")?.unwrap_or_default();
    let direccion = c.get::<Option<String>>("direccion")?.unwrap_or_default();
    let text = SearchText::fold(&[&parts[0], &parts[1], &parts[2], &parts[3], &provincia, &direccion]);
    Ok((facts, SearchText { lead, empresa, text, creado_en }))
}

pub fn lead_change(c: &Columns<'_>) -> Result<LeadChange> {
    Ok(LeadChange { lead: LeadId(c.get("lead_id")?), empresa: EmpresaId(c.get("empresa_id")?) })
}

pub fn cursor(c: &Columns<'_>) -> Result<TableCursor> {
    let table = c.word("nombre", |name| TABLES.into_iter().find(|table| *table == name))?;
    Ok(TableCursor { table, read: c.get("hasta")?, seen: c.get("visto")?, seen_at: c.get("visto_en")? })
}

/// What people decided about a lead, without the facts of its etapa and the leads united with it.
pub fn desk(c: &Columns<'_>) -> Result<LeadDesk> {
    let archived = match (c.get("archivado_en")?, person(c, "archivado_por")?, c.get("archivado_motivo")?) {
        (Some(at), Some(by), Some(reason)) => Some(Archived { reason, by, at }),
        (None, ..) => None,
        _ => return Err(damaged("archivado_en")),
    };
    let action = match (c.get("accion_en")?, c.get("accion_texto")?) {
        (Some(due), Some(text)) => Some(HandAction { due, text }),
        (None, _) => None,
        _ => return Err(damaged("accion_en")),
    };
    Ok(LeadDesk {
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        etapa: c.word("etapa", Etapa::parse)?,
        etapa_since: c.get("desde")?,
        facts: EtapaInput::default(),
        assigned: person(c, "asignado_id")?,
        archived,
        action,
        work: WorkState {
            start: c.get("obra_inicio")?,
            days: days(c)?,
            progress: c.word_opt("obra_progreso", Progress::parse)?,
        },
        principal: principal(c)?,
        united: Vec::new(),
    })
}

fn days(c: &Columns<'_>) -> Result<Option<u16>> {
    let days: Option<i64> = c.get("obra_dias")?;
    days.map(|days| u16::try_from(days).map_err(|_| damaged("obra_dias"))).transpose()
}

pub fn nota_interna(c: &Columns<'_>) -> Result<NotaInterna> {
    Ok(NotaInterna {
        id: NotaId(c.get("id")?),
        author: UserId(c.get("autor_id")?),
        text: c.get("texto")?,
        creada_en: c.get("creado_en")?,
    })
}
