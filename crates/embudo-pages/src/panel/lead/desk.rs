//! The decisions about a lead: its assigned person, the next action, archived or open, read or unread.

use axum::extract::{Path, State};
use embudo_domain::{Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk};
use embudo_store::edited::Edited;
use http::StatusCode;
use jiff::SignedDuration;

use super::desk_forms::{Back, Clash, DeskForm};
use super::desk_view::{plan_label, version_of_assigned, version_of_plan};
use super::shown::Shown;
use super::union::Union;
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::archiving::{archive_reason, archived_at};
use crate::panel::kit::form::STALE;
use crate::panel::kit::people::People;
use crate::panel::kit::work::{Posted, open, viewer};
use crate::panel::words::from_field;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, redirect};

/// The maximum length of a plan, in characters.
const MAX_PLAN: usize = 200;
/// How far ahead a plan may lie.
const LONGEST_PLAN: SignedDuration = SignedDuration::from_hours(5 * 366 * 24);

/// `POST /panel/leads/:id/asignar`.
pub(crate) async fn assign(form: Posted) -> PanelResult {
    let desk = form.desk().await?;
    let to = match form.fields.raw("persona") {
        "" => None,
        id => Some(UserId::parse(id).ok_or(Refusal::NotUnderstood)?),
    };
    let people = People::load(&form.state).await?;
    if to.is_some_and(|id| to != desk.assigned && !people.works(id, desk.empresa)) {
        let mistake = FormState::wrong("persona", "Esa persona no puede llevar leads de esta empresa.");
        return form.mistaken(back(&form, DeskForm::Assign, mistake)).await;
    }
    let name = |id| people.name_or_nobody(id);
    let clash = |desk: &LeadDesk| Clash { now: name(desk.assigned), typed: name(to) };
    if form.fields.raw("version") != version_of_assigned(desk.assigned) && to != desk.assigned {
        return stale(&form, DeskForm::Assign, clash(&desk)).await;
    }
    match form.state.app.desk().hand_over(&form.viewer(), &desk, to, &form.signed.actor()).await? {
        Edited::Saved => Ok(form.done("asignado#gestion")),
        Edited::Same => Ok(form.back("gestion")),
        Edited::Stale => stale(&form, DeskForm::Assign, clash(&form.desk().await?)).await,
    }
}

/// `POST /panel/leads/:id/accion`: plans the next action and its moment, or removes the plan.
pub(crate) async fn plan(form: Posted) -> PanelResult {
    let (desk, now) = (form.desk().await?, form.state.app.now());
    let wanted = match form.fields.has("quitar") {
        true => None,
        false => match read_plan(&form.fields, desk.action.as_ref(), now) {
            Ok(plan) => Some(plan),
            Err(mistakes) => return form.mistaken(back(&form, DeskForm::Plan, mistakes)).await,
        },
    };
    let clash = |desk: &LeadDesk| Clash {
        now: plan_label(desk.action.as_ref(), now),
        typed: plan_label(wanted.as_ref(), now),
    };
    if form.fields.raw("version") != version_of_plan(desk.action.as_ref()) && wanted != desk.action {
        return stale(&form, DeskForm::Plan, clash(&desk)).await;
    }
    let actor = form.signed.actor();
    match form.state.app.desk().plan(&form.viewer(), &desk, wanted.clone(), &actor).await? {
        Edited::Saved if wanted.is_none() => Ok(form.done("accion-quitada#gestion")),
        Edited::Saved => Ok(form.done("accion#gestion")),
        Edited::Same => Ok(form.back("gestion")),
        Edited::Stale => stale(&form, DeskForm::Plan, clash(&form.desk().await?)).await,
    }
}

fn read_plan(
    fields: &FormFields,
    before: Option<&HandAction>,
    now: Timestamp,
) -> Result<HandAction, FormState> {
    let (mut form, text) = (FormState::default(), fields.text("texto"));
    if text.is_empty() {
        form.add("texto", "Escribe qué hay que hacer.");
    } else if text.chars().count() > MAX_PLAN {
        form.add("texto", "Es demasiado largo: caben 200 letras.");
    }
    let due = from_field(&fields.text("cuando"));
    match due {
        None => form.add("cuando", "Elige el día y la hora."),
        // The moment of an overdue plan may stay, so that only its text is changed.
        Some(at) if at < now && before.is_none_or(|before| before.due != at) => {
            form.add("cuando", "Ese momento ya ha pasado: elige otro.");
        }
        Some(at) if at > now.saturating_add(LONGEST_PLAN).unwrap_or(Timestamp::MAX) => {
            form.add("cuando", "Es demasiado lejos: elige un día de los próximos cinco años.");
        }
        Some(_) => {}
    }
    due.filter(|_| form.is_good()).map(|due| HandAction { due, text }).ok_or(form)
}

/// `POST /panel/leads/:id/archivar`. An archived lead still accepts API calls.
pub(crate) async fn archive(form: Posted) -> PanelResult {
    let Some(reason) = archive_reason(&form.fields) else {
        let mistake = FormState::wrong("motivo", "Elige por qué se archiva.");
        return form.mistaken(back(&form, DeskForm::Archive, mistake)).await;
    };
    let (seen, actor) = (form.desk().await?, form.signed.actor());
    let done = form.state.app.desk().archive(&form.viewer(), &seen, reason, &actor).await?;
    Ok(match done.leads {
        // Somebody else had already archived the lead, so this person has nothing to undo.
        0 => form.done("archivado#gestion"),
        _ => form.done(&format!("archivado&lote={}#gestion", done.at.as_microsecond())),
    })
}

/// `POST /panel/leads/:id/reabrir`: reopens the lead, or undoes an archiving that was just done.
pub(crate) async fn reopen(form: Posted) -> PanelResult {
    if let Some(at) = archived_at(&form.fields) {
        let undone = form.state.app.desk().undo_archive(&form.viewer(), at, &form.signed.actor()).await?;
        return Ok(form.done(if undone > 0 { "desarchivado#gestion" } else { "sin-deshacer#gestion" }));
    }
    let (seen, actor) = (form.desk().await?, form.signed.actor());
    form.state.app.desk().reopen(&form.viewer(), &seen, &actor).await?;
    Ok(form.done("reabierto#gestion"))
}

/// `POST /panel/leads/:id/no-leido`: marks the lead as unread for this person. It redirects to the inbox, because
/// showing the lead would mark it as read.
pub(crate) async fn mark_unread(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let viewer = viewer(&signed, &lead);
    let desk = state.app.store.desk(&viewer, lead.id).await?;
    let union = Union::of(&state, &viewer, &desk).await?;
    state.app.desk().mark_unread(&viewer, union.leads()).await?;
    Ok(redirect("/panel/leads?hecho=noleidos-1"))
}

pub(super) fn back(form: &Posted, which: DeskForm, mistakes: FormState) -> Shown {
    let back = Back { form: which, fields: form.fields.clone(), clash: None };
    Shown { form: mistakes, desk: Some(back), ..Shown::default() }
}

/// Shows the page again with this person's values beside the stored ones.
pub(super) async fn stale(form: &Posted, which: DeskForm, clash: Clash) -> PanelResult {
    let mut shown = back(form, which, FormState::wrong("", STALE));
    shown.desk = shown.desk.map(|back| Back { clash: Some(clash), ..back });
    form.page(StatusCode::CONFLICT, shown).await
}
