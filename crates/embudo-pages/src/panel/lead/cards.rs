//! Qualification, quotes and consents, as the page shows them.

use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::presupuesto::{PresupuestoSummary, VisitRequest};
use embudo_domain::words::beginning;
use embudo_domain::{LeadId, Timestamp};

use super::union::Source;
use super::words;
use crate::panel::kit::chips::{delivery, quote_state};
use crate::panel::words::moment;

pub(super) struct CalificacionView {
    pub score: Option<i64>,
    pub nivel: &'static str,
    /// Names and values of the criteria. Empty if the API sent something other than a plain object.
    pub criteria: Vec<(String, String)>,
    pub notas: String,
}

impl CalificacionView {
    pub fn of(c: &Calificacion) -> Self {
        let parsed = c.criterios.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let criteria = match parsed {
            Some(serde_json::Value::Object(map)) => map.into_iter().take(40).map(|(name, value)| {
                let value = match value {
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                };
                (beginning(&name, 100), beginning(&value, 500))
            }),
            _ => return Self { criteria: Vec::new(), ..Self::plain(c) },
        };
        Self { criteria: criteria.collect(), ..Self::plain(c) }
    }

    fn plain(c: &Calificacion) -> Self {
        Self {
            score: c.score,
            nivel: c.nivel.map_or("–", |nivel| nivel.as_str()),
            criteria: Vec::new(),
            notas: beginning(c.notas_agente.as_deref().unwrap_or_default(), 4_000),
        }
    }
}

pub(super) struct QuoteView {
    pub id: String,
    pub number: String,
    pub state: (&'static str, &'static str),
    pub total: String,
    pub until: String,
    pub has_pdf: bool,
    pub page: String,
    pub deliveries: Vec<(String, &'static str)>,
    /// The accepted total and options.
    pub accepted: Option<String>,
    /// When the client asked for a visit, and their note.
    pub visit: Option<(String, String)>,
    /// The address of the page of the quote's lead.
    pub base: String,
    pub source: Option<Source>,
}

impl QuoteView {
    pub fn of(
        quote: &PresupuestoSummary,
        page: String,
        lead: LeadId,
        source: Option<Source>,
        now: Timestamp,
    ) -> Self {
        let note = |visit: &VisitRequest| beginning(visit.note.as_deref().unwrap_or_default(), 500);
        let deliveries = quote.deliveries.iter().map(|d| delivery(d.channel, d.state));
        Self {
            id: quote.id.to_string(),
            number: quote.number.to_string(),
            state: quote_state(quote.state),
            total: quote.certainty.label(quote.total),
            until: embudo_domain::words::day(quote.validity.until),
            has_pdf: quote.pdf.is_some(),
            page,
            deliveries: deliveries.collect(),
            accepted: quote.accepted.as_ref().map(words::taken),
            visit: quote.visit.as_ref().map(|visit| (moment(visit.at, now), note(visit))),
            base: format!("/panel/leads/{lead}"),
            source,
        }
    }
}

pub(super) struct ConsentView {
    pub what: String,
    /// Whether this is a notice, which needs no agreement.
    pub is_notice: bool,
    pub granted: bool,
    pub when: String,
    pub source: Option<Source>,
}

impl ConsentView {
    /// The current state of each purpose and channel. `consents` has the latest entry first.
    pub fn all(
        consents: &[Consentimiento],
        source: Option<&Source>,
        now: Timestamp,
    ) -> impl Iterator<Item = Self> {
        let about = |consent: &Consentimiento| (consent.purpose.clone(), consent.channel.clone());
        let mut seen = Vec::new();
        let last = consents.iter().filter(move |consent| {
            let is_new = !seen.contains(&about(consent));
            seen.push(about(consent));
            is_new
        });
        last.map(move |consent| Self::of(consent, source, now))
    }

    fn of(consent: &Consentimiento, source: Option<&Source>, now: Timestamp) -> Self {
        let what = if consent.is_notice() {
            "vista la información sobre privacidad".to_owned()
        } else {
            consent.what()
        };
        Self {
            what: beginning(&what, 200),
            is_notice: consent.is_notice(),
            granted: consent.granted,
            when: consent.otorgado_en.map(|at| moment(at, now)).unwrap_or_default(),
            source: source.cloned(),
        }
    }
}
