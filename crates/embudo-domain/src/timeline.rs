//! Everything that happened with a lead, in order of time.

use jiff::Timestamp;

use crate::consentimiento::Consentimiento;
use crate::event::Event;
use crate::ingesta::Momento;
use crate::job::{Delivery, JobKind, JobState};
use crate::nota::{Nota, NotaInterna};
use crate::presupuesto::{Acceptance, PresupuestoNumber, PresupuestoSummary};
use crate::record::{StateChange, StoredIntento, StoredTurno};
use crate::reply::Reply;
use crate::{JobId, LeadId, Zona};

enumeration! {
    /// The kind of a moment. Moments of the same instant are sorted in this order.
    MomentKind {
        Turno = "conversacion",
        /// What people wrote to the client. Once the workflow records a reply as a turn, the timeline shows the reply,
        /// with its author, instead of that turn.
        Reply = "mensajes",
        Nota = "notas",
        NotaInterna = "internas",
        Fotos = "fotos",
        Intento = "intentos",
        Job = "envios",
        Event = "sucesos",
        State = "estados",
        Presupuesto = "presupuestos",
        Answer = "respuestas",
        Consentimiento = "consentimientos",
    }
}

impl MomentKind {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.iter().filter_map(|word| Self::parse(word))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Moment {
    Turno(StoredTurno),
    Reply(Reply),
    Nota(Nota),
    NotaInterna(NotaInterna),
    Fotos(FotoGroup),
    Intento(StoredIntento),
    Job(SentJob),
    Event(Event),
    State(StateChange),
    Presupuesto(Box<PresupuestoSummary>),
    Answer(QuoteAnswer),
    Consentimiento(Consentimiento),
}

impl Moment {
    pub fn kind(&self) -> MomentKind {
        match self {
            Self::Turno(_) => MomentKind::Turno,
            Self::Reply(_) => MomentKind::Reply,
            Self::Nota(_) => MomentKind::Nota,
            Self::NotaInterna(_) => MomentKind::NotaInterna,
            Self::Fotos(_) => MomentKind::Fotos,
            Self::Intento(_) => MomentKind::Intento,
            Self::Job(_) => MomentKind::Job,
            Self::Event(_) => MomentKind::Event,
            Self::State(_) => MomentKind::State,
            Self::Presupuesto(_) => MomentKind::Presupuesto,
            Self::Answer(_) => MomentKind::Answer,
            Self::Consentimiento(_) => MomentKind::Consentimiento,
        }
    }

    pub fn at(&self) -> Timestamp {
        match self {
            Self::Turno(turno) => turno.creado_en,
            Self::Reply(reply) => reply.creado_en,
            Self::Nota(nota) => nota.creada_en,
            Self::NotaInterna(nota) => nota.creada_en,
            Self::Fotos(group) => group.creada_en,
            Self::Intento(intento) => intento.creado_en,
            Self::Job(job) => job.creado_en,
            Self::Event(event) => event.creado_en,
            Self::State(change) => change.creado_en,
            Self::Presupuesto(quote) => quote.creado_en,
            Self::Answer(answer) => answer.at,
            Self::Consentimiento(consent) => consent.otorgado_en.unwrap_or(Timestamp::UNIX_EPOCH),
        }
    }
}

/// Photos that arrived together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FotoGroup {
    pub zona: Zona,
    pub momento: Momento,
    pub how_many: u32,
    pub creada_en: Timestamp,
}

/// A job as its lead's timeline shows it: without the content that it sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentJob {
    pub id: JobId,
    pub kind: JobKind,
    pub state: JobState,
    /// Attempts that have ended.
    pub intentos: u32,
    /// When the next attempt is due.
    pub proximo_en: Timestamp,
    pub ultimo_error: Option<String>,
    pub creado_en: Timestamp,
    pub terminado_en: Option<Timestamp>,
    /// Its last attempts, in order.
    pub deliveries: Vec<Delivery>,
}

/// A client's answer to a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteAnswer {
    pub number: PresupuestoNumber,
    pub accepted: bool,
    /// Why, in the client's words.
    pub reason: Option<String>,
    /// What they accepted, if they did.
    pub acceptance: Option<Acceptance>,
    pub at: Timestamp,
}

/// A position on the timeline of one or several leads: after the first `skip` moments of this kind and lead at this
/// instant, and after all moments of this instant whose kind comes before, or whose kind is the same and whose lead
/// comes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineCursor {
    pub at: Timestamp,
    pub kind: MomentKind,
    pub lead: LeadId,
    pub skip: u32,
}

impl TimelineCursor {
    /// What is left of a kind and a lead after this position: whether moments at exactly this instant are left, and how
    /// many of them were already seen.
    pub fn rest_of(self, kind: MomentKind, lead: LeadId) -> (bool, u32) {
        match (kind, lead).cmp(&(self.kind, self.lead)) {
            std::cmp::Ordering::Less => (false, 0),
            std::cmp::Ordering::Equal => (true, self.skip),
            std::cmp::Ordering::Greater => (true, 0),
        }
    }
}

impl std::fmt::Display for TimelineCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}.{}", self.at.as_microsecond(), self.kind, self.lead, self.skip)
    }
}

impl std::str::FromStr for TimelineCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('.');
        let (Some(at), Some(kind), Some(lead), Some(skip), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(());
        };
        let at = at.parse().ok().and_then(|micros| Timestamp::from_microsecond(micros).ok()).ok_or(())?;
        let (kind, lead) = (MomentKind::parse(kind).ok_or(())?, LeadId::parse(lead).ok_or(())?);
        Ok(Self { at, kind, lead, skip: skip.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_and_nothing_else_does() {
        let lead = |n| LeadId(uuid::Uuid::from_u128(n));
        let place =
            TimelineCursor { at: Timestamp::UNIX_EPOCH, kind: MomentKind::Fotos, lead: lead(5), skip: 2 };
        assert_eq!(place.to_string().parse(), Ok(place));
        assert_eq!(place.rest_of(MomentKind::Turno, lead(9)), (false, 0));
        assert_eq!(place.rest_of(MomentKind::Fotos, lead(4)), (false, 0));
        assert_eq!(place.rest_of(MomentKind::Fotos, lead(5)), (true, 2));
        assert_eq!(place.rest_of(MomentKind::Fotos, lead(6)), (true, 0));
        assert_eq!(place.rest_of(MomentKind::Job, lead(1)), (true, 0));
        let id = lead(5);
        for wrong in [
            "",
            "1",
            "1.fotos.1",
            &format!("1.fotos.{id}"),
            &format!("1.fotos.{id}.x"),
            &format!("1.fotos.{id}.1.1"),
            &format!("x.fotos.{id}.1"),
            &format!("9999999999999999999.fotos.{id}.1"),
            "1.fotos.5.1",
        ] {
            assert_eq!(wrong.parse::<TimelineCursor>(), Err(()), "{wrong}");
        }
    }
}
