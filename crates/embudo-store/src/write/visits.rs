//! Visits and people's calendars.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::{Agenda, Visita};
use embudo_domain::{Digest, LeadId, Timestamp, UserId};

use super::json;
use super::{Engine, Load, Lock, Tx, audit, etapa, sql};
use crate::projection::show_at_once;
use crate::queries::{Statement, lead as leads, visit as queries};
use crate::visits::{SaveVisita, VisitaChange};
use crate::{ProjectionStore, Result, StoreError, VisitStore};

#[async_trait]
impl<E: Engine + ProjectionStore> VisitStore for E {
    async fn save_visita(&self, command: SaveVisita) -> Result<VisitaChange> {
        let visita = &command.visita;
        let lead = visita.lead;
        let load = Load::on(lead.0).and(visita.notes.len() + visita.measurements.len());
        let (change, loose) = self.write(load, command, |tx, command| Box::pin(save(tx, command))).await?;
        self.tell_of(loose);
        show_at_once(self, &[lead]).await;
        Ok(change)
    }

    async fn pass_visits(&self, lead: LeadId, now: Timestamp) -> Result<()> {
        self.write(Load::on(lead.0), (lead, now), |tx, (lead, now)| Box::pin(pass(tx, *lead, *now))).await?;
        show_at_once(self, &[lead]).await;
        Ok(())
    }

    async fn save_agenda(&self, user: UserId, seen: i64, agenda: Agenda, audit: AuditEntry) -> Result<bool> {
        let command = (user, seen, agenda, audit);
        self.write(Load::on(user.0), command, |tx, (user, seen, agenda, audit)| {
            Box::pin(save_agenda(tx, *user, *seen, agenda, audit))
        })
        .await
    }

    async fn set_feed(
        &self,
        user: UserId,
        secret: Option<Digest>,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<()> {
        let now = secret.map(|_| at);
        let set = sql!("agenda/set_calendario.sql", usuario: user.0, calendario: secret, now);
        self.write(Load::on(user.0), (set, audit), |tx, (set, audit)| Box::pin(set_feed(tx, set, audit)))
            .await
    }
}

/// Saves a visit. Also returns whether a job was made that any process may take.
async fn save(tx: &Tx<'_>, command: &SaveVisita) -> Result<(VisitaChange, bool)> {
    let (lead, at) = (command.visita.lead, command.at);
    tx.lock(Lock::Lead(lead)).await?;
    tx.first(leads::empresa(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    let found = tx.first(queries::of_lead(lead, command.visita.id)).await?;
    // Calendars are locked even with `Claim::Anyway`; otherwise a client who asks at the same moment would not see
    // the visit.
    if command.visita.takes_time() {
        tx.lock_agendas(&command.visita.people).await?;
    }
    let busy = match command.wanted_time() {
        Some((from, to)) => tx.rows(queries::busy(&command.visita.people, from, to)).await?,
        None => Vec::new(),
    };
    let visita = match command.decide(found.as_ref(), &busy) {
        Ok(visita) => visita,
        Err(change) => return Ok((change, false)),
    };
    write(tx, &visita, at).await?;
    etapa::settle(tx, lead, at).await?;
    tx.events(lead, command.event.as_slice()).await?;
    let loose = tx.jobs(lead, &command.jobs, at).await?;
    audit::tell(tx, command.audit.as_ref()).await?;
    Ok((VisitaChange::Saved(visita), loose))
}

async fn write(tx: &Tx<'_>, visita: &Visita, at: Timestamp) -> Result<()> {
    let slots: Vec<i64> = visita.slots.iter().map(|slot| slot.as_microsecond()).collect();
    let save = sql!(
        "visita/save.sql",
        lead: visita.lead.0,
        id: visita.id.0,
        empresa: visita.empresa.0,
        estado: visita.state.as_str(),
        revision: visita.revision,
        secuencia: visita.sequence,
        huecos: json(&slots)?,
        inicio: visita.start,
        fin: visita.end(),
        minutos: visita.minutes,
        direccion: &visita.address,
        personas: json(&visita.people)?,
        notas: &visita.notes,
        medidas: &visita.measurements,
        vigente_hasta: visita.agreed_until(at),
        creada_en: visita.creada_en,
        cambiada_en: visita.cambiada_en,
        cancelada_en: visita.cancelled.map(|cancelled| cancelled.at),
        cancelada_por: visita.cancelled.and_then(|cancelled| cancelled.by).map(|by| by.0),
    );
    tx.run(save).await?;
    let (lead, visita_id) = (visita.lead.0, visita.id.0);
    tx.run(sql!("visita_persona/delete.sql", lead, visita: visita_id)).await?;
    let Some(fin) = visita.end() else { return Ok(()) };
    for person in &visita.people {
        tx.run(sql!("visita_persona/insert.sql", lead, visita: visita_id, usuario: person.0, fin)).await?;
    }
    Ok(())
}

async fn pass(tx: &Tx<'_>, lead: LeadId, now: Timestamp) -> Result<()> {
    tx.lock(Lock::Lead(lead)).await?;
    if tx.run(sql!("visita/pass.sql", lead: lead.0, now)).await? > 0 {
        etapa::settle(tx, lead, now).await?;
    }
    Ok(())
}

async fn save_agenda(
    tx: &Tx<'_>,
    user: UserId,
    seen: i64,
    agenda: &Agenda,
    entry: &AuditEntry,
) -> Result<bool> {
    tx.lock(Lock::Agenda(user)).await?;
    let before = tx.first(queries::agendas(&[user])).await?;
    if before.map_or(0, |kept| kept.revision) != seen {
        return Ok(false);
    }
    tx.run(sql!("agenda/save.sql", usuario: user.0, datos: json(agenda)?)).await?;
    audit::tell(tx, entry).await?;
    Ok(true)
}

async fn set_feed(tx: &Tx<'_>, set: &Statement, entry: &AuditEntry) -> Result<()> {
    tx.run(set).await?;
    audit::tell(tx, entry).await
}

/// Removes the secret of a person's calendar, so that its feed stops working.
pub(super) fn end_feed(user: UserId) -> Statement {
    sql!("agenda/end_calendario.sql", usuario: user.0)
}
