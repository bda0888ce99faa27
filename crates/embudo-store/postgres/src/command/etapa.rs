//! The etapa of a lead, written together with whatever changes it.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::queries::etapa::standing;
use uuid::Uuid;

use super::column;
use crate::failure::Step;
use crate::named::Named;
use crate::rows::{Bound, Instant, read};
use crate::statement::{Sql, Value, params, sql};
use crate::writer::Session;

pub(super) static RAISE: &Sql = sql!("lead_etapa/raise.sql");
pub(super) static SET: &Sql = sql!(shared "lead_etapa/set.sql");
/// The query for the facts from which an etapa is derived.
static STANDING: Sql = Sql::new(|| Named::parse(standing(LeadId(Uuid::nil())).text().to_owned().leak()));
pub(super) static FACTS: &Sql = &STANDING;

/// Leads for which a fact became true. They get this etapa unless they have a higher one.
#[derive(Debug, Default)]
pub(super) struct Raised(BTreeMap<LeadId, (Etapa, Timestamp)>);

impl Raised {
    pub(super) fn to(&mut self, lead: LeadId, etapa: Etapa, at: Timestamp) {
        let raised = self.0.entry(lead).or_insert((etapa, at));
        *raised = (raised.0.or(etapa), at);
    }

    /// Notes the etapa that follows from an event.
    pub(super) fn by(&mut self, lead: LeadId, event: &Event) {
        if let Some(etapa) = Etapa::raised_by(event.kind) {
            self.to(lead, etapa, event.creado_en);
        }
    }

    pub(super) async fn write(&self, on: &Session<'_>) -> Step<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let raised: Vec<_> = self.0.iter().collect();
        let values = params! {
            lead: column(&raised, |(lead, _)| lead.0),
            etapa: column(&raised, |(_, (etapa, _))| etapa.as_str()),
            now: column(&raised, |(_, (_, at))| Instant::from(*at)),
            ascending: Etapa::ascending(),
        };
        on.query(RAISE, values).await?;
        Ok(())
    }
}

/// Whether an event changes the lead's etapa, which must then be written together with the event.
pub(crate) fn is_moved_by(event: &Event) -> bool {
    Etapa::raised_by(event.kind).is_some()
}

/// Derives the etapa anew, because facts may have become true or untrue. The caller has locked the lead.
pub(super) async fn settle(tx: &Transaction<'_>, lead: LeadId, at: Timestamp) -> Step<()> {
    settle_on(&Session::within(tx, &[FACTS, SET]).await?, lead, at).await
}

/// Like `settle`, on a session where [`FACTS`] and [`SET`] are prepared.
pub(super) async fn settle_on(on: &Session<'_>, lead: LeadId, at: Timestamp) -> Step<()> {
    let query = standing(lead);
    let values: Vec<(&str, Bound<'_>)> = query.values().iter().map(|(n, v)| (n.as_ref(), Bound(v))).collect();
    let values: Vec<(&str, Value<'_>)> = values.iter().map(|(name, value)| (*name, value as _)).collect();
    let rows = on.query(FACTS, &values).await?;
    // A lead that was erased has no etapa.
    let Some(row) = rows.first() else { return Ok(()) };
    let standing = read(row, |c| query.read(c))?;
    let etapa = Etapa::of(&standing.facts);
    if etapa != standing.etapa {
        let set = params! { lead: lead.0, etapa: etapa.as_str(), now: Instant::from(at) };
        on.query(SET, set).await?;
    }
    Ok(())
}
