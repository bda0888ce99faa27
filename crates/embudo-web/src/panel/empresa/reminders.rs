//! `/panel/empresa/recordatorios`: which reminders the company's clients get by mail, when, and what they say.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::Timestamp;
use embudo_domain::audit::AuditAction;
use embudo_domain::chasing::{Chasing, MAX_DAYS, MAX_HOURS, MAX_STEPS, MAX_TEXT, ReminderStep, SHIPPED};
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use http::{StatusCode, Uri};

use super::settings_edit::{self, Change};
use super::{Tabs, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/recordatorios";
const DAYS: [&str; MAX_STEPS] = ["dias1", "dias2", "dias3"];
const TEXTS: [&str; MAX_STEPS] = ["texto1", "texto2", "texto3"];
/// The longest text that the log shows.
const MAX_SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "panel/empresa/reminders.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    quotes: String,
    steps: Vec<StepView>,
    form_on: String,
    hours: String,
    form_text: String,
    /// Why nothing goes out, whatever is chosen.
    missing: Option<&'static str>,
    /// What stands now, where somebody else chose meanwhile.
    other: Option<String>,
}

impl Page {
    fn max_text(&self) -> usize {
        MAX_TEXT
    }
}

struct StepView {
    number: usize,
    days_name: &'static str,
    days: String,
    text_name: &'static str,
    text: String,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    let now = values(&state.app.store.settings(empresa).await?.chasing);
    let typed = FormFields(now.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    page(&state, &signed, StatusCode::OK, FormState::default(), done, &typed, None).await
}

/// `POST /panel/empresa/recordatorios`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let now = state.app.now();
    let change = |before: &Settings| {
        let Merged { fields, conflicts } = merge(&sent, &values(&before.chasing));
        if !conflicts.is_empty() {
            let form = FormState::wrong("", STALE);
            return Err((StatusCode::CONFLICT, form, fields, Some(said(&before.chasing))));
        }
        match read(&fields, &before.chasing, now) {
            Ok(chasing) => {
                let both = (said(&before.chasing), said(&chasing));
                Ok(Change { edited: Settings { chasing, ..before.clone() }, said: both })
            }
            Err(form) => Err((StatusCode::UNPROCESSABLE_ENTITY, form, fields, None)),
        }
    };
    match settings_edit::edit(&state, &signed, AuditAction::RemindersSet, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err((status, form, fields, other)) => page(&state, &signed, status, form, None, &fields, other).await,
    }
}

/// What the form says, or its mistakes.
fn read(fields: &FormFields, before: &Chasing, now: Timestamp) -> Result<Chasing, FormState> {
    let mut form = FormState::default();
    let mut steps: Vec<ReminderStep> = Vec::new();
    for (days_name, text_name) in DAYS.into_iter().zip(TEXTS) {
        let typed = fields.text(days_name);
        if typed.is_empty() {
            continue;
        }
        let days = typed.parse().ok().filter(|days| (1..=MAX_DAYS).contains(days));
        let text = form.check(text_name, text_of(fields, text_name));
        match (days, steps.last()) {
            (None, _) => form.add(days_name, format!("Un número de días, de 1 a {MAX_DAYS}.")),
            (Some(days), Some(last)) if days <= last.days => {
                form.add(days_name, "Cada recordatorio va después del anterior: pon más días.");
            }
            (Some(days), _) => steps.extend(text.map(|text| ReminderStep { days, text })),
        }
    }
    let is_on = |name| fields.text(name) == "si";
    if steps.is_empty() && is_on("presupuestos") && form.is_good() {
        form.add(DAYS[0], "Pon los días de un recordatorio al menos, o apágalos.");
    }
    let hours = fields.text("horas").parse().ok().filter(|hours| (1..=MAX_HOURS).contains(hours));
    if hours.is_none() {
        form.add("horas", format!("Un número de horas, de 1 a {MAX_HOURS}."));
    }
    let text = form.check("textoFormulario", text_of(fields, "textoFormulario"));
    match (hours, text) {
        (Some(hours), Some(text)) if form.is_good() => Ok(Chasing {
            quotes: before.quotes.set(is_on("presupuestos").then_some(now), steps),
            form: before.form.set(is_on("formulario").then_some(now), hours, text),
        }),
        _ => Err(form),
    }
}

fn text_of(fields: &FormFields, name: &str) -> Result<String, &'static str> {
    let text = fields.text(name);
    match text.chars().count() {
        0 => Err("Escribe qué dice el correo."),
        1..=MAX_TEXT => Ok(text),
        _ => Err("Es demasiado largo: 1000 caracteres como mucho."),
    }
}

/// What the form is made from.
fn values(chasing: &Chasing) -> Vec<(&'static str, String)> {
    let on = |since: Option<Timestamp>| if since.is_some() { "si" } else { "no" }.to_owned();
    let steps = chasing.quotes.steps();
    let mut values = vec![("presupuestos", on(chasing.quotes.since()))];
    for (n, (_, shipped)) in SHIPPED.iter().enumerate() {
        let step = steps.get(n);
        values.push((DAYS[n], step.map(|step| step.days.to_string()).unwrap_or_default()));
        values.push((TEXTS[n], step.map_or_else(|| (*shipped).to_owned(), |step| step.text.clone())));
    }
    values.push(("formulario", on(chasing.form.since())));
    values.push(("horas", chasing.form.hours().to_string()));
    values.push(("textoFormulario", chasing.form.text().to_owned()));
    values
}

fn said(chasing: &Chasing) -> String {
    let on = |since: Option<Timestamp>| if since.is_some() { "encendido" } else { "apagado" };
    let short = |text: &str| text.chars().take(MAX_SHOWN).collect::<String>();
    let steps = chasing.quotes.steps();
    let steps = steps.iter().map(|step| format!("\na los {} días: {}", step.days, short(&step.text)));
    format!(
        "Presupuestos: {}{}\nFormulario: {}\na las {} horas: {}",
        on(chasing.quotes.since()),
        steps.collect::<String>(),
        on(chasing.form.since()),
        chasing.form.hours(),
        short(chasing.form.text()),
    )
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    done: Option<&'static str>,
    typed: &FormFields,
    other: Option<String>,
) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let now = values(&state.app.store.settings(empresa).await?.chasing);
    let outbound = &state.app.outbound;
    let step = |n: usize| StepView {
        number: n + 1,
        days_name: DAYS[n],
        days: typed.text(DAYS[n]),
        text_name: TEXTS[n],
        text: typed.text(TEXTS[n]),
    };
    let page = Page {
        frame: frame(state, signed, "Recordatorios").await?,
        tabs: Tabs { here: PATH },
        form,
        done,
        version: version(now.iter().map(|(_, value)| value.as_str())),
        quotes: typed.text("presupuestos"),
        steps: (0..MAX_STEPS).map(step).collect(),
        form_on: typed.text("formulario"),
        hours: typed.text("horas"),
        form_text: typed.text("textoFormulario"),
        missing: match (outbound.mail.is_some(), outbound.links.is_some()) {
            (false, _) => Some("El servidor no tiene correo"),
            (_, false) => Some("El servidor no sabe su dirección pública, y sin ella no hay enlaces"),
            _ => None,
        },
        other,
    };
    Ok(private_page(status, &page))
}
