//! The queries of the projector.

use embudo_domain::conversacion::Rol;
use embudo_domain::event::EventKind;
use embudo_domain::intento::IntentoResult;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::visita::VisitaState;
use embudo_domain::{LeadId, Timestamp};

use super::{Query, Reach};
use crate::drafts::DraftReason;
use crate::projected_lead::ProjectedLead;
use crate::projection::{LeadChange, SearchText, TableCursor};
use crate::rows;

/// The tables to which rows about leads are appended.
pub const TABLES: [&str; 5] = ["turno", "intento", "evento", "nota", "foto"];

/// The projected facts of leads.
pub fn projected(leads: &[LeadId]) -> Query<ProjectedLead> {
    Query::new(include_str!("../../sql/lead_actividad/list.sql"), rows::projected_facts).only_among(
        "a.lead_id",
        "lead",
        leads.iter().map(|lead| lead.0),
    )
}

/// The current facts of leads, and the texts by which they are found.
pub fn facts(leads: &[LeadId]) -> Query<(ProjectedLead, SearchText)> {
    Query::new(include_str!("../../sql/lead_actividad/facts.sql"), rows::lead_facts)
        .bind("user", Rol::User.as_str())
        .bind("assistant", Rol::Assistant.as_str())
        .bind("system", Rol::System.as_str())
        .bind("emitido", PresupuestoState::Emitido.as_str())
        .bind("rechazado", PresupuestoState::Rechazado.as_str())
        .bind("aceptado", PresupuestoState::Aceptado.as_str())
        .bind("revision", DraftReason::Review.as_str())
        .bind("confirmada", VisitaState::Confirmada.as_str())
        .bind("propuesta", VisitaState::Propuesta.as_str())
        .bind("llamada", EventKind::Call.as_str())
        .bind("derecho", EventKind::RightAsked.as_str())
        .bind("atendido", EventKind::RightGranted.as_str())
        .bind("exitoso", IntentoResult::Exitoso.as_str())
        .bind("rechaza", IntentoResult::Rechaza.as_str())
        .only_among("l.id", "lead", leads.iter().map(|lead| lead.0))
}

pub fn owners(leads: &[LeadId]) -> Query<LeadChange> {
    Query::new(include_str!("../../sql/lead_etapa/owners.sql"), rows::lead_change)
        .only_in("lead_id", leads.iter().map(|lead| lead.0))
}

/// The principals of these leads.
pub fn principals(leads: &[LeadId]) -> Query<(LeadId, LeadId)> {
    unions().only_in("lead_id", leads.iter().map(|lead| lead.0))
}

/// The leads that are united with these principals.
pub fn united(principals: &[LeadId]) -> Query<(LeadId, LeadId)> {
    unions().only_in("principal_id", principals.iter().map(|lead| lead.0))
}

fn unions() -> Query<(LeadId, LeadId)> {
    Query::new(include_str!("../../sql/lead_union/list.sql"), |c| {
        Ok((LeadId(c.get("lead_id")?), LeadId(c.get("principal_id")?)))
    })
}

pub fn cursors() -> Query<TableCursor> {
    Query::new(include_str!("../../sql/proyeccion/list.sql"), rows::cursor)
}

/// Leads that were written about and not projected since.
pub fn tail(cursors: &[TableCursor], since: Timestamp) -> Query<LeadId> {
    let query = Query::new(include_str!("../../sql/proyeccion/tail.sql"), |c| c.get("lead_id").map(LeadId));
    let query = query.bind("since", since).reaching(Reach::Walk);
    cursors.iter().fold(query, |query, cursor| query.bind(cursor.table, cursor.read))
}

pub fn leads_after(after: Option<LeadId>, limit: u32) -> Query<LeadId> {
    Query::new(include_str!("../../sql/lead/list_ids.sql"), |c| c.get("id").map(LeadId))
        .only_if("id > :after", "after", after.map(|lead| lead.0))
        .then("ORDER BY id LIMIT :limit")
        .bind("limit", limit)
}

pub fn leads_changed_since(since: Timestamp) -> Query<LeadId> {
    Query::new(include_str!("../../sql/lead/list_ids.sql"), |c| c.get("id").map(LeadId))
        .only("actualizado_en > :since")
        .bind("since", since)
        .reaching(Reach::Walk)
}
