//! The questions of the form that a company may leave out: those that decide neither price nor tax.

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

    /// What it asks, for people.
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
