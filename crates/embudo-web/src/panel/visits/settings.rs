//! `/panel/visitas/ajustes`: where the company is, and until when clients change a visit.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use embudo_domain::visita::{MINUTES, VisitSettings, Zone};
use http::{StatusCode, Uri};

use super::STYLES;
use crate::WebState;
use crate::panel::empresa::settings_edit::{self, Change};
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, fields_of, private_page, redirect};

const PATH: &str = "/panel/visitas/ajustes";
/// The longest time before a visit, in hours.
const MAX_LIMIT: u16 = 14 * 24;

#[derive(Template)]
#[template(path = "panel/visits/settings.html")]
struct Page {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    zone: String,
    zones: Vec<(&'static str, &'static str)>,
    usual: &'static str,
    limit: String,
    minutes: String,
    /// What stands now, where somebody else chose meanwhile.
    other: Option<String>,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    let kept = state.app.store.settings(empresa).await?.visits;
    let typed = FormFields(values(&kept).map(|(name, value)| (name.to_owned(), value)).into());
    page(&state, &signed, StatusCode::OK, FormState::default(), done, &typed, None).await
}

/// `POST /panel/visitas/ajustes`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let change = |before: &Settings| {
        let Merged { fields, conflicts } = merge(&sent, &values(&before.visits));
        if !conflicts.is_empty() {
            let form = FormState::wrong("", STALE);
            return Err((StatusCode::CONFLICT, form, fields, Some(said(&before.visits))));
        }
        match read(&fields) {
            Ok(visits) => {
                let both = (said(&before.visits), said(&visits));
                Ok(Change { edited: Settings { visits, ..before.clone() }, said: both })
            }
            Err(form) => Err((StatusCode::UNPROCESSABLE_ENTITY, form, fields, None)),
        }
    };
    match settings_edit::edit(&state, &signed, AuditAction::VisitSettingsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err((status, form, fields, other)) => page(&state, &signed, status, form, None, &fields, other).await,
    }
}

/// What the form says, or its mistakes.
fn read(fields: &FormFields) -> Result<VisitSettings, FormState> {
    let mut form = FormState::default();
    let limit = fields.text("limite").parse::<u16>().ok().filter(|hours| *hours <= MAX_LIMIT);
    let minutes = fields.text("minutos").parse::<u32>().ok().filter(|minutes| MINUTES.contains(minutes));
    if limit.is_none() {
        form.add("limite", "Escribe las horas, de 0 a 336.");
    }
    if minutes.is_none() {
        form.add("minutos", "Escribe los minutos, de 15 a 480.");
    }
    match (limit, minutes) {
        (Some(client_limit_hours), Some(minutes)) => {
            Ok(VisitSettings { zone: Zone::parse(&fields.text("zona")), client_limit_hours, minutes })
        }
        _ => Err(form),
    }
}

/// What the form is made from.
fn values(kept: &VisitSettings) -> [(&'static str, String); 3] {
    [
        ("zona", kept.zone.map_or("", Zone::as_str).to_owned()),
        ("limite", kept.client_limit_hours.to_string()),
        ("minutos", kept.minutes.to_string()),
    ]
}

fn said(kept: &VisitSettings) -> String {
    let zone = kept.zone.map_or("según la dirección", Zone::words);
    format!("hora de {zone}; cambios hasta {} h antes; {} min", kept.client_limit_hours, kept.minutes)
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
    let kept = state.app.store.settings(empresa).await?.visits;
    let address = state.app.store.brand(empresa).await?.brand.address;
    let now = values(&kept);
    let frame = PanelFrame::new(state, signed, "Ajustes de las visitas", Section::Calendar).await?;
    let page = Page {
        frame: frame.with(STYLES, &[]),
        form,
        done,
        version: version(now.iter().map(|(_, value)| value.as_str())),
        zone: typed.text("zona"),
        zones: Zone::ALL.map(|zone| (zone.as_str(), zone.words())).into(),
        usual: Zone::of_address(address.as_deref()).words(),
        limit: typed.text("limite"),
        minutes: typed.text("minutos"),
        other,
    };
    Ok(private_page(status, &page))
}
