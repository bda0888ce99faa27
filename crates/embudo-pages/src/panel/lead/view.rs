//! The data of the template of a lead's page: texts that are ready to be shown.

use askama::Template;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::lead::Lead;
use embudo_domain::perfil::Urgencia;
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::words::lowercase_first;
use embudo_domain::{Timestamp, Zona};
use jiff::SignedDuration;

use super::album::ZonaView;
use super::cards::{CalificacionView, ConsentView, QuoteView};
use super::desk_view::DeskView;
use super::fact_views::GroupView;
use super::head::{MoneyView, Part, Visits, Way};
use super::reply_view::ReplyBox;
use super::shown::Shown;
use super::timeline::{Day, Filter};
use super::words;
use crate::form::write_m2;
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::kit::archiving::REASONS;
use crate::panel::kit::choices::{self, Choice};
use crate::panel::words::{ago, moment};
use crate::parts::FormFields;
use crate::quote::words::{mail_link, phone_link};

#[derive(Template)]
#[template(path = "panel/lead/page.html")]
pub(super) struct LeadPage {
    pub frame: PanelFrame,
    pub form: FormState,
    pub done: Option<&'static str>,
    /// The moment of an archiving that can be undone.
    pub undo: Option<i64>,
    /// The address of the page.
    pub base: String,
    pub can_write: bool,
    /// Whether the person may manage the lead's personal data.
    pub can_keep: bool,
    /// Whether a quote is sent when its button is pressed. Otherwise a person reviews the draft first.
    pub sends_at_once: bool,
    /// The random id that all buttons of the page share.
    pub once: String,
    pub head: Head,
    pub desk: DeskView,
    /// The link to the next action, if the person may do it.
    pub way: Option<Way>,
    /// The amount of the current quote.
    pub money: Option<MoneyView>,
    /// The part that a phone shows.
    pub part: Part,
    /// The mode of the box below the timeline.
    pub mode: WriteMode,
    /// The open form of the menu.
    pub open: String,
    /// The typed text of a new note.
    pub nota: String,
    /// The box with which a person answers the client.
    pub reply: ReplyBox,
    pub window: (String, &'static str),
    pub looped: Option<LoopView>,
    pub groups: Vec<GroupView>,
    pub calificacion: Option<CalificacionView>,
    pub quotes: Vec<QuoteView>,
    /// The address of the lead's open draft, and the moment of its last change.
    pub draft: Option<(String, String)>,
    pub draft_amount: Option<String>,
    pub visits: Visits,
    pub consents: Vec<ConsentView>,
    pub utm: Vec<(String, String)>,
    pub zonas: Vec<ZonaView>,
    /// The number of visible photos.
    pub fotos: usize,
    pub hidden_fotos: usize,
    pub more_fotos: bool,
    pub days: Vec<Day>,
    pub filters: &'static [Filter],
    pub filter: &'static str,
    /// The address of older lines, and whether the newest lines are shown.
    pub older: Option<String>,
    pub is_newest: bool,
    /// The leads whose changes the page listens for.
    pub followed: String,
    pub call: CallView,
}

pub(super) struct Head {
    pub nombre: String,
    pub telefono: String,
    pub tel: Option<String>,
    pub whatsapp: Option<String>,
    pub email: String,
    pub mail: Option<String>,
    pub empresa: String,
    /// «Baño · 6 m² · Madrid · Anuncio».
    pub what: String,
    pub urgencia: Option<(&'static str, &'static str)>,
    pub nivel: Option<(&'static str, &'static str, String)>,
    pub is_not_viable: bool,
    pub since: String,
    pub since_ago: String,
}

impl Head {
    pub fn of(lead: &Lead, calificacion: Option<&Calificacion>, now: Timestamp) -> Self {
        let perfil = &lead.perfil;
        let digits: String = lead.telefono_e164.chars().filter(char::is_ascii_digit).collect();
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
        let urgencia = perfil
            .urgencia
            .map(|urgencia| (urgencia.label(), if urgencia == Urgencia::Alta { "ficha-ojo" } else { "" }));
        Self {
            nombre: lead.name(),
            telefono: embudo_domain::words::telefono(&lead.telefono_e164),
            tel: lead.e164().and_then(phone_link),
            whatsapp: lead.e164().map(|_| format!("https://wa.me/{digits}")),
            email: lead.email.clone(),
            mail: lead.mail().and_then(|email| mail_link(email, "Tu reforma")),
            empresa: lead.empresa.nombre.clone(),
            what: [
                Some(perfil.tipo_reforma.map_or("Reforma por definir", Zona::label).to_owned()),
                perfil.m2_suelo.map(|m2| format!("{} m²", write_m2(m2))),
                lead.place(),
                perfil.canal_origen.map(|canal| canal.label().to_owned()),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · "),
            urgencia,
            nivel,
            is_not_viable: perfil.viable == Some(false),
            since: moment(lead.creado_en, now),
            since_ago: ago(lead.creado_en, now),
        }
    }
}

/// Until when the client can be written to. The messaging window ends one day after their last message.
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
            text: format!("{} {waited}{again}", lowercase_first(looped.step.label())),
            limit: moment(looped.limit, now),
            overdue: looped.overdue,
        }
    }
}

/// The mode of the box below the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteMode {
    Reply,
    Nota,
    Call,
}

impl WriteMode {
    pub fn of(shown: &Shown) -> Self {
        if shown.call.is_some() || shown.open == "llamada" {
            return Self::Call;
        }
        let is_nota = !shown.nota.is_empty() || shown.form.of("nota").is_some() || shown.open == "nota";
        if is_nota { Self::Nota } else { Self::Reply }
    }
}

/// The form that records a call.
#[derive(Default)]
pub(super) struct CallView {
    pub number: i64,
    pub result: String,
    pub minutes: String,
    pub notas: String,
}

impl CallView {
    pub fn label(&self) -> String {
        match self.number {
            1 => "Cómo fue la llamada".to_owned(),
            number => format!("Cómo fue la llamada {number}"),
        }
    }

    pub fn of(last: i64, typed: Option<&FormFields>) -> Self {
        let text = |name| typed.map(|typed| typed.text(name)).unwrap_or_default();
        Self { number: last + 1, result: text("resultado"), minutes: text("minutos"), notas: text("notas") }
    }
}

impl LeadPage {
    /// The tabs: address, label, number of items, and whether it is the current one.
    pub fn parts(&self) -> Vec<(String, &'static str, usize, bool)> {
        let count = |part| if part == Part::Photos { self.fotos } else { 0 };
        let tab = |part: Part| {
            (format!("{}?parte={}", self.base, part.id()), part.label(), count(part), part == self.part)
        };
        Part::ALL.map(tab).into()
    }

    /// Whether a form of the menu is open.
    pub fn is_open(&self, form: &str) -> bool {
        self.open == form
    }

    /// Whether the menu is open, because one of its forms is.
    pub fn is_menu_open(&self) -> bool {
        let work = self.desk.work.as_ref().is_some_and(|work| work.is_open);
        let came_back =
            self.desk.assign.is_open || self.desk.plan.is_open || self.desk.is_archive_open || work;
        came_back || ["asignar", "accion", "trabajo", "archivar"].contains(&self.open.as_str())
    }

    pub fn results(&self) -> &'static [Choice] {
        choices::RESULTS
    }

    pub fn reasons(&self) -> &'static [&'static str] {
        REASONS
    }

    pub fn all_zonas(&self) -> &'static [Choice] {
        choices::ZONAS
    }

    pub fn momentos(&self) -> &'static [Choice] {
        choices::MOMENTOS
    }
}
