//! Short labels for the state of leads, quotes and other objects, and the CSS class of each label.

use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::ActionKind;
use embudo_domain::presupuesto::{DeliveryChannel, DeliveryState, PresupuestoState};
use embudo_domain::visita::VisitaState;

/// The CSS class of an etapa.
pub(in crate::panel) fn etapa_tone(etapa: Etapa) -> &'static str {
    match etapa {
        Etapa::Nuevo | Etapa::PorRevisar => "ficha-ojo",
        Etapa::Aceptado | Etapa::Visita | Etapa::EnObra => "ficha-bien",
        Etapa::Perdido => "ficha-mal",
        _ => "",
    }
}

pub(in crate::panel) fn action_label(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::ByHand => "Pendiente",
        ActionKind::Right => "Atender sus datos",
        ActionKind::Call => "Llamar",
        ActionKind::AskedVisit => "Visita pedida",
        ActionKind::Answer => "Responder",
        ActionKind::Review => "Revisar presupuesto",
        ActionKind::Contact => "Contactar",
        ActionKind::Loop => "Mirar el circuito",
        ActionKind::Chase => "Insistir",
        ActionKind::PlanWork => "Planificar la obra",
        ActionKind::WaitVisit => "Esperando la visita",
        ActionKind::WaitWork => "Esperando la obra",
        ActionKind::WaitRenders => "Esperando los renders",
        ActionKind::WaitClient => "Esperando al cliente",
        ActionKind::WaitBot => "Esperando al asistente",
    }
}

pub(in crate::panel) fn quote_state(state: PresupuestoState) -> (&'static str, &'static str) {
    match state {
        PresupuestoState::Preparing => ("preparándose", "ficha-ojo"),
        PresupuestoState::Emitido => ("emitido", "ficha-info"),
        PresupuestoState::Aceptado => ("aceptado", "ficha-bien"),
        PresupuestoState::Rechazado => ("rechazado", "ficha-mal"),
        PresupuestoState::Superseded => ("sustituido", ""),
    }
}

pub(in crate::panel) fn delivery(channel: DeliveryChannel, state: DeliveryState) -> (String, &'static str) {
    let by = match channel {
        DeliveryChannel::Email => "Correo",
        DeliveryChannel::Messaging => "Mensajería",
    };
    let (how, class) = match state {
        DeliveryState::Pending => ("en camino", "ficha-ojo"),
        DeliveryState::Delivered => ("entregado", "ficha-bien"),
        DeliveryState::Simulated => ("sin enviar: falta conectarlo", ""),
        DeliveryState::Failed => ("no llegó", "ficha-mal"),
        DeliveryState::Doubtful => ("no se sabe si llegó", "ficha-ojo"),
    };
    (format!("{by}: {how}"), class)
}

pub(in crate::panel) fn visita_state(state: VisitaState) -> (&'static str, &'static str) {
    let class = match state {
        VisitaState::Propuesta => "ficha-ojo",
        VisitaState::Confirmada | VisitaState::Realizada => "ficha-bien",
        VisitaState::NoPresentado => "ficha-mal",
        VisitaState::Cancelada => "",
    };
    (state.label(), class)
}
