//! The etapa of a lead, kept with whatever changes it.

use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, Timestamp};

use super::{Tx, sql};
use crate::Result;
use crate::queries::etapa as queries;
use crate::queries::etapa::Standing;

/// Where a lead stands; `None` if it is gone.
pub(super) async fn standing(tx: &Tx<'_>, lead: LeadId) -> Result<Option<Standing>> {
    tx.first(queries::standing(lead)).await
}

/// Facts may have become true or untrue: the etapa is derived anew. The lead is locked.
pub(super) async fn settle(tx: &Tx<'_>, lead: LeadId, at: Timestamp) -> Result<Option<Etapa>> {
    let Some(standing) = standing(tx, lead).await? else { return Ok(None) };
    let etapa = Etapa::of(&standing.facts);
    if etapa != standing.etapa {
        tx.run(sql!("lead_etapa/set.sql", lead: lead.0, etapa: etapa.as_str(), now: at)).await?;
    }
    Ok(Some(etapa))
}
