//! The words of the timeline.

use embudo_domain::Timestamp;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::presupuesto::Acceptance;
use embudo_domain::reply::{Reply, ReplyChannel, ReplyState};
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::words::plain;

use crate::panel::kit::choices::{ESTADOS_WA, label_of};

/// The state in words, and its CSS class.
pub(super) fn job_state(state: JobState) -> (&'static str, &'static str) {
    match state {
        JobState::Pending => ("en espera", "ficha-ojo"),
        JobState::Done => ("hecho", "ficha-bien"),
        JobState::Dead => ("fallido", "ficha-mal"),
        JobState::Superseded => ("sustituido", ""),
        JobState::Parked => ("aparcado: no se sabe si llegó", "ficha-ojo"),
        JobState::Discarded => ("descartado", ""),
        JobState::Expired => ("caducado", "ficha-mal"),
    }
}

/// «6.120,00 € con «Mampara»; declaración hecha».
pub(super) fn taken(taken: &Acceptance) -> String {
    let mut text = taken.total.to_string();
    let options: Vec<String> = taken.options.iter().map(|o| format!("«{}»", o.concepto)).collect();
    if !options.is_empty() {
        text.push_str(&format!(" con {}", options.join(", ")));
    }
    if taken.declared {
        text.push_str("; declaración del tipo reducido hecha");
    }
    if taken.early_start {
        text.push_str("; pide empezar antes de 14 días");
    }
    if let Some(by) = &taken.by_phone {
        text.push_str(&format!("; aceptado por teléfono, lo apuntó {}", by.who));
    }
    text
}

/// The heading of an event.
pub(super) fn event(event: &Event) -> &'static str {
    match (event.kind, event.ok) {
        (EventKind::PerfilComplete, _) => "Perfil completo",
        (EventKind::Finalizar, _) => "Se pidió el presupuesto",
        (EventKind::Mensajeria, _) => "Inicio de mensajería",
        (EventKind::MensajeriaWaits, _) => "Pide seguir por mensajería: comprueba el número y escríbele",
        (EventKind::Pdf, _) => "Presupuesto por mensajería",
        (EventKind::ClientMail, _) => "Presupuesto por correo",
        (EventKind::Reminder, _) => "Recordatorio por correo",
        (EventKind::VisitaMail, _) => "Correo de una visita",
        (EventKind::EmpresaMail, _) => "Aviso a la empresa",
        (EventKind::EstadoWa, _) => "Mensajería",
        (EventKind::BotStep, _) => "Paso del asistente",
        (EventKind::Presupuesto, true) => "Presupuesto hecho",
        (EventKind::Presupuesto, false) => "El presupuesto no se pudo hacer",
        (EventKind::Template, _) => "Plantilla propia sin usar",
        (EventKind::Fotos, _) => "Fotos que no se pueden mostrar",
        (EventKind::PresupuestoAccepted, _) => "Presupuesto aceptado",
        (EventKind::PresupuestoRejected, _) => "Presupuesto rechazado",
        (EventKind::AskedVisit, _) => "Pide una visita",
        (EventKind::RightAsked, _) => "Pide algo de sus datos",
        (EventKind::RightGranted, _) => "Atendido lo que pidió de sus datos",
        (EventKind::DeliveredByHand, _) => "Presupuesto entregado a mano",
        (EventKind::Call, _) => "Pide que le llamemos",
        (EventKind::Visita, _) => "Visita",
        (EventKind::OverdueLoop, _) => "Va con retraso",
    }
}

/// The text of an event below its heading. Some events store a code as their text.
pub(super) fn detail(event: Event) -> String {
    let detail = event.detail.unwrap_or_default();
    match event.kind {
        EventKind::OverdueLoop => LoopStep::parse(&detail).map_or(detail, |step| step.label().to_owned()),
        EventKind::EstadoWa => label_of(ESTADOS_WA, &detail).to_owned(),
        EventKind::BotStep => plain(&detail),
        _ => detail,
    }
}

/// Whether the client or a person of the company caused the event, or a person has to act on it.
pub(super) fn is_by_people(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::MensajeriaWaits
            | EventKind::AskedVisit
            | EventKind::DeliveredByHand
            | EventKind::RightAsked
            | EventKind::RightGranted
            | EventKind::Call
            | EventKind::Visita
            | EventKind::OverdueLoop
    )
}

/// The state of a reply in words, and its CSS class.
pub(super) fn reply_state(reply: &Reply, now: Timestamp) -> (&'static str, &'static str) {
    match reply.state(now) {
        ReplyState::Pending => ("pendiente", "ficha-ojo"),
        ReplyState::Sent => ("enviado", "ficha-bien"),
        ReplyState::Handed => {
            ("pendiente: tu automatización lo tiene y aún no lo ha confirmado", "ficha-ojo")
        }
        ReplyState::Unconfirmed => {
            ("El mensaje salió, pero tu automatización no lo ha confirmado", "ficha-ojo")
        }
        ReplyState::Confirmed if reply.channel == ReplyChannel::WhatsApp => {
            ("apuntado como enviado", "ficha-bien")
        }
        ReplyState::Confirmed => ("enviado", "ficha-bien"),
        ReplyState::Prepared => ("preparado, sin enviar", "ficha-ojo"),
        ReplyState::Doubtful => ("no se sabe si llegó", "ficha-ojo"),
        ReplyState::Failed => ("no se pudo enviar", "ficha-mal"),
        ReplyState::Expired => ("caducado: no salió a tiempo", "ficha-mal"),
    }
}

/// The kind of job to which an event belongs.
pub(super) fn job_of(kind: EventKind) -> Option<JobKind> {
    Some(match kind {
        EventKind::PerfilComplete => JobKind::Perfil,
        EventKind::Mensajeria => JobKind::Mensajeria,
        EventKind::Pdf => JobKind::Pdf,
        EventKind::ClientMail => JobKind::ClientMail,
        EventKind::Reminder => JobKind::Reminder,
        EventKind::VisitaMail => JobKind::VisitaMail,
        EventKind::EmpresaMail => JobKind::EmpresaMail,
        EventKind::Presupuesto => JobKind::Presupuesto,
        _ => return None,
    })
}

/// «3 min», «2 h», «4 días».
pub(super) fn span(seconds: i64) -> String {
    match seconds {
        ..60 => "menos de 1 min".to_owned(),
        s @ ..3_600 => format!("{} min", s / 60),
        s @ ..172_800 => format!("{} h", s / 3_600),
        s => format!("{} días", s / 86_400),
    }
}

/// «1 vez», «3 veces».
pub(super) fn times(n: u32) -> String {
    if n == 1 { "1 vez".to_owned() } else { format!("{n} veces") }
}
