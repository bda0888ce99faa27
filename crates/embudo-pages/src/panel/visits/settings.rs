//! `/panel/visitas/ajustes`: where the company is, and until when clients change a visit.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use embudo_domain::visita::{MINUTES, Zone};
use http::Uri;

use super::STYLES;
use crate::WebState;
use crate::panel::kit::form::{Form, FormPage, Group, Kind, Place, Returned, choice, whole};
use crate::panel::kit::settings_edit;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/visitas/ajustes";
/// The longest time before a visit, in hours.
const MAX_LIMIT: u32 = 14 * 24;

const ZONES: &[(&str, &str)] = &[
    ("", "Según la dirección"),
    (Zone::Madrid.as_str(), Zone::Madrid.words()),
    (Zone::Canary.as_str(), Zone::Canary.words()),
];

const FORM: Form<Settings> = Form::new(
    PATH,
    "Guardar",
    &[Group::new(
        "",
        "pila estrecha",
        &[
            choice!("huso", "Hora de la empresa", Kind::Select(ZONES), Zone, Settings.visits.zone),
            whole!(
                "limite",
                "El cliente cambia o cancela hasta (horas antes)",
                Settings.visits.client_limit_hours,
                0..=MAX_LIMIT,
                "Escribe las horas, de {min} a {max}."
            ),
            whole!(
                "minutos",
                "Cuánto dura una visita (minutos)",
                Settings.visits.minutes,
                MINUTES,
                "Escribe los minutos, de {min} a {max}."
            ),
        ],
    )],
);

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    page(&state, &signed, done, Returned::default()).await
}

/// `POST /panel/visitas/ajustes`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::VisitSettingsChanged, &sent, &FORM).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => page(&state, &signed, None, returned).await,
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    done: Option<&'static str>,
    returned: Returned,
) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let settings = state.app.store.settings(empresa).await?;
    let address = state.app.store.brand(empresa).await?.brand.address;
    let mut view = FORM.view(&settings, &returned);
    if let Some(usual) = view.input("huso").and_then(|input| input.choices.first_mut()) {
        usual.word = format!("Según la dirección ({})", Zone::of_address(address.as_deref()).words());
    }
    let frame = PanelFrame::new(state, signed, "Ajustes de las visitas", Section::Calendar).await?;
    let (frame, place) = (frame.with(STYLES, &[]), Place::Below("/panel/visitas", "Calendario"));
    let page = FormPage { frame, place, intro: "", done, view, form: returned.form };
    Ok(private_page(returned.status, &page))
}
