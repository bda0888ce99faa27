//! Which of the questions that decide no money the form asks.

use embudo_domain::form_questions::OptionalQuestion;
use embudo_domain::settings::Settings;

use crate::panel::kit::form::{Field, Form, Group, Kind};

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
