//! `POST /panel/empresa/formulario/preguntas`: which of the questions that decide no money the form asks.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::form_questions::{LeftOut, OptionalQuestion};
use embudo_domain::settings::Settings;

use super::settings_edit::{self, Change};
use crate::WebState;
use crate::panel::stale::{merge, version};
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// One question and whether it is asked.
pub(super) struct QuestionView {
    pub name: &'static str,
    pub words: &'static str,
    pub is_asked: bool,
}

pub(super) fn views(left_out: &LeftOut) -> Vec<QuestionView> {
    let view = |question: OptionalQuestion| QuestionView {
        name: question.as_str(),
        words: question.words(),
        is_asked: !left_out.contains(&question),
    };
    OptionalQuestion::ALL.map(view).into()
}

/// What the form carries of what it was made from.
pub(super) fn version_of(left_out: &LeftOut) -> String {
    version(values(left_out).iter().map(|(_, value)| value.as_str()))
}

pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let change = |before: &Settings| -> Result<Change, Refusal> {
        // Two who changed the same box made the same of it: nothing to show side by side.
        let left_out = read(&merge(&sent, &values(&before.left_out)).fields);
        let said = (said(&before.left_out), said(&left_out));
        Ok(Change { edited: Settings { left_out, ..before.clone() }, said })
    };
    settings_edit::edit(&state, &signed, AuditAction::SettingsChanged, change).await??;
    Ok(redirect("/panel/empresa/formulario?preguntas"))
}

fn values(left_out: &LeftOut) -> [(&'static str, String); OptionalQuestion::ALL.len()] {
    OptionalQuestion::ALL.map(|question| {
        let asked = if left_out.contains(&question) { "no" } else { "si" };
        (question.as_str(), asked.to_owned())
    })
}

fn read(fields: &FormFields) -> LeftOut {
    OptionalQuestion::ALL.into_iter().filter(|question| fields.text(question.as_str()) == "no").collect()
}

fn said(left_out: &LeftOut) -> String {
    let names: Vec<String> = left_out.iter().map(|question| question.words().to_lowercase()).collect();
    if names.is_empty() {
        "el formulario lo pregunta todo".to_owned()
    } else {
        format!("el formulario no pregunta: {}", names.join("; "))
    }
}
