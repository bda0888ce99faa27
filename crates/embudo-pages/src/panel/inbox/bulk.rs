//! `POST /panel/leads`: actions on several leads at once.

use axum::extract::{Request, State};
use embudo_domain::UserId;
use embudo_domain::role::Permission;

use super::outcome::{Refused, ticked};
use super::viewer;
use crate::WebState;
use crate::panel::kit::archiving::{archive_reason, archived_at};
use crate::panel::kit::people::workers_of;
use crate::panel::switches::back;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// Assigns, archives, reopens or marks as read the ticked leads, or undoes an archiving; then redirects to the list. If
/// the action is refused, the list is shown again with the same ticks.
pub(in crate::panel) async fn act(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let viewer = viewer(&signed)?;
    let (desk, actor) = (state.app.desk(), signed.actor());
    let word = fields.text("accion");
    if word == "deshacer" {
        if !signed.may(Permission::WorkLeads) {
            return Err(Refusal::Forbidden);
        }
        let at = archived_at(&fields).ok_or(Refusal::NotUnderstood)?;
        let count = desk.undo_archive(&viewer, at, &actor).await?;
        return Ok(to(&fields, "hecho", &format!("deshacer-{count}")));
    }
    let leads = ticked(&fields);
    let refuse = |why| super::show::refuse(&state, &signed, &fields, Refused::of(&fields, why));
    if leads.is_empty() {
        return refuse("Marca primero los leads.").await;
    }
    if word == "leidos" {
        let count = leads.len();
        desk.mark_read(&viewer, leads).await?;
        return Ok(to(&fields, "hecho", &format!("leidos-{count}")));
    }
    let empresa = signed.empresa()?;
    if !signed.may(Permission::WorkLeads) {
        return Err(Refusal::Forbidden);
    }
    let count = match word.as_str() {
        "asignar" => {
            let person = match fields.raw("persona") {
                "" => None,
                id => Some(UserId::parse(id).ok_or(Refusal::NotUnderstood)?),
            };
            let people = workers_of(&state, empresa.id).await?;
            let named = person.and_then(|id| people.iter().find(|user| user.id == id));
            if person.is_some() && named.is_none() {
                return refuse("Esa persona no puede llevar leads de esta empresa: elige otra.").await;
            }
            desk.assign_all(&viewer, leads, named, &actor).await?
        }
        "archivar" => {
            let Some(reason) = archive_reason(&fields) else {
                return refuse("Elige por qué se archivan.").await;
            };
            let done = desk.archive_all(&viewer, leads, reason, &actor).await?;
            let count = format!("archivar-{}&lote={}", done.leads, done.at.as_microsecond());
            return Ok(to(&fields, "hecho", &count));
        }
        "reabrir" => {
            let count = leads.len();
            desk.reopen_all(&viewer, leads, &actor).await?;
            count
        }
        _ => return Err(Refusal::NotUnderstood),
    };
    Ok(to(&fields, "hecho", &format!("{word}-{count}")))
}

/// Redirects to the list from which the form was sent, with the result.
fn to(fields: &FormFields, name: &str, value: &str) -> axum::response::Response {
    let place = back(fields.raw("a"));
    let joint = if place.contains('?') { '&' } else { '?' };
    redirect(&format!("{place}{joint}{name}={value}"))
}
