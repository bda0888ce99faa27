//! What a client answered to the questions that decide the rate.

use serde::{Deserialize, Serialize};

use crate::columns::stored_words;

enumeration! {
    /// A condition that only the client can confirm.
    Condicion { Vivienda = "vivienda", Particular = "particular", TwoYears = "dos_anos" }
}

enumeration! {
    /// What is known of a condition.
    Answer { Declared = "declarada", Denied = "negada", Unknown = "desconocida" }
}

enumeration! {
    /// Who hires the work.
    Contratante { Particular = "particular", Comunidad = "comunidad", Empresa = "empresa" }
}

stored_words!(Contratante);

labels! {
    Contratante {
        Particular => "Un particular",
        Comunidad => "Una comunidad de vecinos",
        Empresa => "Una empresa o un profesional",
    }
}

impl Contratante {
    /// Whether the law on consumers protects it. A community of owners is one while it acts for no business.
    pub fn is_consumer(self) -> bool {
        self != Self::Empresa
    }
}

/// What the client said of the conditions. Nothing said is nothing known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Condiciones {
    /// The work is done in a dwelling for private use; business premises deny it, and never have the reduced rate.
    pub vivienda: Answer,
    /// Who hires it, where known.
    pub contratante: Option<Contratante>,
    /// The dwelling was finished or last rebuilt at least two years ago.
    #[serde(rename = "dosAnos")]
    pub two_years: Answer,
}

impl Default for Condiciones {
    /// Nothing known.
    fn default() -> Self {
        Self { vivienda: Answer::Unknown, contratante: None, two_years: Answer::Unknown }
    }
}

impl Condiciones {
    pub fn answer(&self, condicion: Condicion) -> Answer {
        match condicion {
            Condicion::Vivienda => self.vivienda,
            Condicion::Particular => match self.contratante {
                None => Answer::Unknown,
                Some(Contratante::Empresa) => Answer::Denied,
                Some(Contratante::Particular | Contratante::Comunidad) => Answer::Declared,
            },
            Condicion::TwoYears => self.two_years,
        }
    }

    /// Whether the client is, or may be, one whom the law on consumers protects.
    pub fn may_be_consumer(&self) -> bool {
        self.contratante.is_none_or(Contratante::is_consumer)
    }
}
