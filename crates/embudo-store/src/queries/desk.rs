//! The decisions of people about leads.

use embudo_domain::etapa::Etapa;
use embudo_domain::nota::NotaInterna;
use embudo_domain::{EmpresaId, LeadId, NotaId, Timestamp, UserId};

use super::{Query, Statement};
use crate::desk::{LeadDesk, MAX_BULK};
use crate::rows;

/// What people decided about leads, without the facts of their etapas and the leads united with them.
pub fn get(leads: &[LeadId]) -> Query<LeadDesk> {
    Query::new(include_str!("../../sql/lead_gestion/get.sql"), rows::desk).only_among(
        "e.lead_id",
        "lead",
        leads.iter().map(|lead| lead.0),
    )
}

pub fn nota(lead: LeadId, id: NotaId) -> Query<NotaInterna> {
    Query::new(include_str!("../../sql/nota_interna/recent.sql"), rows::nota_interna)
        .only("lead_id = :lead")
        .bind("lead", lead.0)
        .only("id = :id")
        .bind("id", id.0)
}

/// Assigns leads to a person or nobody.
pub fn assign(leads: &[LeadId], to: Option<UserId>) -> Statement {
    Statement::statement(
        "INSERT INTO lead_gestion (lead_id, empresa_id, asignado_id) SELECT id, empresa_id, :asignado FROM lead ",
    )
    .only_in("id", leads.iter().map(|lead| lead.0))
    .then("ON CONFLICT (lead_id) DO UPDATE SET asignado_id = excluded.asignado_id")
    .bind("asignado", to.map(|person| person.0))
}

/// The leads of these companies that a person archived at a moment.
pub fn archived_by(empresas: &[EmpresaId], who: UserId, at: Timestamp) -> Query<LeadId> {
    Query::new("SELECT lead_id FROM lead_gestion\n", |c| c.get("lead_id").map(LeadId))
        .only("archivado_por = :por")
        .bind("por", who.0)
        .only("archivado_en = :en")
        .bind("en", at)
        .only_among("empresa_id", "empresa", empresas.iter().map(|empresa| empresa.0))
        .then("ORDER BY lead_id LIMIT :limit")
        .bind("limit", MAX_BULK as i64)
}

/// Archives leads. The etapa before and its date are kept, so that archiving can be undone.
pub fn archive(leads: &[LeadId], by: UserId, reason: &str, at: Timestamp) -> Statement {
    Statement::statement(
        "INSERT INTO lead_gestion (
            lead_id, empresa_id, archivado_en, archivado_por, archivado_motivo, archivado_etapa, archivado_desde
        )
        SELECT lead_id, empresa_id, :now, :por, :motivo, etapa, desde FROM lead_etapa ",
    )
    .only_in("lead_id", leads.iter().map(|lead| lead.0))
    .then(
        "ON CONFLICT (lead_id) DO UPDATE SET archivado_en = excluded.archivado_en,
        archivado_por = excluded.archivado_por, archivado_motivo = excluded.archivado_motivo,
        archivado_etapa = excluded.archivado_etapa, archivado_desde = excluded.archivado_desde",
    )
    .bind("now", at)
    .bind("por", by.0)
    .bind("motivo", reason)
}

/// Gives leads this etapa, whatever they had.
pub fn set_etapa(leads: &[LeadId], etapa: Etapa, at: Timestamp) -> Statement {
    Statement::statement("UPDATE lead_etapa SET etapa = :etapa, desde = :now ")
        .only_in("lead_id", leads.iter().map(|lead| lead.0))
        .only("etapa <> :etapa")
        .bind("etapa", etapa.as_str())
        .bind("now", at)
}

/// A person has seen leads; the latest time counts.
pub fn mark_read(leads: &[LeadId], who: UserId, at: Timestamp) -> Statement {
    Statement::statement(
        "INSERT INTO lead_leido (lead_id, usuario_id, visto_en) SELECT id, :who, :now FROM lead ",
    )
    .only_in("id", leads.iter().map(|lead| lead.0))
    .then(
        "ORDER BY id ON CONFLICT (lead_id, usuario_id) DO UPDATE SET visto_en = excluded.visto_en
            WHERE lead_leido.visto_en < excluded.visto_en",
    )
    .bind("who", who.0)
    .bind("now", at)
}
