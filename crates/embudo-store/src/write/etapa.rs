//! The etapa of a lead, written together with whatever changes it.

use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, Timestamp};

use super::{Tx, sql};
use crate::Result;
use crate::queries::etapa as queries;
use crate::queries::etapa::Standing;

/// The etapa of a lead and its facts; `None` if the lead was erased.
pub(super) async fn standing(tx: &Tx<'_>, lead: LeadId) -> Result<Option<Standing>> {
    tx.first(queries::standing(lead)).await
}

/// Derives the etapa anew, because facts may have become true or untrue. The caller has locked the lead.
pub(super) async fn settle(tx: &Tx<'_>, lead: LeadId, at: Timestamp) -> Result<Option<Etapa>> {
    let Some(standing) = standing(tx, lead).await? else { return Ok(None) };
    let etapa = Etapa::of(&standing.facts);
    if etapa != standing.etapa {
        tx.run(sql!("lead_etapa/set.sql", lead: lead.0, etapa: etapa.as_str(), now: at)).await?;
    }
    Ok(Some(etapa))
}
