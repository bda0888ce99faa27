//! Quotes, and the renditions of photos.

use embudo_domain::presupuesto::{
    Presupuesto, PresupuestoDelivery, PresupuestoNumber, PresupuestoState, PresupuestoSummary,
};
use embudo_domain::rendition::Rendition;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId};

use super::{Query, unindexed};
use crate::drafts::{ListedQuote, QuoteStanding};
use crate::inbox::LeadAmount;
use crate::rows;

pub fn get(id: PresupuestoId) -> Query<Presupuesto> {
    whole().only("p.id = :id").bind("id", id.0)
}

/// The lead of a quote.
pub fn lead(id: PresupuestoId) -> Query<LeadId> {
    let text = "SELECT lead_id FROM presupuesto WHERE id = :id";
    Query::new(text, |c| Ok(LeadId(c.get("lead_id")?))).bind("id", id.0)
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

/// The summaries of a lead's quotes for its record, newest first, without their deliveries.
pub fn summaries(lead: LeadId) -> Query<PresupuestoSummary> {
    let text = include_str!("../../sql/presupuesto/list_short.sql");
    Query::new(text, rows::presupuesto_summary).bind("lead", lead.0)
}

/// The amounts of the quotes of these leads.
pub fn amounts(empresas: &[EmpresaId], leads: &[LeadId]) -> Query<LeadAmount> {
    Query::new(include_str!("../../sql/presupuesto/amounts.sql"), rows::lead_amount)
        .only_among("p.lead_id", "lead", leads.iter().map(|lead| lead.0))
        // Not by the index of the company, which has many more quotes than these leads.
        .only_among(&unindexed("p.empresa_id"), "empresa", empresas.iter().map(|empresa| empresa.0))
}

/// A company's quotes with this standing, newest first, after the last one of the previous page.
pub fn of_empresa(
    empresa: EmpresaId,
    standing: QuoteStanding,
    after: Option<PresupuestoNumber>,
    limit: u32,
) -> Query<ListedQuote> {
    let state = match standing {
        QuoteStanding::Preparing => PresupuestoState::Preparing,
        QuoteStanding::Sent(_) | QuoteStanding::Expired(_) => PresupuestoState::Emitido,
        QuoteStanding::Accepted => PresupuestoState::Aceptado,
        QuoteStanding::Rejected => PresupuestoState::Rechazado,
        QuoteStanding::Superseded => PresupuestoState::Superseded,
    };
    let all = Query::new(include_str!("../../sql/presupuesto/list_of_empresa.sql"), rows::listed_quote)
        .only("p.empresa_id = :empresa")
        .bind("empresa", empresa.0)
        .only("p.estado = :state")
        .bind("state", state.as_str().to_owned());
    let all = match standing {
        QuoteStanding::Sent(today) => all.only("p.hasta >= :today").bind("today", today),
        QuoteStanding::Expired(today) => all.only("p.hasta < :today").bind("today", today),
        _ => all,
    };
    let all = match after {
        Some(last) => all
            .only("(p.anio, p.orden) < (:year, :place)")
            .bind("year", i64::from(last.year()))
            .bind("place", i64::from(last.orden())),
        None => all,
    };
    all.then("ORDER BY p.anio DESC, p.orden DESC LIMIT :limit").bind("limit", i64::from(limit))
}

pub fn deliveries(lead: LeadId) -> Query<(PresupuestoId, PresupuestoDelivery)> {
    let text = include_str!("../../sql/presupuesto_entrega/list.sql");
    Query::new(text, rows::quote_delivery).bind("lead", lead.0)
}

pub fn renditions(lead: LeadId) -> Query<Rendition> {
    Query::new(include_str!("../../sql/rendicion/list.sql"), rows::rendition).bind("lead", lead.0)
}
