//! The etapas of leads.

use embudo_domain::LeadId;
use embudo_domain::etapa::{Etapa, EtapaInput, Progress};
use embudo_domain::event::EventKind;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::watched_loop::LoopStep;

use super::Query;
use crate::Result;
use crate::drafts::DraftReason;
use crate::row::Columns;

/// The etapa of a lead, and the facts from which it is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub etapa: Etapa,
    pub facts: EtapaInput,
}

/// No row means that there is no such lead.
pub fn standing(lead: LeadId) -> Query<Standing> {
    Query::new(include_str!("../../sql/lead_etapa/facts.sql"), read)
        .bind("lead", lead.0)
        .bind("aceptado", PresupuestoState::Aceptado.as_str())
        .bind("emitido", PresupuestoState::Emitido.as_str())
        .bind("rechazado", PresupuestoState::Rechazado.as_str())
        .bind("revision", DraftReason::Review.as_str())
        .bind("perfil_completo", EventKind::PerfilComplete.as_str())
}

fn read(c: &Columns<'_>) -> Result<Standing> {
    let step = c.word_opt("bucle_paso", LoopStep::parse)?;
    let archived: Option<embudo_domain::Timestamp> = c.get("archivado_en")?;
    let facts = EtapaInput {
        archived: archived.is_some(),
        declined: c.get("rechazado")?,
        accepted: c.get("aceptado")?,
        progress: c.word_opt("obra_progreso", Progress::parse)?,
        future_visit: c.get("visita")?,
        draft_to_review: c.get("por_revisar")?,
        issued: c.get("emitido")?,
        waits_for_renders: step == Some(LoopStep::AwaitingRenders),
        profile_signalled: c.get("perfil")?,
        has_turns: c.get("hablado")?,
    };
    Ok(Standing { etapa: c.word("etapa", Etapa::parse)?, facts })
}
