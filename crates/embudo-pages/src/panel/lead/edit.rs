//! `POST /panel/leads/:id/datos`: saves a group of facts.

use embudo_domain::facts::Facts;
use embudo_store::edited::Edited;

use super::fact_views::{PREFIX, Typed};
use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::kit::facts::Group;
use crate::panel::kit::form::{Returned, TRIES};
use crate::panel::kit::work::Posted;

pub(crate) async fn save(mut posted: Posted) -> PanelResult {
    let Some(group) = Group::of(posted.fields.raw("grupo")) else { return posted.incomplete().await };
    let mut returned = Returned::stale(posted.fields.clone());
    // If somebody else, for example a bot, writes between reading and writing, everything is tried again.
    for _ in 0..TRIES {
        let edited = match group.form.read(&posted.fields, &Facts::of(&posted.lead)) {
            Ok(edited) => edited,
            Err(back) => {
                returned = *back;
                break;
            }
        };
        match posted.state.app.leads().edit(&posted.lead, edited, &posted.signed.actor()).await? {
            Edited::Saved => return Ok(posted.done(&format!("datos#{}", group.id))),
            Edited::Same => return Ok(posted.back(group.id)),
            Edited::Stale => posted.open.lead = posted.state.app.store.lead(posted.lead.id).await?,
        }
    }
    let form = returned.form.clone().prefixed(PREFIX);
    let status = returned.status;
    let typed = Some(Typed { group, returned });
    posted.page(status, Shown { form, typed, ..Shown::default() }).await
}
