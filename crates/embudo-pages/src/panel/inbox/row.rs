//! A lead as a line of the list or a card of the board.

use embudo_domain::next_action::ActionKind;
use embudo_domain::perfil::Urgencia;
use embudo_domain::user::User;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{LeadId, Timestamp, UserId};
use embudo_store::inbox::{FoundBy, Hit, InboxRow, UpcomingVisit};

use crate::panel::kit::chips::{action_label, etapa_tone};
use crate::panel::words::{ago, moment};

pub(super) struct ShownRow {
    pub id: String,
    pub nombre: String,
    /// «Baño · 6 m² · Madrid».
    pub what: String,
    /// The level and the score.
    pub nivel: Option<(&'static str, String)>,
    pub etapa: &'static str,
    pub etapa_tone: &'static str,
    pub is_urgent: bool,
    pub activity: String,
    pub activity_at: String,
    pub action: Option<ShownAction>,
    /// The amount of the lead's current quote, and whether it is an estimate.
    pub amount: Option<(String, bool)>,
    /// «hoy 16:00», if a visit is near.
    pub visit: Option<String>,
    pub unread: bool,
    /// The initials and the name of the assigned person.
    pub assigned: Option<(String, String)>,
    /// Why the search found the lead.
    pub found_by: Option<&'static str>,
    /// Whether the lead was ticked in a form that is shown again.
    pub is_ticked: bool,
}

pub(super) struct ShownAction {
    pub text: String,
    /// «hoy, 10:30», «hace 2 días». Empty for an action that waits.
    pub when: String,
    pub is_late: bool,
    pub is_waiting: bool,
}

pub(super) struct Shower<'a> {
    pub people: &'a [User],
    /// The near visits of all leads of the list.
    pub visits: &'a [UpcomingVisit],
    /// The company's time zone.
    pub zone: SpanishTimeZone,
    pub now: Timestamp,
}

impl Shower<'_> {
    pub fn row(&self, row: &InboxRow) -> ShownRow {
        let lead = &row.summary.lead;
        let perfil = &lead.perfil;
        let what = [
            perfil.tipo_reforma.map(|zona| zona.label().to_owned()),
            perfil.m2_suelo.map(|m2| format!("{} m²", m2.to_string().replace('.', ","))),
            lead.place(),
            perfil.canal_origen.map(|canal| canal.label().to_owned()),
            row.principal.map(|_| "unido a otro lead".to_owned()),
        ];
        let score = row.summary.score.map(|score| score.to_string()).unwrap_or_default();
        ShownRow {
            id: lead.id.to_string(),
            nombre: lead.name(),
            what: what.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            nivel: row.summary.nivel.map(|nivel| (nivel.as_str(), score)),
            etapa: row.etapa.label(),
            etapa_tone: etapa_tone(row.etapa),
            is_urgent: perfil.urgencia == Some(Urgencia::Alta),
            activity: ago(row.activity, self.now),
            activity_at: moment(row.activity, self.now),
            action: self.action(row),
            visit: self.visit(lead.id),
            unread: row.unread,
            assigned: row.assigned.map(|user| self.person(user)),
            found_by: None,
            amount: None,
            is_ticked: false,
        }
    }

    pub fn hit(&self, hit: &Hit) -> ShownRow {
        let found_by = match hit.by {
            FoundBy::Exact => Some("coincidencia exacta"),
            FoundBy::Name => None,
            FoundBy::Text => Some("en lo escrito"),
        };
        ShownRow { found_by, ..self.row(&hit.row) }
    }

    fn action(&self, row: &InboxRow) -> Option<ShownAction> {
        let action = row.next_action(self.now)?;
        let typed = row.action_text.clone().filter(|text| !text.is_empty());
        let by_hand = typed.filter(|_| action.kind == ActionKind::ByHand);
        let text = by_hand.unwrap_or_else(|| action_label(action.kind).to_owned());
        let is_late = action.is_due(self.now);
        let when = match action.due {
            Some(due) if is_late => ago(due, self.now),
            Some(due) => moment(due, self.now),
            None => String::new(),
        };
        Some(ShownAction { text, when, is_late, is_waiting: action.kind.is_waiting() })
    }

    fn visit(&self, lead: LeadId) -> Option<String> {
        let next = self.visits.iter().find(|visit| visit.lead == lead)?;
        Some(self.zone.near(next.start, self.now))
    }

    fn person(&self, id: UserId) -> (String, String) {
        let found = self.people.iter().find(|user| user.id == id);
        let nombre = found.map_or("Alguien", |user| user.nombre.as_str());
        let letters = nombre.split_whitespace().filter_map(|w| w.chars().find(|c| c.is_alphabetic())).take(2);
        (letters.flat_map(char::to_uppercase).collect(), nombre.to_owned())
    }
}
