//! What the template of a lead's page is given: texts that are ready to be read.

use askama::Template;
use embudo_domain::Timestamp;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::lead::Lead;
use embudo_domain::watched_loop::WatchedLoop;
use jiff::SignedDuration;

use super::album::ZonaView;
use super::cards::{CalificacionView, ConsentView, QuoteView};
use super::desk_view::DeskView;
use super::fact_views::GroupView;
use super::lines::Line;
use super::timeline::{Day, Filter};
use super::words::{self, Choice};
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::inbox::words::REASONS;
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
    /// Whether they may look after what is kept of the person.
    pub can_keep: bool,
    /// Whether a quote goes out at the press of a button; else a person looks at its draft first.
    pub sends_at_once: bool,
    /// The number of every button's press.
    pub once: String,
    pub head: Head,
    pub desk: DeskView,
    /// The last internal notes.
    pub internas: Vec<Line>,
    /// What was typed into the form of a new one.
    pub nota: String,
    pub window: (String, &'static str),
    pub looped: Option<LoopView>,
    pub groups: Vec<GroupView>,
    pub calificacion: Option<CalificacionView>,
    pub quotes: Vec<QuoteView>,
    /// The page of the lead's open draft, and since when it stands so.
    pub draft: Option<(String, String)>,
    /// Its visits: address, when, and state.
    pub visitas: Vec<(String, String, (&'static str, &'static str))>,
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
            nombre: lead.name(),
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
    pub fn label(&self) -> String {
        format!("Cómo fue la llamada {}", self.number)
    }

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

    pub fn reasons(&self) -> &'static [&'static str] {
        REASONS
    }

    pub fn all_zonas(&self) -> &'static [Choice] {
        words::ZONAS
    }

    pub fn momentos(&self) -> &'static [Choice] {
        words::MOMENTOS
    }
}
