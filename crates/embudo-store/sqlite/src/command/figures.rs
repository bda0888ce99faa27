//! The figures of the summary.

use embudo_domain::LeadId;
use embudo_domain::figures::{Counts, LeadFigures, Period, Sums};
use embudo_store::figures::{LeadCount, Recount, note, sums_json, with_quotes, with_united};
use embudo_store::projected_lead::ProjectedLead;
use embudo_store::queries::figures as queries;
use embudo_store::rows;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::{first, run};

/// Counts leads anew, also erased ones, and notes in `facts` whether a lead was contacted and answered. `united` has
/// pairs of a lead and its principal.
pub(crate) fn count(
    connection: &Connection,
    leads: &[LeadId],
    united: &[(LeadId, LeadId)],
    facts: &mut [ProjectedLead],
) -> Step<()> {
    let figures = known(connection, leads)?;
    let members: Vec<LeadId> = united.iter().map(|(lead, _)| *lead).collect();
    let figures = with_united(figures, united, &known(connection, &members)?);
    note(facts, &figures);
    let recount = Recount::of(run(connection, &queries::counted(leads))?, &figures);
    recount.leads.iter().try_for_each(|count| write_count(connection, count))?;
    for lead in &recount.gone {
        let sql = include_str!("../../sql/lead_cifra/delete.sql");
        execute(connection, sql, named_params! {":lead": lead.0})?;
    }
    recount.changes.iter().try_for_each(|(period, changes)| change(connection, period, changes))
}

fn known(connection: &Connection, leads: &[LeadId]) -> Step<Vec<LeadFigures>> {
    if leads.is_empty() {
        return Ok(Vec::new());
    }
    let quotes = run(connection, &queries::quotes(leads))?;
    Ok(with_quotes(run(connection, &queries::facts(leads))?, quotes))
}

fn write_count(connection: &Connection, count: &LeadCount) -> Step<()> {
    let row = named_params! {
        ":lead": count.lead.0,
        ":empresa": count.empresa.0,
        ":datos": count.json()?,
    };
    execute(connection, include_str!("../../sql/lead_cifra/upsert.sql"), row).map(drop)
}

fn change(connection: &Connection, period: &Period, changes: &Counts) -> Step<()> {
    let Period { empresa, zone, level, day } = period;
    let day = day.to_string();
    let key =
        named_params! {":empresa": empresa.0, ":zona": zone.as_str(), ":nivel": level.as_str(), ":dia": day};
    let known = first(connection, include_str!("../../sql/cifra/get.sql"), key, rows::sums)?;
    let mut sums: Sums = known.unwrap_or_default();
    sums.change(changes);
    let row = named_params! {
        ":empresa": empresa.0,
        ":zona": zone.as_str(),
        ":nivel": level.as_str(),
        ":dia": day,
        ":datos": sums_json(&sums)?,
    };
    execute(connection, include_str!("../../sql/cifra/upsert.sql"), row).map(drop)
}
