//! The optional questions of the form, which do not decide the price.

use embudo_domain::form_questions::OptionalQuestion;
use embudo_domain::settings::{AnswerTime, Settings};

use crate::panel::kit::form::{Field, Form, Group, Kind};

/// How soon the company answers, as the end of the form says it.
const ANSWER_TIMES: &[(&str, &str)] = &[
    (AnswerTime::Day.as_str(), AnswerTime::Day.in_sentence()),
    (AnswerTime::TwoDays.as_str(), AnswerTime::TwoDays.in_sentence()),
    (AnswerTime::Week.as_str(), AnswerTime::Week.in_sentence()),
];

pub(super) const QUESTIONS: Form<Settings> = Form::new(
    "/panel/empresa/formulario/preguntas",
    "Guardar",
    &[Group::new(
        "",
        "",
        &[
            asked(OptionalQuestion::Urgencia),
            asked(OptionalQuestion::Budget),
            asked(OptionalQuestion::Tastes),
            asked(OptionalQuestion::Offers),
            Field::new(
                "plazo",
                "Cuándo contestáis",
                Kind::Maybe(ANSWER_TIMES),
                |settings: &Settings, _| settings.answer_time.map_or("", AnswerTime::as_str).to_owned(),
                |settings, _, typed| {
                    settings.answer_time = AnswerTime::parse(typed);
                    Ok(())
                },
            )
            .hint("Se lo decimos a quien envía el formulario. Sin elegir, no prometemos plazo."),
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
