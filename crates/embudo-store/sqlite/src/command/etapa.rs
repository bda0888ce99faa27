//! The etapa of a lead, written together with whatever changes it.

use embudo_domain::etapa::{Etapa, LoopEffect};
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::run_first;

/// The etapa of a new lead.
pub(super) fn insert(connection: &Connection, lead: LeadId, at: Timestamp) -> Step<()> {
    execute(
        connection,
        include_str!("../../sql/lead_etapa/insert.sql"),
        named_params! {":lead": lead.0, ":etapa": Etapa::Nuevo.as_str(), ":now": at.as_microsecond()},
    )
    .map(drop)
}

/// A fact became true: the lead gets this etapa unless it has a higher one.
pub(super) fn raise(connection: &Connection, lead: LeadId, etapa: Etapa, at: Timestamp) -> Step<()> {
    let lower = format!(" {} ", etapa.gives_way().join(" "));
    execute(
        connection,
        include_str!("../../sql/lead_etapa/raise.sql"),
        named_params! {
            ":lead": lead.0,
            ":etapa": etapa.as_str(),
            ":lower": lower,
            ":now": at.as_microsecond(),
        },
    )
    .map(drop)
}

/// Derives the etapa anew, because facts may have become untrue.
pub(super) fn settle(connection: &Connection, lead: LeadId, at: Timestamp) -> Step<()> {
    let standing = run_first(connection, &queries::etapa::standing(lead))?.ok_or(StoreError::LeadNotFound)?;
    let etapa = Etapa::of(&standing.facts);
    if etapa == standing.etapa {
        return Ok(());
    }
    execute(
        connection,
        include_str!("../../../sql/lead_etapa/set.sql"),
        named_params! {":lead": lead.0, ":etapa": etapa.as_str(), ":now": at.as_microsecond()},
    )
    .map(drop)
}

/// Updates the etapa after a step of the loop.
pub(super) fn after_loop(
    connection: &Connection,
    lead: LeadId,
    before: Option<WatchedLoop>,
    after: Option<WatchedLoop>,
    at: Timestamp,
) -> Step<()> {
    match LoopEffect::of(before, after) {
        LoopEffect::Raises(etapa) => raise(connection, lead, etapa, at),
        LoopEffect::Settles => settle(connection, lead, at),
        LoopEffect::None => Ok(()),
    }
}
