//! `/panel/empresa/formulario`: the address of the company's form, as a QR code to print and as a snippet for a web
//! page.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_app::{qr_sign_png, qr_sign_svg};
use embudo_domain::audit::AuditAction;
use embudo_domain::checklist::Task;
use embudo_domain::empresa::Empresa;
use embudo_domain::identity::Identity;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Uri};

use super::edit::{self, of_company};
use super::form_questions::QUESTIONS;
use super::form_slug::{self, SLUG};
use super::{Tabs, company, form_address, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Form, FormView, Group, Kind, Returned};
use crate::panel::kit::settings_edit;
use crate::panel::{Caller, PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/formulario";

const FORM: Form<Identity> = Form::new(
    PATH,
    "Guardar las webs",
    &[Group::new(
        "",
        "",
        &[of_company("origenes", "Webs que pueden mostrarlo", Kind::Long(3))
            .hint("Una por línea, entera: https://www.ejemplo.es. En las demás el navegador no lo deja ver. Si está vacío, no se puede mostrar en ninguna.")
            .class("lineas")
            .with(&[("spellcheck", "false"), ("autocapitalize", "none"), ("maxlength", "6000"), ("placeholder", "https://www.ejemplo.es")])],
    )],
);

#[derive(Template)]
#[template(path = "panel/empresa/form.html")]
struct FormSettingsPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    /// The form's public address.
    address: String,
    /// Whether the address is that of this request, because no public address is configured.
    is_guessed: bool,
    is_admin: bool,
    is_tried: bool,
    snippet: String,
    name: FormView,
    webs: FormView,
    questions: FormView,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    uri: Uri,
) -> PanelResult {
    let done = match uri.query() {
        Some("hecho") => Some("Guardado. Solo esas webs pueden mostrar tu formulario."),
        Some("direccion") => Some("Guardado. La dirección de antes lleva a esta."),
        Some("preguntas") => Some("Guardado. Tu formulario ya pregunta solo eso."),
        _ => None,
    };
    page(&state, &signed, &caller, done, Returned::default()).await
}

/// `POST /panel/empresa/formulario`: saves the web sites that may embed the form.
pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    match edit::save(&state, &signed, &fields, &FORM).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => page(&state, &signed, &caller, None, returned).await,
    }
}

/// `POST /panel/empresa/formulario/direccion`: changes the company's slug in the form's address.
pub(crate) async fn save_address(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match form_slug::save(&state, &signed, &sent).await? {
        None => Ok(redirect(&format!("{PATH}?direccion"))),
        Some(returned) => page(&state, &signed, &caller, None, returned).await,
    }
}

/// `POST /panel/empresa/formulario/preguntas`: chooses the optional questions, which do not decide the price.
pub(crate) async fn save_questions(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::SettingsChanged, &sent, &QUESTIONS).await? {
        None => Ok(redirect(&format!("{PATH}?preguntas"))),
        Some(returned) => page(&state, &signed, &caller, None, returned).await,
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    caller: &Caller,
    done: Option<&'static str>,
    returned: Returned,
) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let identity = Identity::of(&empresa, &stored.brand);
    let items = state.app.empresas().checklist(&empresa).await?;
    let settings = state.app.store.settings(empresa.id).await?;
    let address = form_address(&caller.home, &empresa);
    let page = FormSettingsPage {
        frame: frame(state, signed, "Formulario").await?,
        tabs: Tabs { here: PATH },
        done,
        is_guessed: state.app.outbound.links.is_none(),
        is_admin: signed.open.user.is_admin,
        is_tried: items.iter().any(|item| item.task == Task::Form && item.is_done()),
        snippet: snippet(&address),
        address,
        name: SLUG.view(&empresa, &returned).secondary(),
        webs: FORM.view(&identity, &returned).secondary(),
        questions: QUESTIONS.view(&settings, &returned).secondary(),
        form: returned.form,
    };
    Ok(private_page(returned.status, &page))
}

/// The HTML with which a web page embeds the form.
fn snippet(address: &str) -> String {
    format!(
        r#"<iframe src="{address}" title="Pide tu presupuesto" width="100%" height="900" loading="lazy"></iframe>"#
    )
}

pub(crate) async fn qr_svg(signed: Signed, caller: Caller, uri: Uri) -> Result<Response, Refusal> {
    let empresa = signed.empresa()?;
    let svg = qr_sign_svg(&form_address(&caller.home, empresa)).ok_or(Refusal::NotFound)?;
    Ok(file(svg.into_bytes(), "svg", "image/svg+xml", empresa, &uri))
}

pub(crate) async fn qr_png(signed: Signed, caller: Caller, uri: Uri) -> Result<Response, Refusal> {
    let empresa = signed.empresa()?;
    let address = form_address(&caller.home, empresa);
    let drawn = tokio::task::spawn_blocking(move || qr_sign_png(&address)).await;
    let png = drawn.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(file(png.ok_or(Refusal::NotFound)?, "png", "image/png", empresa, &uri))
}

/// An image, shown in the browser or, with `?bajar`, as a download.
fn file(bytes: Vec<u8>, ending: &str, kind: &'static str, empresa: &Empresa, uri: &Uri) -> Response {
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if uri.query() == Some("bajar") {
        let name = format!("attachment; filename=\"formulario-{}.{ending}\"", empresa.slug);
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&name).expect("a slug is plain"));
    }
    response
}
