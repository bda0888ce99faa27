//! `POST /panel/leads/:id/datos`: what somebody made of a group of facts.

use embudo_domain::facts::Facts;
use embudo_store::sheet::Edited;
use http::StatusCode;

use super::facts::{Group, read};
use super::show::Shown;
use super::work::Posted;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge};
use crate::parts::FormFields;

/// A form that came back: what was typed, and where somebody else wrote something else meanwhile.
pub(super) struct Typed {
    pub group: &'static Group,
    pub fields: FormFields,
    /// Names of facts.
    pub conflicts: Vec<&'static str>,
}

pub(crate) async fn save(mut posted: Posted) -> PanelResult {
    let Some(group) = Group::of(posted.fields.raw("grupo")) else { return posted.incomplete().await };
    let mut status = StatusCode::CONFLICT;
    // A bot may write between the look and the write; then it is looked at anew.
    for _ in 0..3 {
        let now = Facts::of(&posted.lead);
        let current: Vec<_> = group.facts.iter().map(|fact| (fact.name, fact.typed(&now))).collect();
        let Merged { fields: merged, conflicts } = merge(&posted.fields, &current);
        let mut form = FormState::default();
        let edited = read(group, &merged, &now, &mut form);
        if !conflicts.is_empty() {
            form.add("", STALE);
        } else if let Some(edited) = edited {
            let leads = posted.state.app.leads();
            match leads.edit(&posted.lead, edited, &posted.signed.actor()).await? {
                Edited::Saved => return Ok(posted.done(&format!("datos#{}", group.id))),
                Edited::Same => return Ok(posted.back(group.id)),
                Edited::Stale => {
                    posted.work.lead = posted.state.app.store.lead(posted.lead.id).await?;
                    continue;
                }
            }
        } else {
            status = StatusCode::UNPROCESSABLE_ENTITY;
        }
        let typed = Some(Typed { group, fields: merged, conflicts });
        return posted.page(status, Shown { form, typed, ..Shown::default() }).await;
    }
    let shown = Shown { form: FormState::wrong("", STALE), ..Shown::default() };
    posted.page(status, shown).await
}
