//! The figures of the summary. Locks are taken in this order: first the rows of what each lead counted for, by their
//! ids, then the rows of the sums, by their keys.

use deadpool_postgres::Transaction;
use embudo_domain::figures::{LeadFigures, Level, Period, Sums};
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{EmpresaId, LeadId};
use embudo_store::figures::{LeadCount, Recount, note, sums_json, with_quotes, with_united};
use embudo_store::projected_lead::ProjectedLead;
use embudo_store::queries::figures as queries;
use embudo_store::row::Columns;
use jiff::civil::Date;
use uuid::Uuid;

use super::column;
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::read;
use crate::statement::{OnPool, params, sql};

/// Locks the rows of what leads counted for until the commit: another command that counts the same lead waits, and then
/// subtracts what this one counted.
pub(super) async fn hold(tx: &Transaction<'_>, leads: &[LeadId]) -> Step<()> {
    let lead: Vec<Uuid> = leads.iter().map(|lead| lead.0).collect();
    tx.execute(sql!("lead_cifra/hold.sql"), params! { lead }).await?;
    tx.rows(sql!("lead_cifra/lock.sql"), params! { lead }).await.map(drop)
}

/// How the counts of locked leads change. Also notes in `facts` whether a lead was contacted and answered. `united` has
/// pairs of a lead and its principal.
pub(super) async fn recount(
    tx: &Transaction<'_>,
    leads: &[LeadId],
    united: &[(LeadId, LeadId)],
    facts: &mut [ProjectedLead],
) -> Step<Recount> {
    let figures = known(tx, leads).await?;
    let members: Vec<LeadId> = united.iter().map(|(lead, _)| *lead).collect();
    let figures = with_united(figures, united, &known(tx, &members).await?);
    note(facts, &figures);
    Ok(Recount::of(run_in(tx, &queries::counted(leads)).await?, &figures))
}

async fn known(tx: &Transaction<'_>, leads: &[LeadId]) -> Step<Vec<LeadFigures>> {
    if leads.is_empty() {
        return Ok(Vec::new());
    }
    let quotes = run_in(tx, &queries::quotes(leads)).await?;
    Ok(with_quotes(run_in(tx, &queries::facts(leads)).await?, quotes))
}

pub(super) async fn write(tx: &Transaction<'_>, recount: &Recount) -> Step<()> {
    if !recount.leads.is_empty() {
        let values = params! {
            lead: column(&recount.leads, |count| count.lead.0),
            empresa: column(&recount.leads, |count| count.empresa.0),
            datos: recount.leads.iter().map(LeadCount::json).collect::<Result<Vec<_>, _>>()?,
        };
        tx.execute(sql!("lead_cifra/upsert.sql"), values).await?;
    }
    if !recount.gone.is_empty() {
        let lead = column(&recount.gone, |lead| lead.0);
        tx.execute(sql!("lead_cifra/delete.sql"), params! { lead }).await?;
    }
    if !recount.changes.is_empty() {
        change(tx, recount).await?;
    }
    Ok(())
}

async fn change(tx: &Transaction<'_>, recount: &Recount) -> Step<()> {
    let periods: Vec<Period> = recount.changes.keys().copied().collect();
    let empresa = column(&periods, |period| period.empresa.0);
    let zona = column(&periods, |period| period.zone.as_str());
    let nivel = column(&periods, |period| period.level.as_str());
    let dia: Vec<Date> = column(&periods, |period| period.day);
    tx.execute(sql!("cifra/hold.sql"), params! { empresa, zona, nivel, dia }).await?;
    let mut sums = Vec::new();
    for row in tx.rows(sql!("cifra/lock.sql"), params! { empresa, zona, nivel, dia }).await? {
        sums.push(read(&row, sum)?);
    }
    for (period, sums) in &mut sums {
        recount.changes.get(period).into_iter().for_each(|changes| sums.change(changes));
    }
    let values = params! {
        empresa: column(&sums, |(period, _)| period.empresa.0),
        zona: column(&sums, |(period, _)| period.zone.as_str()),
        nivel: column(&sums, |(period, _)| period.level.as_str()),
        dia: column(&sums, |(period, _)| period.day),
        datos: sums.iter().map(|(_, sums)| sums_json(sums)).collect::<Result<Vec<_>, _>>()?,
    };
    tx.execute(sql!("cifra/set.sql"), values).await.map(drop)
}

fn sum(c: &Columns<'_>) -> embudo_store::Result<(Period, Sums)> {
    let period = Period {
        empresa: EmpresaId(c.get("empresa_id")?),
        zone: c.word("zona", SpanishTimeZone::parse)?,
        level: c.word("nivel", Level::parse)?,
        day: c.get("dia")?,
    };
    Ok((period, embudo_store::rows::sums(c)?))
}
