//! `/panel/empresa/presupuestos`: whether a person looks at quotes before they go, and what the end of the form does.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::job::Destination;
use embudo_domain::role::Role;
use embudo_domain::settings::{FormEnd, Settings};
use http::{StatusCode, Uri};

use super::settings_edit::{self, Change};
use super::{Tabs, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/presupuestos";

#[derive(Template)]
#[template(path = "panel/empresa/quotes.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    review: String,
    end: String,
    ends: Vec<End>,
    /// What stands now, where somebody else chose meanwhile.
    other: Option<String>,
}

struct End {
    word: &'static str,
    name: &'static str,
    help: String,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    let settings = state.app.store.settings(empresa).await?;
    let typed = FormFields(values(&settings).map(|(name, value)| (name.to_owned(), value)).into());
    page(&state, &signed, StatusCode::OK, FormState::default(), done, &typed, None).await
}

/// `POST /panel/empresa/presupuestos`.
pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let change = |before: &Settings| {
        let Merged { fields, conflicts } = merge(&sent, &values(before));
        if !conflicts.is_empty() {
            return Err((fields, said(before)));
        }
        let edited = Settings {
            review: fields.text("revisar") == "si",
            form_end: FormEnd::parse(&fields.text("fin")),
            ..before.clone()
        };
        Ok(Change { said: (said(before), said(&edited)), edited })
    };
    match settings_edit::edit(&state, &signed, AuditAction::SettingsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err((fields, other)) => {
            let form = FormState::wrong("", STALE);
            page(&state, &signed, StatusCode::CONFLICT, form, None, &fields, Some(other)).await
        }
    }
}

/// What the form is made from.
fn values(settings: &Settings) -> [(&'static str, String); 2] {
    let review = if settings.review { "si" } else { "no" };
    let end = settings.form_end.map_or("", FormEnd::as_str);
    [("revisar", review.to_owned()), ("fin", end.to_owned())]
}

fn said(settings: &Settings) -> String {
    let review = if settings.review { "revisar antes de enviar" } else { "enviar sin revisar" };
    let end = settings.form_end.map_or("lo de siempre", name);
    format!("{review}; al terminar el formulario: {}", end.to_lowercase())
}

fn name(end: FormEnd) -> &'static str {
    match end {
        FormEnd::Signal => "Avisar a tu flujo",
        FormEnd::Draft => "Preparar un borrador",
        FormEnd::Quote => "Hacer y enviar el presupuesto",
        FormEnd::Nothing => "Solo avisarte",
    }
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
    let settings = state.app.store.settings(empresa).await?;
    let is_connected = state.app.receivers(empresa).await?.has(Destination::Perfil);
    let usual = name(Settings::default().form_end(is_connected)).to_lowercase();
    let end = |end: FormEnd, help: &str| End { word: end.as_str(), name: name(end), help: help.to_owned() };
    let signal = match is_connected {
        true => "Sale la señal de perfil completo, como desde la API, y tu flujo sigue.",
        false => "Sale la señal de perfil completo. Ahora mismo no hay nadie conectado que la reciba.",
    };
    let now = values(&settings);
    let page = Page {
        frame: frame(state, signed, "Presupuestos").await?,
        tabs: Tabs { here: PATH },
        form,
        done,
        version: version(now.iter().map(|(_, value)| value.as_str())),
        review: typed.text("revisar"),
        end: typed.text("fin"),
        ends: vec![
            End { word: "", name: "Lo de siempre", help: format!("Según lo conectado; ahora: {usual}.") },
            end(FormEnd::Draft, "Lo dejamos preparado y te avisamos. Nada sale hasta que lo envíes tú."),
            end(
                FormEnd::Quote,
                "Se calcula, se hace el PDF y sale solo; si revisas antes, espera tu visto bueno.",
            ),
            end(FormEnd::Signal, signal),
            end(FormEnd::Nothing, "Te llega el aviso de que hay un formulario completo, y nada más."),
        ],
        other,
    };
    Ok(private_page(status, &page))
}
