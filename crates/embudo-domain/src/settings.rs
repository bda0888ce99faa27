//! How a company wants to work. Stored as one JSON text per company. A field that an older program did not know reads
//! as its default.

use serde::{Deserialize, Serialize};

use crate::connections::Connections;
use crate::form_questions::LeftOut;
use crate::legal::OwnLegal;
use crate::privacy::Privacy;
use crate::reminders::ReminderSettings;
use crate::rights::Retention;
use crate::visita::VisitSettings;

enumeration! {
    /// What the end of the form does.
    FormEnd {
        /// Like `perfilCompleto`: the external workflow gets the signal.
        Signal = "senal",
        /// A quote is drafted, and the company gets a notice.
        Draft = "borrador",
        /// Like `finalizar`.
        Quote = "presupuesto",
        /// The company gets a notice, and nothing else happens.
        Nothing = "nada",
    }
}

enumeration! {
    /// How soon a company answers, as its form says.
    AnswerTime {
        Day = "un_dia",
        TwoDays = "dos_dias",
        Week = "una_semana",
    }
}

impl AnswerTime {
    /// At the end of a sentence («te llamamos en un día laborable»).
    pub const fn in_sentence(self) -> &'static str {
        match self {
            Self::Day => "en un día laborable",
            Self::TwoDays => "en dos días laborables",
            Self::Week => "en una semana",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Whether `finalizar` makes a draft for a person to review instead of sending at once.
    #[serde(rename = "revision")]
    pub review: bool,
    /// What the end of the form does. If absent, this depends on what is connected ([`Self::form_end`]).
    #[serde(rename = "finFormulario")]
    pub form_end: Option<FormEnd>,
    /// How soon the company answers a form. If absent, the form says nothing about it.
    #[serde(rename = "plazoRespuesta")]
    pub answer_time: Option<AnswerTime>,
    /// The questions that the company's form leaves out.
    #[serde(rename = "sinPreguntar")]
    pub left_out: LeftOut,
    /// The legal texts that the company wrote itself.
    pub legal: OwnLegal,
    /// The reminders that the company's clients get.
    #[serde(rename = "recordatorios")]
    pub reminders: ReminderSettings,
    /// The company's own connections.
    #[serde(rename = "conexiones")]
    pub connections: Connections,
    /// The recipients that the company's privacy text names.
    #[serde(rename = "privacidad")]
    pub privacy: Privacy,
    /// How long the company keeps people's data.
    #[serde(rename = "conservacion")]
    pub retention: Retention,
    #[serde(rename = "visitas")]
    pub visits: VisitSettings,
    /// Whether the price level of a province also applies to the prices that the company set itself.
    #[serde(rename = "factorEnPreciosPropios")]
    pub scales_own_prices: bool,
}

impl Settings {
    /// What the end of the form does: what the company chose. If it chose nothing: a signal if a receiver is connected,
    /// otherwise a draft.
    pub fn form_end(&self, is_signal_connected: bool) -> FormEnd {
        let by_connection = if is_signal_connected { FormEnd::Signal } else { FormEnd::Draft };
        self.form_end.unwrap_or(by_connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_program_kept_reads_with_defaults() {
        assert_eq!(serde_json::from_str::<Settings>("{}").expect("it reads"), Settings::default());
        let kept = r#"{"revision":true,"finFormulario":"presupuesto","algoNuevo":1}"#;
        let read = serde_json::from_str::<Settings>(kept).expect("it reads");
        assert_eq!((read.review, read.form_end(true)), (true, FormEnd::Quote));
    }

    #[test]
    fn the_form_ends_by_what_is_connected_unless_the_company_says_so() {
        let none = Settings::default();
        assert_eq!((none.form_end(true), none.form_end(false)), (FormEnd::Signal, FormEnd::Draft));
        let own = Settings { form_end: Some(FormEnd::Nothing), ..none };
        assert_eq!((own.form_end(true), own.form_end(false)), (FormEnd::Nothing, FormEnd::Nothing));
    }
}
