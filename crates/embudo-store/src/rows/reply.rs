//! Rows of replies.

use embudo_domain::job::JobState;
use embudo_domain::reply::{Reply, ReplyChannel};
use embudo_domain::{LeadId, ReplyId, UserId};

use crate::Result;
use crate::row::Columns;

pub fn reply(c: &Columns<'_>) -> Result<Reply> {
    Ok(Reply {
        id: ReplyId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        channel: c.word("canal", ReplyChannel::parse)?,
        text: c.get("texto")?,
        author: UserId(c.get("autor_id")?),
        author_name: c.get("autor")?,
        creado_en: c.get("creado_en")?,
        expires: c.get("caduca")?,
        confirmed: c.get("confirmado_en")?,
        job: c.word_opt("estado", JobState::parse)?,
        job_ended: c.get("terminado_en")?,
    })
}
