//! How a company wants to work. Kept as one JSON text per company; a field that an older program did not know reads as
//! its default.

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
        /// As `perfilCompleto`: the outside workflow gets the signal.
        Signal = "senal",
        /// A quote is drafted, and the company told.
        Draft = "borrador",
        /// As `finalizar`.
        Quote = "presupuesto",
        /// The company gets a notice, and nothing else happens.
        Nothing = "nada",
    }
}

enumeration! {
    /// Within how long a company answers, as its form says.
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
    /// Whether `finalizar` drafts for a person to look at instead of sending at once.
    #[serde(rename = "revision")]
    pub review: bool,
    /// By what is connected, where absent ([`Self::form_end`]).
    #[serde(rename = "finFormulario")]
    pub form_end: Option<FormEnd>,
    /// Within how long it answers a form; absent: the form says nothing of it.
    #[serde(rename = "plazoRespuesta")]
    pub answer_time: Option<AnswerTime>,
    /// What its form does not ask.
    #[serde(rename = "sinPreguntar")]
    pub left_out: LeftOut,
    /// The legal texts that it wrote itself.
    pub legal: OwnLegal,
    /// Which reminders its clients get.
    #[serde(rename = "recordatorios")]
    pub reminders: ReminderSettings,
    /// What it connects itself.
    #[serde(rename = "conexiones")]
    pub connections: Connections,
    /// Who its privacy text names.
    #[serde(rename = "privacidad")]
    pub privacy: Privacy,
    /// How long it keeps what it knows of people.
    #[serde(rename = "conservacion")]
    pub retention: Retention,
    #[serde(rename = "visitas")]
    pub visits: VisitSettings,
    /// Whether the price level of a province also moves the prices that the company set itself.
    #[serde(rename = "factorEnPreciosPropios")]
    pub scales_own_prices: bool,
}

impl Settings {
    /// What the end of the form does: as the company wants it, else a signal where somebody receives it, else a draft.
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
