//! The questions of the form that a company may leave out. A quote can be binding without their answers. If the urgency
//! is unknown, the quote assumes that there is none and says so.

use std::collections::BTreeSet;

enumeration! {
    OptionalQuestion {
        Urgencia = "urgencia",
        /// What the client would like to spend.
        Budget = "presupuesto",
        Tastes = "gustos",
        /// Whether the client wants offers by mail.
        Offers = "comercial",
    }
}

impl OptionalQuestion {
    pub const ALL: [Self; 4] = [Self::Urgencia, Self::Budget, Self::Tastes, Self::Offers];

    /// The label that people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Urgencia => "Para cuándo",
            Self::Budget => "Si tiene una cifra en mente",
            Self::Tastes => "Cómo se lo imagina",
            Self::Offers => "Si quiere recibir ofertas por correo",
        }
    }
}

/// The questions that a company leaves out.
pub type LeftOut = BTreeSet<OptionalQuestion>;
