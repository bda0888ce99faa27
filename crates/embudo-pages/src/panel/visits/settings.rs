//! `/panel/visitas/ajustes`: the company's time zone, how late clients may change a visit, how long a visit lasts, and
//! the days without visits.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::holidays::is_year_known;
use embudo_domain::settings::Settings;
use embudo_domain::visita::{Agenda, MINUTES, SpanishTimeZone, write_days_off};
use http::Uri;

use super::STYLES;
use crate::WebState;
use crate::panel::kit::form::{Field, Form, FormPage, Group, Kind, Place, Returned, choice, tick, whole};
use crate::panel::kit::settings_edit;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/visitas/ajustes";
/// The highest number of hours before a visit after which clients can no longer change it.
const MAX_LIMIT: u32 = 14 * 24;

const ON_HOLIDAYS: &str =
    "Sin marcarlo no se ofrecen horas en los festivos nacionales ni en los de tu comunidad.";
const WRONG_DAYS: &str = "Escribe cada día así: 15/05/2027, o 01/08/2027 - 31/08/2027. Caben 60 líneas.";

const ZONES: &[(&str, &str)] = &[
    ("", "Según la dirección"),
    (SpanishTimeZone::Madrid.as_str(), SpanishTimeZone::Madrid.label()),
    (SpanishTimeZone::Canary.as_str(), SpanishTimeZone::Canary.label()),
];

const FORM: Form<Settings> = Form::new(
    PATH,
    "Guardar",
    &[Group::new(
        "",
        "pila estrecha",
        &[
            choice!("huso", "Hora de la empresa", Kind::Select(ZONES), SpanishTimeZone, Settings.visits.zone),
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
            tick!("festivos", "También se visita en festivos", Settings.visits.on_holidays).hint(ON_HOLIDAYS),
            Field::new(
                "cerrado",
                "Días cerrados",
                Kind::Long(4),
                |settings: &Settings, _| write_days_off(&settings.visits.closed),
                |settings: &mut Settings, _, typed| {
                    settings.visits.closed = Agenda::read_days_off(typed).map_err(|_| WRONG_DAYS)?;
                    Ok(())
                },
            )
            .hint("Las fiestas de tu pueblo o las vacaciones de todos: en cada línea un día, o el primero y el último.")
            .with(&[("placeholder", "15/05/2027\n01/08/2027 - 31/08/2027"), ("maxlength", "2000")]),
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
    let empresa = signed.empresa()?.id;
    let settings = state.app.store.settings(empresa).await?;
    let address = state.app.store.brand(empresa).await?.brand.address;
    let mut view = FORM.view(&settings, &returned);
    if let Some(usual) = view.input("huso").and_then(|input| input.choices.first_mut()) {
        usual.word =
            format!("Según la dirección ({})", SpanishTimeZone::of_address(address.as_deref()).label());
    }
    if let Some(input) = view.input("festivos") {
        let year = state.app.today().year() + 1;
        if !is_year_known(year) {
            input.hint =
                format!("{ON_HOLIDAYS} Aún no se conocen los de {year}: escríbelos en «Días cerrados».");
        }
    }
    let frame = PanelFrame::new(state, signed, "Ajustes de las visitas", Section::Calendar).await?;
    let (frame, place) = (frame.with(STYLES, &[]), Place::Below("/panel/visitas", "Calendario"));
    let page = FormPage { frame, place, intro: "", done, view, form: returned.form };
    Ok(private_page(returned.status, &page))
}
