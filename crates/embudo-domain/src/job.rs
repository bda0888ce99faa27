//! A job: something that must be sent, kept until it has been sent (contract §4).

use jiff::{SignedDuration, Timestamp};

use crate::{EmpresaId, JobId, LeadId};

enumeration! {
    /// What a job sends.
    JobKind {
        Perfil = "perfil",
        /// The signal that starts a conversation.
        Mensajeria = "mensajeria",
        /// The signal that carries the quote.
        Pdf = "pdf",
        /// The mail with the quote, to the client.
        ClientMail = "correo_cliente",
        EmpresaMail = "correo_empresa",
        /// The quote itself: this job prices, draws and stores it, and then makes the jobs that deliver it.
        Presupuesto = "presupuesto",
        /// The mail to the company about a form: when it is complete, or when it was left half done.
        FormNotice = "aviso_formulario",
        /// A notice in the mail of one person who chose it.
        PersonNotice = "aviso_persona",
        /// The mail to the client that says that their form arrived.
        FormReceipt = "acuse_formulario",
        /// A reminder to the client, about a quote or a form that was left.
        Reminder = "recordatorio",
        /// A mail about a visit, to the client or to a person who goes there.
        VisitaMail = "correo_visita",
        /// What a person wrote, for the workflow that sends it by messaging.
        Reply = "respuesta",
        /// What a person wrote, by mail.
        ReplyMail = "correo_respuesta",
        /// What a client accepted: drawn and stored, then handed to its mail.
        Acceptance = "aceptacion",
        /// The mail with what a client accepted, to the client.
        AcceptanceMail = "correo_aceptacion",
        /// A notice on one device of a person who chose it.
        PushNotice = "aviso_dispositivo",
        /// Something that happened, for a company's own workflows.
        Event = "evento",
    }
}

impl JobKind {
    pub const ALL: [Self; 17] = [
        Self::Perfil,
        Self::Mensajeria,
        Self::Pdf,
        Self::ClientMail,
        Self::EmpresaMail,
        Self::Presupuesto,
        Self::FormNotice,
        Self::PersonNotice,
        Self::FormReceipt,
        Self::Reminder,
        Self::VisitaMail,
        Self::Reply,
        Self::ReplyMail,
        Self::Acceptance,
        Self::AcceptanceMail,
        Self::PushNotice,
        Self::Event,
    ];

    /// Whether the job goes by SMTP. Then it may stay unknown whether an attempt succeeded.
    pub fn is_mail(self) -> bool {
        matches!(
            self,
            Self::ClientMail
                | Self::FormReceipt
                | Self::Reminder
                | Self::VisitaMail
                | Self::ReplyMail
                | Self::AcceptanceMail
        ) || (self.is_notice() && self != Self::PushNotice)
    }

    /// Whether the job is a notice to the company or its people. A notice is made only if somebody wants it.
    pub fn is_notice(self) -> bool {
        matches!(self, Self::EmpresaMail | Self::FormNotice | Self::PersonNotice | Self::PushNotice)
    }

    /// The destination of the job, which can be paused. `None`: the job sends nothing outside, or each job has its own
    /// device.
    pub fn destination(self) -> Option<Destination> {
        match self {
            Self::Perfil => Some(Destination::Perfil),
            Self::Mensajeria => Some(Destination::Mensajeria),
            Self::Pdf => Some(Destination::Pdf),
            Self::ClientMail
            | Self::FormReceipt
            | Self::Reminder
            | Self::EmpresaMail
            | Self::FormNotice
            | Self::PersonNotice
            | Self::VisitaMail
            | Self::ReplyMail
            | Self::AcceptanceMail => Some(Destination::Mail),
            Self::Reply => Some(Destination::Reply),
            Self::Event => Some(Destination::Events),
            Self::Presupuesto | Self::Acceptance | Self::PushNotice => None,
        }
    }

    /// The label that people read.
    pub fn label(self) -> &'static str {
        match self {
            Self::Perfil => "Señal de perfil",
            Self::Mensajeria => "Inicio de conversación",
            Self::Pdf => "Presupuesto por mensajería",
            Self::ClientMail => "Correo al cliente",
            Self::EmpresaMail => "Aviso a la empresa",
            Self::Presupuesto => "Preparación del presupuesto",
            Self::FormNotice => "Aviso de formulario",
            Self::PersonNotice => "Aviso a una persona",
            Self::FormReceipt => "Acuse al cliente",
            Self::Reminder => "Recordatorio al cliente",
            Self::VisitaMail => "Correo de una visita",
            Self::Reply => "Respuesta por mensajería",
            Self::ReplyMail => "Respuesta por correo",
            Self::Acceptance => "PDF de lo aceptado",
            Self::AcceptanceMail => "Correo con lo aceptado",
            Self::PushNotice => "Aviso en un dispositivo",
            Self::Event => "Evento",
        }
    }

    /// Whether a newer job of the same kind and lead makes an older pending job pointless.
    pub fn is_superseded_by_newer(self) -> bool {
        match self {
            Self::Perfil
            | Self::Pdf
            | Self::ClientMail
            | Self::Presupuesto
            | Self::FormNotice
            | Self::FormReceipt
            | Self::Reminder => true,
            Self::Mensajeria
            | Self::EmpresaMail
            | Self::PersonNotice
            | Self::VisitaMail
            | Self::Reply
            | Self::ReplyMail
            | Self::Acceptance
            | Self::AcceptanceMail
            | Self::PushNotice
            | Self::Event => false,
        }
    }
}

enumeration! {
    /// The state of a job. In all states but the first the job has ended; a person may start it again.
    JobState {
        /// To be sent, now or later.
        Pending = "pendiente",
        Done = "hecho",
        /// Given up after the last attempt, or refused for good; can be replayed.
        Dead = "muerto",
        /// A newer job of the same kind and lead took its place.
        Superseded = "sustituido",
        /// A mail that may or may not have been accepted; a person decides.
        Parked = "aparcado",
        /// It need not be sent: a person said so, or nobody wants it any more.
        Discarded = "descartado",
        /// It came too late to be worth sending.
        Expired = "caducado",
    }
}

enumeration! {
    /// A receiver that can be paused, company by company: one of the webhooks, or the mail server.
    Destination {
        Perfil = "perfil",
        Mensajeria = "mensajeria",
        Pdf = "pdf",
        /// Replies that people write, by messaging.
        Reply = "respuesta",
        /// Events of leads, for a company's own workflows.
        Events = "eventos",
        Mail = "correo",
    }
}

impl Destination {
    pub const ALL: [Self; 6] =
        [Self::Perfil, Self::Mensajeria, Self::Pdf, Self::Reply, Self::Events, Self::Mail];

    /// The label that people read.
    pub fn label(self) -> &'static str {
        match self {
            Self::Perfil => "Señales de perfil",
            Self::Mensajeria => "Inicio de conversaciones",
            Self::Pdf => "Presupuestos por mensajería",
            Self::Reply => "Respuestas por mensajería",
            Self::Events => "Eventos",
            Self::Mail => "Correo",
        }
    }

    /// The settings of the server without which nothing is sent there.
    pub fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Perfil => &["PERFIL_WEBHOOK_URL"],
            Self::Mensajeria => &["MESSAGING_START_WEBHOOK_URL"],
            Self::Pdf => &["MESSAGING_WEBHOOK_URL"],
            Self::Reply => &["MESSAGING_REPLY_WEBHOOK_URL"],
            Self::Events => &["EVENTS_WEBHOOK_URL"],
            Self::Mail => &["SMTP_HOST", "EMAIL_FROM"],
        }
    }

    /// The kinds of job that go there.
    pub fn kinds(self) -> Vec<JobKind> {
        JobKind::ALL.into_iter().filter(|kind| kind.destination() == Some(self)).collect()
    }
}

enumeration! {
    /// The state of a job as the outbox shows it. A pending job shows why it is not done yet. All other states are
    /// those of [`JobState`], with the same words.
    JobStanding {
        /// To be tried for the first time.
        Waiting = "en_espera",
        /// A process is trying it.
        Running = "enviando",
        /// An attempt failed, and another follows.
        Failing = "reintentando",
        /// Its destination is paused.
        Paused = "en_pausa",
        Dead = "muerto",
        Parked = "aparcado",
        Done = "hecho",
        Superseded = "sustituido",
        Discarded = "descartado",
        Expired = "caducado",
    }
}

impl JobStanding {
    /// Whether the job is pending.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Failing | Self::Paused)
    }
}

/// The due time of a job that is held because its destination is paused: it is never due until the destination is
/// resumed.
pub const HELD: Timestamp = Timestamp::constant(253_370_764_800, 0);

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id; also the `webhook-id` or the root of the `Message-ID` of every attempt.
    pub id: JobId,
    pub lead: LeadId,
    /// The lead's company.
    pub empresa: EmpresaId,
    pub kind: JobKind,
    /// Field values and photo ids as JSON text, fixed when the job was made.
    pub payload: String,
    pub state: JobState,
    /// Attempts that have ended.
    pub intentos: u32,
    /// When the next attempt is due.
    pub proximo_en: Timestamp,
    /// A mail was handed to the server, and the outcome was never recorded.
    pub en_duda: bool,
    /// How the last failed attempt ended.
    pub ultimo_error: Option<String>,
    /// When it was made.
    pub creado_en: Timestamp,
    pub terminado_en: Option<Timestamp>,
    /// The earlier job that a person sent again as this job.
    pub repeats: Option<JobId>,
}

impl Job {
    /// Whether it waits for its destination to be resumed.
    pub fn is_held(&self) -> bool {
        self.state == JobState::Pending && self.proximo_en >= HELD
    }

    /// The job after a person asked for another attempt. A job that had ended starts over with the whole schedule; a
    /// pending job is only made due now.
    pub fn tried_again(self, at: Timestamp) -> Self {
        match self.state {
            JobState::Pending => Self { proximo_en: at, ..self },
            _ => Self {
                state: JobState::Pending,
                intentos: 0,
                proximo_en: at,
                en_duda: false,
                terminado_en: None,
                ..self
            },
        }
    }
}

/// One attempt, for the delivery log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub start: Timestamp,
    /// How long it took, in milliseconds.
    pub duracion_ms: i64,
    /// Whether the receiver accepted the attempt.
    pub ok: bool,
    /// HTTP status or SMTP code, if there was an answer.
    pub status: Option<u16>,
    pub error: Option<String>,
    /// The beginning of what was answered.
    pub answer: Option<String>,
}

/// Waits after the first, second, … failed attempt: the Standard Webhooks schedule, with two early steps for a receiver
/// that is only away for a moment.
pub const WAITS: [SignedDuration; 11] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(15),
    SignedDuration::from_secs(60),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];

/// The longest `Retry-After` that is honoured.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// How long to wait after this number of failed attempts; `None` after the last attempt.
///
/// `random` (0 to 1) makes each wait longer by up to a tenth. Without this, all waiting jobs would reach a recovered
/// receiver at the same time. A receiver's `Retry-After` can only make the wait longer.
pub fn wait(failed: u32, random: f64, retry_after: Option<SignedDuration>) -> Option<SignedDuration> {
    let base = *WAITS.get((failed as usize).checked_sub(1)?)?;
    let spread =
        base + SignedDuration::from_millis((base.as_millis() as f64 * 0.1 * random.clamp(0.0, 1.0)) as i64);
    Some(retry_after.map_or(spread, |r| spread.max(r.min(MAX_RETRY_AFTER))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_waits_then_it_is_dead() {
        let secs: Vec<i64> = (1..=11).map(|n| wait(n, 0.0, None).expect("a wait").as_secs()).collect();
        let [min, h] = [60, 3600];
        assert_eq!(
            secs,
            [5, 15, 60, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h],
            "contract §4"
        );
        assert_eq!(wait(12, 0.0, None), None);
    }

    #[test]
    fn jitter_adds_at_most_a_tenth() {
        assert_eq!(wait(4, 1.0, None), Some(SignedDuration::from_secs(330)));
        assert_eq!(wait(4, 0.5, None), Some(SignedDuration::from_secs(315)));
    }

    #[test]
    fn retry_after_can_only_make_it_longer() {
        let hour = SignedDuration::from_hours(1);
        assert_eq!(wait(1, 0.0, Some(hour)), Some(hour));
        assert_eq!(wait(6, 0.0, Some(hour)), Some(SignedDuration::from_hours(2)));
        assert_eq!(wait(1, 0.0, Some(hour * 1000)), Some(MAX_RETRY_AFTER));
    }
}
