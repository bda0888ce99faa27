//! The data of the summary: what it is computed from, and its sums.

use embudo_domain::conversacion::Rol;
use embudo_domain::event::EventKind;
use embudo_domain::figures::{LeadFigures, Level, Sums};
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::reply::ReplyChannel;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{EmpresaId, LeadId};
use jiff::civil::Date;

use super::Query;
use crate::figures::{IssuedQuote, LeadCount};
use crate::rows;

/// The name of the campaign in a lead's `utm`.
const CAMPAIGN: &str = "utm_campaign";

/// The data of leads that is counted, without their quotes.
pub fn facts(leads: &[LeadId]) -> Query<LeadFigures> {
    Query::new(include_str!("../../sql/lead_cifra/facts.sql"), rows::lead_figures)
        .bind("campana", CAMPAIGN)
        .bind("user", Rol::User.as_str())
        .bind("assistant", Rol::Assistant.as_str())
        .bind("perfil_completo", EventKind::PerfilComplete.as_str())
        .bind("whatsapp", ReplyChannel::WhatsApp.as_str())
        .only_among("l.id", "lead", leads.iter().map(|lead| lead.0))
}

/// The quotes that were issued to leads.
pub fn quotes(leads: &[LeadId]) -> Query<IssuedQuote> {
    Query::new(include_str!("../../sql/lead_cifra/quotes.sql"), rows::issued_quote)
        .bind("aceptado", PresupuestoState::Aceptado.as_str())
        .only("p.emitido_en IS NOT NULL")
        .only_among("p.lead_id", "lead", leads.iter().map(|lead| lead.0))
}

/// What leads counted for before.
pub fn counted(leads: &[LeadId]) -> Query<LeadCount> {
    Query::new(include_str!("../../sql/lead_cifra/list.sql"), rows::lead_count)
        .only_in("lead_id", leads.iter().map(|lead| lead.0))
}

/// The sums of a company from one period to another, in their order.
pub fn sums(
    empresa: EmpresaId,
    zone: SpanishTimeZone,
    level: Level,
    from: Date,
    to: Date,
) -> Query<(Date, Sums)> {
    Query::new(include_str!("../../sql/cifra/list.sql"), |c| Ok((c.get("dia")?, rows::sums(c)?)))
        .bind("empresa", empresa.0)
        .bind("zona", zone.as_str())
        .bind("nivel", level.as_str())
        .bind("desde", from)
        .bind("hasta", to)
}
