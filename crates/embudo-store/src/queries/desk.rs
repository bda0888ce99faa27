//! What people decided about leads.

use embudo_domain::LeadId;

use super::Query;
use crate::desk::{LeadDesk, NotaInterna};
use crate::rows;

/// Without notes, facts and the leads that it stands for.
pub fn get(leads: &[LeadId]) -> Query<LeadDesk> {
    Query::new(include_str!("../../sql/lead_gestion/get.sql"), rows::desk).only_among(
        "e.lead_id",
        "lead",
        leads.iter().map(|lead| lead.0),
    )
}

pub fn notas(lead: LeadId) -> Query<NotaInterna> {
    Query::new(include_str!("../../sql/nota_interna/list.sql"), rows::nota_interna).bind("lead", lead.0)
}
