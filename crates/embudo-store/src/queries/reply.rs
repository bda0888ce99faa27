//! Replies, and the person who answers a lead instead of the bot.

use embudo_domain::reply::{Attention, Reply, ReplyChannel};
use embudo_domain::{LeadId, ReplyId, Timestamp, UserId};

use super::Query;
use crate::rows;

pub fn get(id: ReplyId) -> Query<Reply> {
    replies().only("m.id = :id").bind("id", id.0)
}

/// Replies of a lead that a person still has to send, newest first.
pub fn prepared(lead: LeadId, limit: u32) -> Query<Reply> {
    replies()
        .only("m.lead_id = :lead")
        .bind("lead", lead.0)
        .only("m.canal = :canal")
        .bind("canal", ReplyChannel::WhatsApp.as_str())
        .only("m.confirmado_en IS NULL")
        .then("ORDER BY m.n DESC LIMIT :limit")
        .bind("limit", limit)
}

/// All replies of a lead, in their order.
pub fn of_lead(lead: LeadId) -> Query<Reply> {
    replies().only("m.lead_id = :lead").bind("lead", lead.0).then("ORDER BY m.n")
}

fn replies() -> Query<Reply> {
    Query::new(include_str!("../../sql/mensaje/recent.sql"), rows::reply)
}

/// The person who answers a lead.
pub fn attention(lead: LeadId) -> Query<Attention> {
    attentions().only("a.lead_id = :lead").bind("lead", lead.0)
}

/// The person who answers a lead or another lead of the same person; the one who wrote last comes first.
pub fn attention_of_person(lead: LeadId) -> Query<Attention> {
    let same = "a.lead_id IN (SELECT l.id FROM lead l WHERE l.id = :lead \
                UNION SELECT u.lead_id FROM lead_union u WHERE u.principal_id = :lead \
                UNION SELECT u.principal_id FROM lead_union u WHERE u.lead_id = :lead)";
    attentions().only(same).bind("lead", lead.0).then("ORDER BY a.ultimo_en DESC LIMIT 1")
}

fn attentions() -> Query<Attention> {
    Query::new(include_str!("../../sql/atencion/list.sql"), |c| {
        Ok(Attention {
            who: UserId(c.get("usuario_id")?),
            nombre: c.get("nombre")?,
            since: c.get("desde")?,
            last: c.get("ultimo_en")?,
        })
    })
}

/// Pending replies that have expired, and their leads.
pub fn expired(now: Timestamp, limit: u32) -> Query<(ReplyId, LeadId)> {
    let text = "SELECT m.id, m.lead_id FROM mensaje m JOIN trabajo j ON j.id = m.id AND j.estado || '' = 'pendiente'\n";
    Query::new(text, |c| Ok((ReplyId(c.get("id")?), LeadId(c.get("lead_id")?))))
        .only("m.caduca IS NOT NULL AND m.confirmado_en IS NULL AND m.trabajo_estado IS NULL AND m.caduca <= :now")
        .bind("now", now)
        .then("ORDER BY m.caduca LIMIT :limit")
        .bind("limit", limit)
}
