//! `/panel/empresa/recordatorios`: which reminders the clients get by mail, when they get them, and with which text.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::Timestamp;
use embudo_domain::audit::AuditAction;
use embudo_domain::reminders::{
    MAX_DAYS, MAX_HOURS, MAX_STEPS, MAX_TEXT, ReminderSettings, ReminderStep, SHIPPED,
};
use embudo_domain::settings::Settings;
use http::Uri;

use super::{Tabs, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Form, FormView, Group, Kind, Returned, Wrong, text, tick, whole};
use crate::panel::kit::settings_edit::{self, Change};
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/recordatorios";
const DAYS: [&str; MAX_STEPS] = ["dias1", "dias2", "dias3"];
const TEXTS: [&str; MAX_STEPS] = ["texto1", "texto2", "texto3"];
const SAYS: Kind = Kind::Long(4);

/// The reminders as the form shows them, with all possible steps, filled in or not.
#[derive(Clone)]
struct Reminders {
    quotes: bool,
    days: [Option<u16>; MAX_STEPS],
    texts: [String; MAX_STEPS],
    form: bool,
    hours: u16,
    form_text: String,
}

macro_rules! reminder {
    ($title:literal, $n:literal) => {
        Group::new(
            $title,
            "recordatorio",
            &[
                whole!(
                    DAYS[$n],
                    "Días después de enviarlo",
                    Reminders.days[$n],
                    1..=MAX_DAYS as u32,
                    "Un número de días, de {min} a {max}."
                )
                .hint("Vacío: este no sale.")
                .class("caja-corta"),
                text!(TEXTS[$n], "Qué dice", SAYS, Reminders.texts[$n], read_text)
                    .with(&[("maxlength", "1000")]),
            ],
        )
    };
}

const FORM: Form<Reminders> = Form {
    action: PATH,
    button: "Guardar",
    groups: &[
        Group::new(
            "Presupuestos sin respuesta",
            "",
            &[tick!("presupuestos", "Recordar al cliente su presupuesto", Reminders.quotes)
                .hint("Vale para los que envíes desde que lo enciendas. No sale si ha caducado, hay otro más nuevo o has archivado el lead.")],
        ),
        reminder!("Recordatorio 1", 0),
        reminder!("Recordatorio 2", 1),
        reminder!("Recordatorio 3", 2),
        Group::new(
            "Formularios a medias",
            "",
            &[
                tick!("formulario", "Invitar a terminar el formulario", Reminders.form)
                    .hint("A quien dejó sus datos y no llegó al final. Un solo correo, con un enlace que sigue donde lo dejó."),
                whole!(
                    "horas",
                    "Horas después de dejar sus datos",
                    Reminders.hours,
                    1..=MAX_HOURS as u32,
                    "Un número de horas, de {min} a {max}."
                )
                .class("caja-corta"),
                text!("textoFormulario", "Qué dice", SAYS, Reminders.form_text, read_text)
                    .with(&[("maxlength", "1000")]),
            ],
        ),
    ],
    rules: check,
};

fn read_text(typed: &str) -> Result<String, Wrong> {
    match typed.chars().count() {
        0 => Err("Escribe qué dice el correo.".into()),
        1..=MAX_TEXT => Ok(typed.to_owned()),
        _ => Err("Es demasiado largo: 1000 caracteres como mucho.".into()),
    }
}

/// The days must increase, and at least one step is required while reminders are on.
fn check(reminders: &Reminders, form: &mut FormState) {
    let mut last = 0;
    for (name, days) in DAYS.into_iter().zip(reminders.days) {
        let Some(days) = days else { continue };
        if days <= last && form.of(name).is_none() {
            form.add(name, "Cada recordatorio va después del anterior: pon más días.");
        }
        last = days;
    }
    if last == 0 && reminders.quotes && form.is_good() {
        form.add(DAYS[0], "Pon los días de un recordatorio al menos, o apágalos.");
    }
}

impl Reminders {
    fn of(reminders: &ReminderSettings) -> Self {
        let steps = reminders.quotes.steps();
        let text = |n: usize| steps.get(n).map_or(SHIPPED[n].1, |step| step.text.as_str()).to_owned();
        Self {
            quotes: reminders.quotes.since().is_some(),
            days: std::array::from_fn(|n| steps.get(n).map(|step| step.days)),
            texts: std::array::from_fn(text),
            form: reminders.form.since().is_some(),
            hours: reminders.form.hours(),
            form_text: reminders.form.text().to_owned(),
        }
    }

    /// The first step with a new text but without days. Its text would be lost.
    fn lost_text(&self, seen: &Self) -> Option<usize> {
        (0..MAX_STEPS).find(|&n| self.days[n].is_none() && self.texts[n] != seen.texts[n])
    }

    fn put(self, before: &ReminderSettings, now: Timestamp) -> ReminderSettings {
        let steps = self.days.into_iter().zip(self.texts);
        let steps = steps.filter_map(|(days, text)| Some(ReminderStep { days: days?, text })).collect();
        ReminderSettings {
            quotes: before.quotes.set(self.quotes.then_some(now), steps),
            form: before.form.set(self.form.then_some(now), self.hours, self.form_text),
        }
    }
}

#[derive(Template)]
#[template(path = "panel/empresa/reminders.html")]
struct ReminderSettingsPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    view: FormView,
    /// Why no reminder can be sent, whatever the form says. `None` if reminders can be sent.
    missing: Option<&'static str>,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    page(&state, &signed, done, Returned::default()).await
}

/// `POST /panel/empresa/recordatorios`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let now = state.app.now();
    let change = |before: &Settings| {
        let seen = Reminders::of(&before.reminders);
        let edited = FORM.read(&sent, &seen)?;
        if let Some(n) = edited.lost_text(&seen) {
            let form = FormState::wrong(
                DAYS[n],
                "Pon los días: sin ellos este recordatorio no sale ni se guarda lo que dice.",
            );
            return Err(Box::new(Returned::wrong(form, sent.clone())));
        }
        let audit_texts = FORM.audit_text(&seen, &edited);
        let reminders = edited.put(&before.reminders, now);
        Ok::<_, Box<Returned>>(Change { edited: Settings { reminders, ..before.clone() }, audit_texts })
    };
    match settings_edit::edit(&state, &signed, AuditAction::RemindersSet, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err(returned) => page(&state, &signed, None, *returned).await,
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    done: Option<&'static str>,
    returned: Returned,
) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let reminders = state.app.store.settings(empresa).await?.reminders;
    let outbound = &state.app.outbound;
    let page = ReminderSettingsPage {
        frame: frame(state, signed, "Recordatorios").await?,
        tabs: Tabs { here: PATH },
        view: FORM.view(&Reminders::of(&reminders), &returned),
        form: returned.form,
        done,
        missing: match (outbound.mail.is_some(), outbound.links.is_some()) {
            (false, _) => Some("El servidor no tiene correo"),
            (_, false) => Some("El servidor no sabe su dirección pública, y sin ella no hay enlaces"),
            _ => None,
        },
    };
    Ok(private_page(returned.status, &page))
}
