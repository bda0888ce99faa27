//! The progress of accepted work: its first day, whether it has begun, and whether it is done. A person records it and
//! may correct it later.

use embudo_app::work_label;
use embudo_domain::etapa::Progress;
use embudo_store::desk::{LeadDesk, MAX_WORK_DAYS, WorkState};
use embudo_store::edited::Edited;
use jiff::ToSpan;
use jiff::civil::Date;

use super::desk::{back, stale};
use super::desk_forms::{Clash, DeskForm};
use super::progress_view::version;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::Posted;
use crate::parts::{FormFields, Refusal};

/// How many years from today the work may begin, in the past or in the future.
const MAX_YEARS: i32 = 5;

/// `POST /panel/leads/:id/obra`.
pub(crate) async fn set(form: Posted) -> PanelResult {
    let desk = form.desk().await?;
    if !desk.facts.accepted {
        let mistake = FormState::wrong("", "Aún no hay un presupuesto aceptado: la obra no puede empezar.");
        return form.mistaken(back(&form, DeskForm::Work, mistake)).await;
    }
    let wanted = match read(&form.fields, desk.work, form.state.app.today())? {
        Ok(work) => work,
        Err(mistakes) => return form.mistaken(back(&form, DeskForm::Work, mistakes)).await,
    };
    let clash = |desk: &LeadDesk| Clash { now: work_label(desk.work), typed: work_label(wanted) };
    if form.fields.raw("version") != version(desk.work) && wanted != desk.work {
        return stale(&form, DeskForm::Work, clash(&desk)).await;
    }
    match form.state.app.desk().set_work(&form.viewer(), &desk, wanted, &form.signed.actor()).await? {
        Edited::Saved => Ok(form.done("obra#gestion")),
        Edited::Same => Ok(form.back("gestion")),
        Edited::Stale => stale(&form, DeskForm::Work, clash(&form.desk().await?)).await,
    }
}

fn read(
    fields: &FormFields,
    before: WorkState,
    today: Date,
) -> Result<Result<WorkState, FormState>, Refusal> {
    let progress = match fields.raw("progreso") {
        "" => None,
        word => Some(Progress::parse(word).ok_or(Refusal::NotUnderstood)?),
    };
    let wrong = |words| Ok(Err(FormState::wrong("inicio", words)));
    let start = match fields.text("inicio").as_str() {
        "" => None,
        text => match text.parse::<Date>() {
            Ok(day) => Some(day),
            Err(_) => return wrong("Elige un día."),
        },
    };
    let (first, last) = (today.saturating_sub(MAX_YEARS.years()), today.saturating_add(MAX_YEARS.years()));
    if start.is_some_and(|day| start != before.start && !(first..=last).contains(&day)) {
        return wrong("Es demasiado lejos: elige un día a cinco años de hoy como mucho.");
    }
    let days = match fields.text("dias").as_str() {
        "" => None,
        text => match text.parse::<u16>().ok().filter(|days| (1..=MAX_WORK_DAYS).contains(days)) {
            Some(days) => Some(days),
            None => return Ok(Err(FormState::wrong("dias", "Escribe los días que dura, de 1 a 730."))),
        },
    };
    Ok(Ok(WorkState { start, days, progress }))
}
