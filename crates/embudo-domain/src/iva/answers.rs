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
    /// Whether consumer law protects them. A community of owners is a consumer as long as it acts for no business.
    pub fn is_consumer(self) -> bool {
        self != Self::Empresa
    }
}

/// What the client said about the conditions. Everything else is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Condiciones {
    /// The work is done in a dwelling for private use. For business premises the answer is `Denied`, so they never have
    /// the reduced rate.
    pub vivienda: Answer,
    /// Who hires the work, where known.
    pub contratante: Option<Contratante>,
    /// The dwelling was finished or last rebuilt at least two years ago.
    #[serde(rename = "dosAnos")]
    pub two_years: Answer,
}

impl Default for Condiciones {
    /// Every answer is unknown.
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

    /// Whether the client is, or may be, protected by consumer law.
    pub fn may_be_consumer(&self) -> bool {
        self.contratante.is_none_or(Contratante::is_consumer)
    }
}
