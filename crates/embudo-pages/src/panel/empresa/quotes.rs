//! `/panel/empresa/presupuestos`: whether a person reviews quotes before they are sent, and what happens at the end of
//! the form.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::job::Destination;
use embudo_domain::settings::{FormEnd, Settings};
use http::Uri;

use super::{frame, tab};
use crate::WebState;
use crate::panel::kit::form::{Form, FormPage, Group, Kind, Returned, choice, tick};
use crate::panel::kit::settings_edit;
use crate::panel::{PanelResult, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/presupuestos";

const ENDS: &[(&str, &str)] = &[
    ("", "Automático"),
    ("borrador", "Preparar un borrador"),
    ("presupuesto", "Hacer y enviar el presupuesto"),
    ("senal", "Avisar a tu automatización"),
    ("nada", "Solo avisarte"),
];

const FORM: Form<Settings> = Form::new(
    PATH,
    "Guardar",
    &[Group::new(
        "",
        "",
        &[
            tick!("revisar", "Revisar antes de enviar", Settings.review).hint("Un presupuesto que pide tu automatización espera como borrador hasta que alguien lo envíe desde el panel."),
            choice!("fin", "Qué hace el final del formulario", Kind::Radios(ENDS), FormEnd, Settings.form_end),
            tick!("factor", "Aplicar el factor de provincia también a mis precios", Settings.scales_own_prices).hint("Los precios de serie se ajustan siempre a la provincia de la obra. Los que cambias o importas tú valen tal cual los escribes, salvo que marques esto. Los factores están en tu tarifa."),
        ],
    )],
);

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    page(&state, &signed, done, Returned::default()).await
}

/// `POST /panel/empresa/presupuestos`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::SettingsChanged, &sent, &FORM).await? {
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
    let is_connected = state.app.receivers(empresa).await?.has(Destination::Perfil);
    let usual = Settings::default().form_end(is_connected).as_str();
    let usual = ENDS.iter().find(|(code, _)| *code == usual).map_or("", |(_, word)| word).to_lowercase();
    let mut view = FORM.view(&settings, &returned).or_back(PATH, &returned);
    for choice in view.input("fin").into_iter().flat_map(|input| &mut input.choices) {
        choice.hint = match choice.code.as_str() {
            "" => format!("Según lo conectado; ahora: {usual}."),
            "borrador" => "Lo dejamos preparado y te avisamos. Nada sale hasta que lo envíes tú.".to_owned(),
            "presupuesto" => {
                "Se calcula, se hace el PDF y sale solo; si revisas antes, espera tu visto bueno.".to_owned()
            }
            "senal" if is_connected => {
                "Sale la señal de perfil completo, como desde la API, y tu automatización sigue.".to_owned()
            }
            "senal" => "Sale la señal de perfil completo. Ahora mismo no hay nadie conectado que la reciba."
                .to_owned(),
            _ => "Te llega el aviso de que hay un formulario completo, y nada más.".to_owned(),
        };
    }
    let frame = frame(state, signed, "Presupuestos").await?;
    let intro = "Quién los mira antes de que salgan, y qué pasa cuando un cliente termina tu formulario.";
    let page = FormPage { frame, place: tab(PATH), intro, done, view, form: returned.form };
    Ok(private_page(returned.status, &page))
}
