//! Quotes and what was made of photos.

use embudo_domain::presupuesto::{Presupuesto, PresupuestoDelivery, PresupuestoSummary};
use embudo_domain::rendition::Rendition;
use embudo_domain::{LeadId, PresupuestoId};

use super::Query;
use crate::rows;

pub fn get(id: PresupuestoId) -> Query<Presupuesto> {
    whole().only("p.id = :id").bind("id", id.0)
}

/// A lead's quotes, newest first.
pub fn list(lead: LeadId) -> Query<Presupuesto> {
    whole().only("p.lead_id = :lead").then("ORDER BY p.version DESC").bind("lead", lead.0)
}

/// The lead's newest quote.
pub fn last(lead: LeadId) -> Query<Presupuesto> {
    list(lead).then("LIMIT 1")
}

fn whole() -> Query<Presupuesto> {
    Query::new(include_str!("../../sql/presupuesto/list.sql"), rows::presupuesto)
}

/// What a lead's record shows of its quotes, newest first, without their deliveries.
pub fn summaries(lead: LeadId) -> Query<PresupuestoSummary> {
    let text = include_str!("../../sql/presupuesto/list_short.sql");
    Query::new(text, rows::presupuesto_summary).bind("lead", lead.0)
}

pub fn deliveries(lead: LeadId) -> Query<(PresupuestoId, PresupuestoDelivery)> {
    let text = include_str!("../../sql/presupuesto_entrega/list.sql");
    Query::new(text, rows::quote_delivery).bind("lead", lead.0)
}

pub fn renditions(lead: LeadId) -> Query<Rendition> {
    Query::new(include_str!("../../sql/rendicion/list.sql"), rows::rendition).bind("lead", lead.0)
}
