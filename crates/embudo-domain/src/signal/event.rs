//! Events (contract §4): what happened to a lead, for a company's own workflows. They contain only ids, times and
//! amounts; everything else is in the lead's record.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::money::Cents;
use crate::presupuesto::PresupuestoNumber;
use crate::visita::{Visita, VisitaState};
use crate::{EmpresaId, JobId, LeadId, VisitaId};

enumeration! {
    /// What an event reports.
    EventTopic {
        /// A new lead, however it came. Leads that are imported from elsewhere do not count.
        LeadCreated = "lead.creado",
        /// The client asked to be called.
        CallAsked = "llamada.pedida",
        /// A quote was drawn, stored and handed to its deliveries.
        QuoteSent = "presupuesto.enviado",
        QuoteAccepted = "presupuesto.aceptado",
        QuoteRejected = "presupuesto.rechazado",
        /// A visit has a fixed time.
        VisitAgreed = "visita.acordada",
        /// A visit has another time.
        VisitMoved = "visita.movida",
        VisitDone = "visita.hecha",
    }
}

/// An event to be sent. Its lead and company are filled in when it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEvent {
    pub topic: EventTopic,
    pub data: EventData,
}

/// The content of an event besides its lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum EventData {
    Nothing {},
    Quote {
        #[serde(rename = "numero")]
        number: PresupuestoNumber,
        /// Tax included; for an accepted quote, with the options that the client chose.
        #[serde(rename = "totalCents")]
        total: Cents,
    },
    Visit {
        #[serde(rename = "visitaId")]
        visita: VisitaId,
        #[serde(rename = "inicio", serialize_with = "as_text")]
        start: Timestamp,
        #[serde(rename = "minutos")]
        minutes: u32,
    },
}

/// The body of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventSignal {
    /// Its own id, also its `webhook-id`.
    pub id: JobId,
    #[serde(rename = "tipo")]
    pub topic: EventTopic,
    #[serde(rename = "creadoEn", serialize_with = "as_text")]
    pub at: Timestamp,
    /// The lead's company.
    #[serde(rename = "tenant")]
    pub empresa: EmpresaId,
    pub lead_id: LeadId,
    #[serde(rename = "datos")]
    pub data: EventData,
}

impl NewEvent {
    /// An event without content besides its lead.
    pub fn plain(topic: EventTopic) -> Self {
        Self { topic, data: EventData::Nothing {} }
    }

    pub fn of_quote(topic: EventTopic, number: PresupuestoNumber, total: Cents) -> Self {
        Self { topic, data: EventData::Quote { number, total } }
    }

    /// The event of a change of a visit, if there is one: a time was agreed or moved, or a visit that took place was
    /// closed.
    pub fn of_visit(before: Option<&Visita>, after: &Visita) -> Option<Self> {
        let state = before.map(|visita| visita.state);
        let topic = match after.state {
            VisitaState::Confirmada if state != Some(VisitaState::Confirmada) => EventTopic::VisitAgreed,
            VisitaState::Confirmada if before.is_some_and(|b| b.start != after.start) => {
                EventTopic::VisitMoved
            }
            VisitaState::Realizada if state != Some(VisitaState::Realizada) => EventTopic::VisitDone,
            _ => return None,
        };
        let data = EventData::Visit { visita: after.id, start: after.start?, minutes: after.minutes };
        Some(Self { topic, data })
    }

    pub fn signal(self, id: JobId, empresa: EmpresaId, lead_id: LeadId, at: Timestamp) -> EventSignal {
        // Cut to the microsecond, as instants are stored.
        let at = Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at);
        EventSignal { id, topic: self.topic, at, empresa, lead_id, data: self.data }
    }
}

/// RFC 3339 in UTC.
fn as_text<S: Serializer>(at: &Timestamp, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(at)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_event_holds_ids_hours_and_amounts() {
        let [id, empresa, lead] = [1, 2, 3].map(Uuid::from_u128);
        let at: Timestamp = "2026-11-15T10:30:00.123456789Z".parse().expect("an instant");
        let text = |event: NewEvent| {
            serde_json::to_value(event.signal(JobId(id), EmpresaId(empresa), LeadId(lead), at)).expect("JSON")
        };
        let number = PresupuestoNumber::new(2026, 7).expect("a number");
        assert_eq!(
            text(NewEvent::of_quote(EventTopic::QuoteSent, number, Cents(612_000))),
            serde_json::json!({
                "id": JobId(id), "tipo": "presupuesto.enviado", "creadoEn": "2026-11-15T10:30:00.123456Z", "tenant": EmpresaId(empresa),
                "leadId": LeadId(lead), "datos": { "numero": "2026-0007", "totalCents": 612_000 },
            })
        );
        assert_eq!(text(NewEvent::plain(EventTopic::LeadCreated))["datos"], serde_json::json!({}));
        let visit = EventData::Visit {
            visita: VisitaId(id),
            start: "2026-11-20T10:00:00Z".parse().expect("an instant"),
            minutes: 60,
        };
        assert_eq!(
            text(NewEvent { topic: EventTopic::VisitAgreed, data: visit })["datos"],
            serde_json::json!({ "visitaId": VisitaId(id), "inicio": "2026-11-20T10:00:00Z", "minutos": 60 })
        );
    }
}
