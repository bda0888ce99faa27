//! What happened to a lead, in order; appended, never edited.

use jiff::Timestamp;

enumeration! {
    EventKind {
        PerfilComplete = "perfil_completo",
        /// `finalizar` was asked for.
        Finalizar = "finalizar",
        /// The lead chose to go on by messaging: the signal that starts the conversation.
        Mensajeria = "mensajeria",
        /// The lead chose to go on by messaging, but to a corrected number or once too often, so a person looks at it
        /// first.
        MensajeriaWaits = "mensajeria_en_espera",
        /// The signal that carries the quote.
        Pdf = "pdf",
        /// The mail with the quote.
        ClientMail = "correo_cliente",
        /// A reminder about a quote, or about a form that was left.
        Reminder = "recordatorio",
        /// A mail to the client about a visit.
        VisitaMail = "correo_visita",
        EmpresaMail = "correo_empresa",
        /// `estado_wa` was given a value; `detail` is that value.
        EstadoWa = "estado_wa",
        /// `bot_step` was given a value; `detail` is that value.
        BotStep = "bot_step",
        /// A quote was made, or could not be; `detail` is its number or the reason.
        Presupuesto = "presupuesto",
        /// The company's own template was not used; `detail` says why.
        Template = "plantilla",
        /// Photos were left out of a quote because they cannot be shown; `detail` says which and why.
        Fotos = "fotos",
        /// The client accepted a quote; `detail` is its number.
        PresupuestoAccepted = "presupuesto_aceptado",
        /// The client declined a quote; `detail` is its number.
        PresupuestoRejected = "presupuesto_rechazado",
        /// The client asked for a visit on an orientative quote; `detail` is its number.
        AskedVisit = "visita_pedida",
        /// A person gave the client a quote by hand; `detail` is its number.
        DeliveredByHand = "entregado_a_mano",
        /// The client asked for a copy of their data, or that it be erased; `detail` says which.
        RightAsked = "derecho_pedido",
        /// A person says that this request was fulfilled; `detail` says which request.
        RightGranted = "derecho_atendido",
        /// The client asked to be called.
        Call = "llamada",
        /// A visit was proposed, agreed, moved, cancelled or made; `detail` says which and when.
        Visita = "visita",
        /// A step of the loop is overdue; `detail` is the step.
        OverdueLoop = "bucle_vencido",
    }
}

impl EventKind {
    /// Whether the client has moved on from merely waiting: after such an event no reminder about a quote is sent.
    pub fn ends_waiting(self) -> bool {
        matches!(
            self,
            Self::Call
                | Self::AskedVisit
                | Self::Visita
                | Self::Mensajeria
                | Self::MensajeriaWaits
                | Self::RightAsked
        )
    }
}

/// One event. Changes of `estado_wa` and `bot_step` are kept in their own history and read as events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// Whether nothing was sent because no receiver is configured.
    pub simulated: bool,
    /// Whether what the event reports succeeded.
    pub ok: bool,
    /// Words for a person, without personal data.
    pub detail: Option<String>,
    pub creado_en: Timestamp,
}

impl Event {
    /// The work that a profile signal asks for arrived while the signal still waited for another attempt.
    pub fn signal_answered(at: Timestamp) -> Self {
        Self {
            kind: EventKind::PerfilComplete,
            simulated: false,
            ok: true,
            detail: Some("lo que pedía la señal ya ha llegado; no se repite".to_owned()),
            creado_en: at,
        }
    }
}
