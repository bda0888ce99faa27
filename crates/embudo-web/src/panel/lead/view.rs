//! What the template of a lead's page is given: texts that are ready to be read.

use askama::Template;
use embudo_domain::Timestamp;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::facts::Facts;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::PresupuestoSummary;
use embudo_domain::watched_loop::WatchedLoop;
use jiff::SignedDuration;

use super::album::ZonaView;
use super::edit::Typed;
use super::facts::{Fact, GROUPS, Group, Input};
use super::timeline::{Day, Filter};
use super::words::{self, Choice};
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::words::{ago, moment};
use crate::parts::FormFields;
use crate::quote::words::{mail_link, phone_link};

#[derive(Template)]
#[template(path = "panel/lead/page.html")]
pub(super) struct Page {
    pub frame: PanelFrame,
    pub form: FormState,
    pub done: Option<&'static str>,
    /// The address of the page.
    pub base: String,
    pub can_write: bool,
    /// The number of every button's press.
    pub once: String,
    pub head: Head,
    #[allow(dead_code, reason = "its template is still empty")]
    pub desk: Desk,
    pub window: (String, &'static str),
    pub looped: Option<LoopView>,
    pub groups: Vec<GroupView>,
    pub calificacion: Option<CalificacionView>,
    pub quotes: Vec<QuoteView>,
    pub consents: Vec<ConsentView>,
    pub utm: Vec<(String, String)>,
    pub zonas: Vec<ZonaView>,
    pub hidden_fotos: usize,
    pub more_fotos: bool,
    pub days: Vec<Day>,
    pub filters: &'static [Filter],
    pub filter: &'static str,
    /// Where older lines are, and whether these are the newest.
    pub older: Option<String>,
    pub is_newest: bool,
    pub call: CallView,
}

/// What a person decides about a lead besides its facts: its stage, what is next, whose it is, internal notes. Its place in the
/// page is `panel/lead/desk.html`.
pub(super) struct Desk;

pub(super) struct Head {
    pub nombre: String,
    pub telefono: String,
    pub tel: Option<String>,
    pub whatsapp: String,
    pub email: String,
    pub mail: Option<String>,
    pub empresa: String,
    pub tipo: &'static str,
    pub canal: String,
    pub urgencia: Option<(String, &'static str)>,
    pub nivel: Option<(&'static str, &'static str, String)>,
    pub is_not_viable: bool,
    pub since: String,
    pub since_ago: String,
}

impl Head {
    pub fn of(lead: &Lead, calificacion: Option<&Calificacion>, now: Timestamp) -> Self {
        let perfil = &lead.perfil;
        let digits: String = lead.telefono_e164.chars().filter(char::is_ascii_digit).collect();
        let canal = perfil.canal_origen.map_or("", |canal| canal.as_str());
        let nivel = calificacion.and_then(|c| c.nivel).map(|nivel| {
            let class = match nivel.as_str() {
                "A" => "nivel-a",
                "B" => "nivel-b",
                "C" => "nivel-c",
                _ => "nivel-d",
            };
            let score = calificacion.and_then(|c| c.score).map(|n| n.to_string()).unwrap_or_default();
            (nivel.as_str(), class, score)
        });
        let urgencia = perfil.urgencia.map(|urgencia| {
            let word = words::said(words::URGENCIAS, urgencia.as_str()).to_lowercase();
            (format!("urgencia {word}"), if urgencia.as_str() == "alta" { "ficha-ojo" } else { "" })
        });
        Self {
            nombre: lead.nombre.clone(),
            telefono: embudo_domain::words::telefono(&lead.telefono_e164),
            tel: phone_link(&lead.telefono_e164),
            whatsapp: format!("https://wa.me/{digits}"),
            email: lead.email.clone(),
            mail: mail_link(&lead.email, "Tu reforma"),
            empresa: lead.empresa.nombre.clone(),
            tipo: perfil.tipo_reforma.map_or("Reforma por definir", words::zona),
            canal: words::said(words::CANALES, canal).to_owned(),
            urgencia,
            nivel,
            is_not_viable: perfil.viable == Some(false),
            since: moment(lead.creado_en, now),
            since_ago: ago(lead.creado_en, now),
        }
    }
}

/// Until when the client can be written to: a day after their last message.
pub(super) fn window(last: Option<Timestamp>, now: Timestamp) -> (String, &'static str) {
    match last.map(|at| at + SignedDuration::from_hours(24)) {
        None => ("Aún no ha escrito".to_owned(), ""),
        Some(until) if until > now => (format!("Abierta hasta {}", moment(until, now)), "ficha-bien"),
        Some(until) => (format!("Cerrada desde {}", moment(until, now)), ""),
    }
}

pub(super) struct LoopView {
    pub text: String,
    pub limit: String,
    pub overdue: bool,
}

impl LoopView {
    pub fn of(looped: &WatchedLoop, now: Timestamp) -> Self {
        let waited = words::span(now.as_second() - looped.since.as_second());
        let again = match looped.resignals {
            0 => String::new(),
            n => format!(", reseñalado {}", words::times(n)),
        };
        Self {
            text: format!("{} {waited}{again}", words::step(looped.step)),
            limit: moment(looped.limit, now),
            overdue: looped.overdue,
        }
    }
}

pub(super) struct GroupView {
    pub id: &'static str,
    pub title: &'static str,
    pub version: String,
    /// Its form came back.
    pub is_open: bool,
    pub facts: Vec<FactView>,
}

pub(super) struct FactView {
    pub name: &'static str,
    pub label: &'static str,
    pub input: Input,
    /// What stands in its field.
    pub typed: String,
    /// What is known, as people read it.
    pub said: String,
    /// What somebody else wrote meanwhile.
    pub other: Option<String>,
}

impl FactView {
    pub fn choices(&self) -> &'static [Choice] {
        match self.input {
            Input::Choice(choices) => choices,
            Input::YesNo => words::YES_NO,
            _ => &[],
        }
    }

    pub fn kind(&self) -> &'static str {
        match self.input {
            Input::Tel => "tel",
            Input::Mail => "email",
            Input::Moment => "datetime-local",
            _ => "text",
        }
    }

    pub fn is_long(&self) -> bool {
        matches!(self.input, Input::Long)
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self.input, Input::Metros | Input::Euros)
    }
}

pub(super) fn groups(lead: &Lead, typed: Option<&Typed>, form: &FormState, now: Timestamp) -> Vec<GroupView> {
    let facts = Facts::of(lead);
    let view = |group: &'static Group| {
        let back = typed.filter(|typed| typed.group.id == group.id);
        let fact = |fact: &'static Fact| {
            let said = fact.said(&facts, now);
            let is_contested = back.is_some_and(|back| back.conflicts.contains(&fact.name));
            FactView {
                name: fact.name,
                label: fact.label,
                input: fact.input,
                typed: back.map_or_else(|| fact.typed(&facts), |back| back.fields.text(fact.name)),
                other: is_contested
                    .then(|| if said.is_empty() { "(vacío)".to_owned() } else { said.clone() }),
                said,
            }
        };
        GroupView {
            id: group.id,
            title: group.title,
            version: group.version(&facts),
            is_open: back.is_some() || group.facts.iter().any(|fact| form.of(fact.name).is_some()),
            facts: group.facts.iter().map(fact).collect(),
        }
    };
    GROUPS.iter().map(view).collect()
}

pub(super) struct CalificacionView {
    pub score: Option<i64>,
    pub nivel: &'static str,
    /// Names and values of the criteria; none where what came is no plain object.
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
                (short(&name, 100), short(&value, 500))
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
            notas: short(c.notas_agente.as_deref().unwrap_or_default(), 4_000),
        }
    }
}

fn short(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

pub(super) struct QuoteView {
    pub number: String,
    pub state: (&'static str, &'static str),
    pub total: String,
    pub until: String,
    pub has_pdf: bool,
    pub page: String,
    pub deliveries: Vec<(String, &'static str)>,
}

impl QuoteView {
    pub fn of(quote: &PresupuestoSummary, page: String) -> Self {
        let deliveries = quote.deliveries.iter().map(|d| words::delivery(d.channel, d.state));
        Self {
            number: quote.number.to_string(),
            state: words::quote_state(quote.state),
            total: quote.total.to_string(),
            until: embudo_domain::words::day(quote.validity.until),
            has_pdf: quote.pdf.is_some(),
            page,
            deliveries: deliveries.collect(),
        }
    }
}

pub(super) struct ConsentView {
    pub what: String,
    pub granted: bool,
    pub when: String,
}

impl ConsentView {
    pub fn of(consent: &Consentimiento, now: Timestamp) -> Self {
        let by = consent.channel.as_deref().map(|channel| format!(" por {channel}")).unwrap_or_default();
        Self {
            what: short(&format!("{}{by}", consent.purpose), 200),
            granted: consent.granted,
            when: consent.otorgado_en.map(|at| moment(at, now)).unwrap_or_default(),
        }
    }
}

/// The form of a call.
#[derive(Default)]
pub(super) struct CallView {
    pub number: i64,
    pub result: String,
    pub minutes: String,
    pub notas: String,
    pub is_open: bool,
}

impl CallView {
    pub fn of(last: i64, typed: Option<&FormFields>) -> Self {
        let text = |name| typed.map(|typed| typed.text(name)).unwrap_or_default();
        Self {
            number: last + 1,
            result: text("resultado"),
            minutes: text("minutos"),
            notas: text("notas"),
            is_open: typed.is_some(),
        }
    }
}

impl Page {
    pub fn results(&self) -> &'static [Choice] {
        words::RESULTS
    }

    pub fn all_zonas(&self) -> &'static [Choice] {
        words::ZONAS
    }

    pub fn momentos(&self) -> &'static [Choice] {
        words::MOMENTOS
    }
}
