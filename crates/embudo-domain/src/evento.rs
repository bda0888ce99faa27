//! What happened to a lead, in order; appended, never edited.

use jiff::Timestamp;

enumeracion! {
    /// The kind of an event.
    TipoEvento {
        /// `perfilCompleto` was asked for.
        PerfilCompleto = "perfil_completo",
        /// `finalizar` was asked for.
        Finalizar = "finalizar",
        /// The lead chose to go on by messaging.
        Mensajeria = "mensajeria",
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evento {
    /// What kind.
    pub tipo: TipoEvento,
    /// Nothing left the house because nothing is configured.
    pub simulado: bool,
    /// Whether it went well.
    pub ok: bool,
    /// Words for a person, without personal data.
    pub detalle: Option<String>,
    /// When.
    pub creado_en: Timestamp,
}
