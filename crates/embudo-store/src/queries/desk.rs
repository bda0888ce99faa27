//! What people decided about leads.

use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId};

use super::Query;
use crate::desk::LeadDesk;
use crate::rows;

/// Without facts and the leads that it stands for.
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
