//! Visits and people's calendars. Locks are taken in this order: the lead, then the calendars by their people's ids.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::{Agenda, Visita};
use embudo_domain::{Digest, LeadId, Timestamp, UserId};
use embudo_store::visits::{SaveVisita, VisitaChange};
use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::alone::commit;
use super::{audit, etapa, event, job, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// With it, whether a job was made that waits for any process.
pub(crate) async fn save(pool: &Pool, command: &SaveVisita) -> Step<(VisitaChange, bool)> {
    let (lead, at) = (command.visita.lead, command.at);
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (empresa, _) = watched_loop::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let found = run_in(&tx, &queries::visit::of_lead(lead, command.visita.id)).await?.pop();
    // Whoever takes time without asking for it is waited for too, or who asks at the same moment would not see it.
    if command.visita.takes_time() {
        hold(&tx, &command.visita.people).await?;
    }
    let busy = match command.wanted_time() {
        Some((from, to)) => run_in(&tx, &queries::visit::busy(&command.visita.people, from, to)).await?,
        None => Vec::new(),
    };
    let visita = match command.decide(found.as_ref(), &busy) {
        Ok(visita) => visita,
        Err(change) => return Ok((change, false)),
    };
    write(&tx, &visita, at).await?;
    etapa::settle(&tx, lead, at).await?;
    event::insert(&tx, lead, empresa, command.event.as_slice()).await?;
    let loose = job::insert(&tx, lead, &command.jobs, at).await?;
    if let Some(entry) = &command.audit {
        audit::record_in(&tx, entry).await?;
    }
    commit(tx).await?;
    Ok((VisitaChange::Saved(visita), loose))
}

/// Holds people's calendars until the commit.
async fn hold(tx: &Transaction<'_>, people: &[UserId]) -> Step<()> {
    let mut people: Vec<Uuid> = people.iter().map(|person| person.0).collect();
    people.sort();
    people.dedup();
    tx.execute(sql!("agenda/lock.sql"), params! { usuario: people }).await.map(drop)
}

async fn write(tx: &Transaction<'_>, visita: &Visita, at: Timestamp) -> Step<()> {
    let instant = |at: Option<Timestamp>| at.map(Instant::from);
    let slots: Vec<i64> = visita.slots.iter().map(|slot| slot.as_microsecond()).collect();
    let json = |text: serde_json::Result<String>| text.map_err(|e| StoreError::Internal(e.to_string()));
    let saved = params! {
        lead: visita.lead.0,
        id: visita.id.0,
        empresa: visita.empresa.0,
        estado: visita.state.as_str(),
        revision: visita.revision,
        secuencia: i64::from(visita.sequence),
        huecos: json(serde_json::to_string(&slots))?,
        inicio: instant(visita.start),
        fin: instant(visita.end()),
        minutos: i64::from(visita.minutes),
        direccion: visita.address,
        personas: json(serde_json::to_string(&visita.people))?,
        notas: visita.notes,
        medidas: visita.measurements,
        vigente_hasta: instant(visita.agreed_until(at)),
        creada_en: Instant::from(visita.creada_en),
        cambiada_en: Instant::from(visita.cambiada_en),
    };
    tx.execute(sql!("visita/save.sql"), saved).await?;
    let gone = params! { lead: visita.lead.0, visita: visita.id.0 };
    tx.execute(sql!("visita_persona/delete.sql"), gone).await?;
    if let Some(end) = visita.end() {
        let people: Vec<Uuid> = visita.people.iter().map(|person| person.0).collect();
        let row =
            params! { lead: visita.lead.0, visita: visita.id.0, usuario: people, fin: Instant::from(end) };
        tx.execute(sql!("visita_persona/insert.sql"), row).await?;
    }
    Ok(())
}

pub(crate) async fn pass(pool: &Pool, lead: LeadId, now: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    watched_loop::lock(&tx, lead).await?;
    let over = params! { lead: lead.0, now: Instant::from(now) };
    if tx.execute(sql!("visita/pass.sql"), over).await? > 0 {
        etapa::settle(&tx, lead, now).await?;
    }
    commit(tx).await
}

pub(crate) async fn save_agenda(
    pool: &Pool,
    user: UserId,
    seen: i64,
    agenda: &Agenda,
    entry: &AuditEntry,
) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    hold(&tx, &[user]).await?;
    let before = run_in(&tx, &queries::visit::agendas(&[user])).await?.pop();
    if before.map_or(0, |kept| kept.revision) != seen {
        return Ok(false);
    }
    let data = serde_json::to_string(agenda).map_err(|e| StoreError::Internal(e.to_string()))?;
    tx.execute(sql!("agenda/save.sql"), params! { usuario: user.0, datos: data }).await?;
    audit::record_in(&tx, entry).await?;
    commit(tx).await?;
    Ok(true)
}

pub(crate) async fn set_feed(
    pool: &Pool,
    user: UserId,
    mark: Option<Digest>,
    at: Timestamp,
    entry: &AuditEntry,
) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let set = params! {
        usuario: user.0,
        calendario: mark.map(|mark| mark.0.to_vec()),
        now: mark.map(|_| Instant::from(at)),
    };
    tx.execute(sql!("agenda/set_calendario.sql"), set).await?;
    audit::record_in(&tx, entry).await?;
    commit(tx).await
}
