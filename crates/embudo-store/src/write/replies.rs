//! What people write to clients, and who answers instead of the bot.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::JobState;
use embudo_domain::reply::ReplyChannel;
use embudo_domain::{EmpresaId, LeadId, ReplyId, Timestamp, UserId};

use super::{Engine, Load, Lock, Tx, audit, run_all, sql};
use crate::desk::audit_of_changed;
use crate::edited::Edited;
use crate::inbox::Viewer;
use crate::projection::show_at_once;
use crate::queries::rights::wrote;
use crate::queries::{desk, reply as queries};
use crate::replies::{TakeOver, WriteReply, decide};
use crate::touches::Touch;
use crate::{ProjectionStore, ReplyStore, Result, StoreError};

#[async_trait]
impl<E: Engine + ProjectionStore> ReplyStore for E {
    async fn write_reply(&self, viewer: &Viewer, command: WriteReply) -> Result<bool> {
        let lead = command.reply.lead;
        let load = Load::on(lead.0).and(2 * command.reply.text.len());
        let command = (viewer.clone(), command);
        let written =
            self.write(load, command, |tx, (viewer, command)| Box::pin(write(tx, viewer, command))).await?;
        if let Some(loose) = written {
            self.tell_of(loose);
            show_at_once(self, &[lead]).await;
        }
        Ok(written.is_some())
    }

    async fn mark_reply(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: ReplyId,
        was_sent: bool,
        audit: AuditEntry,
    ) -> Result<bool> {
        let command = (viewer.clone(), lead, id, was_sent, audit);
        let marked = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, id, was_sent, audit)| {
                Box::pin(mark_sent(tx, viewer, *lead, *id, *was_sent, audit))
            })
            .await?;
        if marked {
            show_at_once(self, &[lead]).await;
        }
        Ok(marked)
    }

    async fn expire_replies(&self, now: Timestamp, max: u32) -> Result<Vec<LeadId>> {
        let leads =
            self.write(Load::SMALL, (now, max), |tx, (now, max)| Box::pin(expire(tx, *now, *max))).await?;
        leads.iter().for_each(|lead| self.touched().note(*lead, Touch::anew()));
        Ok(leads)
    }

    async fn take_over(&self, viewer: &Viewer, command: TakeOver) -> Result<Edited> {
        let lead = command.lead;
        let command = (viewer.clone(), command);
        let end = self
            .write(Load::on(lead.0), command, |tx, (viewer, command)| Box::pin(take(tx, viewer, command)))
            .await?;
        self.touched().note(lead, Touch::seen());
        Ok(end)
    }
}

/// Locks a lead that the viewer may see; returns its company.
async fn lock(tx: &Tx<'_>, viewer: &Viewer, lead: LeadId) -> Result<EmpresaId> {
    tx.lock(Lock::Lead(lead)).await?;
    let found = tx.first(desk::get(&[lead])).await?.map(|desk| desk.empresa);
    found.filter(|empresa| viewer.may_see(*empresa)).ok_or(StoreError::LeadNotFound)
}

/// Writes a reply. Returns whether any process may take its job; `None` if it was written before.
async fn write(tx: &Tx<'_>, viewer: &Viewer, command: &WriteReply) -> Result<Option<bool>> {
    let reply = &command.reply;
    let (lead, at) = (reply.lead, reply.creado_en);
    let empresa = lock(tx, viewer, lead).await?;
    let insert = sql!(
        "mensaje/insert.sql",
        id: reply.id.0,
        lead: lead.0,
        empresa: empresa.0,
        canal: reply.channel.as_str(),
        texto: &reply.text,
        autor_id: reply.author.0,
        autor: &reply.author_name,
        now: at,
        caduca: reply.expires,
    );
    if tx.run(insert).await? == 0 {
        return Ok(None);
    }
    attend(tx, lead, empresa, reply.author, at).await?;
    audit::tell(tx, audit_of_changed(&command.audit, &[lead]).as_ref()).await?;
    let jobs: Vec<_> = command.job.iter().cloned().collect();
    Ok(Some(tx.jobs(lead, &jobs, at).await?))
}

/// Sets the person who answers a lead; keeps the start time if the same person answers already.
async fn attend(tx: &Tx<'_>, lead: LeadId, empresa: EmpresaId, who: UserId, at: Timestamp) -> Result<()> {
    let now = tx.first(queries::attention(lead)).await?;
    let same = now.filter(|attention| attention.who == who && attention.holds(at));
    let desde = same.map_or(at, |attention| attention.since);
    let set = sql!(
        "atencion/set.sql", lead: lead.0, empresa: empresa.0, usuario: who.0, desde: desde, now: at,
    );
    tx.run(set).await.map(drop)
}

async fn mark_sent(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    id: ReplyId,
    was_sent: bool,
    entry: &AuditEntry,
) -> Result<bool> {
    lock(tx, viewer, lead).await?;
    let canal = ReplyChannel::WhatsApp.as_str();
    let changed = match was_sent {
        true => tx.run(sql!("mensaje/mark.sql", id: id.0, lead: lead.0, canal, now: entry.at)).await?,
        false => tx.run(sql!("mensaje/drop.sql", id: id.0, lead: lead.0, canal)).await?,
    };
    if changed == 0 {
        return Ok(false);
    }
    tx.run(wrote(&[lead], entry.at)).await?;
    audit::tell(tx, audit_of_changed(entry, &[lead]).as_ref()).await?;
    Ok(true)
}

async fn expire(tx: &Tx<'_>, now: Timestamp, max: u32) -> Result<Vec<LeadId>> {
    let mut leads = Vec::new();
    for (id, lead) in tx.rows(queries::expired(now, max)).await? {
        let expired = sql!("mensaje/expire.sql", id: id.0, caducado: JobState::Expired.as_str(), now);
        if tx.run(expired).await? > 0 {
            leads.push(lead);
        }
    }
    Ok(leads)
}

async fn take(tx: &Tx<'_>, viewer: &Viewer, command: &TakeOver) -> Result<Edited> {
    let lead = command.lead;
    let empresa = lock(tx, viewer, lead).await?;
    let now = tx.first(queries::attention(lead)).await?;
    let end = decide(command, now.as_ref());
    if end != Edited::Saved {
        return Ok(end);
    }
    match command.to {
        Some(who) => attend(tx, lead, empresa, who, command.at).await?,
        None => run_all(tx, [sql!("atencion/delete.sql", lead: lead.0), wrote(&[lead], command.at)]).await?,
    }
    audit::tell(tx, audit_of_changed(&command.audit, &[lead]).as_ref()).await?;
    Ok(end)
}
