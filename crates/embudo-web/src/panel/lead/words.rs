//! How the panel words what the business knows by codes.

use embudo_domain::Zona;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::intento::{Channel, JobOutcome};
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::presupuesto::{Acceptance, DeliveryChannel, DeliveryState, PresupuestoState};
use embudo_domain::watched_loop::LoopStep;

/// A code and what people read for it.
pub(in crate::panel) type Choice = (&'static str, &'static str);

pub(in crate::panel) const ZONAS: &[Choice] = &[
    ("cocina", "Cocina"),
    ("bano", "Baño"),
    ("salon", "Salón"),
    ("comedor", "Comedor"),
    ("integral", "Vivienda completa"),
    ("otro", "Otra estancia"),
];
pub(in crate::panel) const CALIDADES: &[Choice] =
    &[("basica", "Básica"), ("media", "Media"), ("premium", "Premium")];
pub(in crate::panel) const URGENCIAS: &[Choice] = &[("alta", "Alta"), ("media", "Media"), ("baja", "Baja")];
pub(in crate::panel) const CONTRATANTES: &[Choice] = &[
    ("particular", "Un particular"),
    ("comunidad", "Una comunidad de vecinos"),
    ("empresa", "Una empresa o un profesional"),
];
pub(in crate::panel) const CANALES: &[Choice] = &[
    ("formulario_web", "Formulario web"),
    ("messaging", "Mensajería"),
    ("llamada", "Llamada"),
    ("referido", "Recomendación"),
    ("anuncio", "Anuncio"),
];
pub(in crate::panel) const ESTADOS_WA: &[Choice] = &[
    ("sin_enviar", "Sin enviar"),
    ("enviado", "Enviado"),
    ("entregado", "Entregado"),
    ("leido", "Leído"),
    ("fallido", "Fallido"),
];
pub(in crate::panel) const YES_NO: &[Choice] = &[("si", "Sí"), ("no", "No")];
pub(in crate::panel) const RESULTS: &[Choice] = &[
    ("exitoso", "Hablamos"),
    ("no_contesta", "No contesta"),
    ("ocupado", "Comunica"),
    ("rechaza", "Rechaza la llamada"),
    ("error_tecnico", "Fallo técnico"),
];
pub(in crate::panel) const MOMENTOS: &[Choice] = &[("antes", "Antes"), ("despues", "Después")];

/// What people read for a code; the code itself where there is no word for it.
pub(in crate::panel) fn said<'a>(choices: &'a [Choice], code: &'a str) -> &'a str {
    choices.iter().find(|(of, _)| *of == code).map_or(code, |(_, word)| word)
}

pub(in crate::panel) fn zona(zona: Zona) -> &'static str {
    said(ZONAS, zona.as_str())
}

pub(in crate::panel) fn channel(channel: Channel) -> &'static str {
    match channel {
        Channel::Form => "Formulario",
        Channel::Messaging => "Mensaje",
        Channel::Call => "Llamada",
    }
}

pub(in crate::panel) fn result(result: JobOutcome) -> &'static str {
    said(RESULTS, result.as_str())
}

pub(in crate::panel) fn job(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Perfil => "Señal: perfil completo",
        JobKind::Mensajeria => "Señal: iniciar mensajería",
        JobKind::Pdf => "Señal: presupuesto en PDF",
        JobKind::ClientMail => "Correo al cliente con el presupuesto",
        JobKind::EmpresaMail => "Aviso por correo a la empresa",
        JobKind::Presupuesto => "Presupuesto: cálculo y PDF",
        JobKind::FormNotice => "Aviso por correo del formulario",
        JobKind::PersonNotice => "Aviso por correo a una persona",
        JobKind::Reminder => "Recordatorio por correo al cliente",
        JobKind::VisitaMail => "Correo de una visita",
    }
}

/// In words, and how it looks.
pub(in crate::panel) fn job_state(state: JobState) -> (&'static str, &'static str) {
    match state {
        JobState::Pending => ("en espera", "ficha-ojo"),
        JobState::Done => ("hecho", "ficha-bien"),
        JobState::Dead => ("fallido", "ficha-mal"),
        JobState::Superseded => ("sustituido", ""),
        JobState::Parked => ("aparcado: no se sabe si llegó", "ficha-ojo"),
        JobState::Discarded => ("descartado", ""),
    }
}

pub(in crate::panel) fn quote_state(state: PresupuestoState) -> (&'static str, &'static str) {
    match state {
        PresupuestoState::Borrador => ("preparándose", "ficha-ojo"),
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
        DeliveryState::Simulated => ("simulado, sin configurar", ""),
        DeliveryState::Failed => ("no llegó", "ficha-mal"),
        DeliveryState::Doubtful => ("no se sabe si llegó", "ficha-ojo"),
    };
    (format!("{by}: {how}"), class)
}

pub(in crate::panel) fn step(step: LoopStep) -> &'static str {
    match step {
        LoopStep::AwaitingRenders => "esperando renders",
        LoopStep::AwaitingFinalizar => "esperando finalizar",
    }
}

/// «6.120,00 € con «Mampara»; declaración hecha».
pub(in crate::panel) fn taken(taken: &Acceptance) -> String {
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
    text
}

/// What happened, as a heading.
pub(in crate::panel) fn event(event: &Event) -> &'static str {
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
        (EventKind::BotStep, _) => "Paso del bot",
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

/// What kind of job an event tells of.
pub(in crate::panel) fn job_of(kind: EventKind) -> Option<JobKind> {
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
pub(in crate::panel) fn span(seconds: i64) -> String {
    match seconds {
        ..60 => "menos de 1 min".to_owned(),
        s @ ..3_600 => format!("{} min", s / 60),
        s @ ..172_800 => format!("{} h", s / 3_600),
        s => format!("{} días", s / 86_400),
    }
}

/// «1 vez», «3 veces».
pub(in crate::panel) fn times(n: u32) -> String {
    if n == 1 { "1 vez".to_owned() } else { format!("{n} veces") }
}
