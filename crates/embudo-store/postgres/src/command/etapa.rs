//! The etapa of a lead, kept with whatever changes it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use deadpool_postgres::Transaction;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::watched_loop::{LoopStep, WatchedLoop};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::queries::etapa::standing;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::failure::Step;
use crate::named::Named;
use crate::query::bound;
use crate::rows::{Instant, read};
use crate::writer::Session;

pub(super) const RAISE: &str = include_str!("../../sql/lead_etapa/raise.sql");
pub(super) const SET: &str = include_str!("../../sql/lead_etapa/set.sql");

/// Leads of which a fact became true: they get this etapa if they stand lower.
#[derive(Debug, Default)]
pub(super) struct Raised(BTreeMap<LeadId, (Etapa, Timestamp)>);

impl Raised {
    pub(super) fn to(&mut self, lead: LeadId, etapa: Etapa, at: Timestamp) {
        let raised = self.0.entry(lead).or_insert((etapa, at));
        *raised = (raised.0.or(etapa), at);
    }

    /// What an event says of its lead.
    pub(super) fn by(&mut self, lead: LeadId, event: &Event) {
        if is_moved_by(event) {
            self.to(lead, Etapa::PerfilCompleto, event.creado_en);
        }
    }

    pub(super) async fn write(&self, on: &Session<'_>) -> Step<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let leads: Vec<Uuid> = self.0.keys().map(|lead| lead.0).collect();
        let etapas: Vec<&str> = self.0.values().map(|(etapa, _)| etapa.as_str()).collect();
        let times: Vec<Instant> = self.0.values().map(|(_, at)| (*at).into()).collect();
        on.query(RAISE, &[&leads, &etapas, &times, &Etapa::ascending()]).await?;
        Ok(())
    }
}

/// Whether an event is written together with the lead's etapa.
pub(crate) fn is_moved_by(event: &Event) -> bool {
    event.kind == EventKind::PerfilComplete
}

fn waits(at: Option<WatchedLoop>) -> bool {
    at.is_some_and(|b| b.step == LoopStep::AwaitingRenders)
}

/// The loop began to wait for renders.
pub(super) fn begins_to_wait(before: Option<WatchedLoop>, after: Option<WatchedLoop>) -> bool {
    !waits(before) && waits(after)
}

/// The loop no longer waits for renders: what the etapa is now must be derived.
pub(super) fn ends_to_wait(before: Option<WatchedLoop>, after: Option<WatchedLoop>) -> bool {
    waits(before) && !waits(after)
}

/// Facts may have become true or untrue: the etapa is derived anew. The lead is locked.
pub(super) async fn settle(tx: &Transaction<'_>, lead: LeadId, at: Timestamp) -> Step<()> {
    settle_on(&Session::within(tx, &[facts_sql(), SET]).await?, lead, at).await
}

/// The same, where [`facts_sql`] and [`SET`] are prepared.
pub(super) async fn settle_on(on: &Session<'_>, lead: LeadId, at: Timestamp) -> Step<()> {
    let query = standing(lead);
    let (_, values) = bound(&query)?;
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
    let rows = on.query(facts_sql(), &values).await?;
    // A lead that is gone has none.
    let Some(row) = rows.first() else { return Ok(()) };
    let standing = read(row, |c| query.read(c))?;
    let etapa = Etapa::of(&standing.facts);
    if etapa != standing.etapa {
        on.query(SET, &[&lead.0, &etapa.as_str(), &Instant::from(at)]).await?;
    }
    Ok(())
}

/// What an etapa is derived from, as the server takes it.
pub(super) fn facts_sql() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| Named::parse(standing(LeadId(Uuid::nil())).text()).text);
    &TEXT
}
