//! `POST /panel/empresa/formulario/preguntas`: which of the questions that decide no money the form asks.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::form_questions::OptionalQuestion;
use embudo_domain::settings::Settings;

use super::{form, settings_edit};
use crate::WebState;
use crate::panel::kit::form::{Field, Form, Group, Kind};
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{fields_of, redirect};

pub(super) const QUESTIONS: Form<Settings> = Form::new(
    "/panel/empresa/formulario/preguntas",
    "Guardar las preguntas",
    &[Group::new(
        "",
        "",
        &[
            asked(OptionalQuestion::Urgencia),
            asked(OptionalQuestion::Budget),
            asked(OptionalQuestion::Tastes),
            asked(OptionalQuestion::Offers),
        ],
    )],
);

const fn asked(question: OptionalQuestion) -> Field<Settings> {
    let read = |settings: &Settings, name: &str| {
        let is_left_out = settings.left_out.iter().any(|question| question.as_str() == name);
        if is_left_out { "no" } else { "si" }.to_owned()
    };
    Field::new(question.as_str(), question.label(), Kind::Tick, read, |settings, name, typed| {
        let Some(question) = OptionalQuestion::parse(name) else { return Ok(()) };
        match typed {
            "no" => settings.left_out.insert(question),
            _ => settings.left_out.remove(&question),
        };
        Ok(())
    })
}

pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::SettingsChanged, &sent, &QUESTIONS).await? {
        None => Ok(redirect("/panel/empresa/formulario?preguntas")),
        Some(returned) => form::page(&state, &signed, &caller, None, returned).await,
    }
}
