//! Notices on devices: the panel as an installable page (`/panel/manifest.webmanifest`), the service worker that shows
//! push messages (`/panel/sw.js`), and the part of `/panel/cuenta` where a person turns notices on, chooses them and
//! turns them off.

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_domain::notice::{NoticeChoice, NoticeTopic};
use embudo_domain::push::{InvalidTarget, PushTarget};
use embudo_domain::{EmpresaId, PushId};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde_json::json;

use super::account::{self, Part};
use super::form_state::FormState;
use super::notices::{heard, kept};
use super::{PanelResult, Signed};
use crate::WebState;
use crate::parts::{Refusal, Storefront, assets, fields_of, redirect};

/// The source of the service worker. `ICONO` in it is replaced with the address of the icon.
const WORKER: &str = include_str!("../../assets/sw.js");

/// `GET /panel/manifest.webmanifest`. Browsers request it without a cookie, so it has the name of the default company,
/// like the sign-in page.
pub(super) async fn manifest(State(state): State<WebState>) -> PanelResult {
    let storefront = Storefront::of_default(&state).await?;
    let icon = |name: &str, sizes: &str, kind: &str| json!({ "src": assets::path(name), "sizes": sizes, "type": kind, "purpose": "any" });
    let manifest = json!({
        "id": "/panel",
        "name": format!("{} · Panel", storefront.empresa.nombre),
        "short_name": storefront.empresa.nombre,
        "lang": "es",
        "start_url": "/panel",
        "scope": "/panel",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": storefront.brand.color.to_string(),
        "icons": [
            icon("icono-192.png", "192x192", "image/png"),
            icon("icono-512.png", "512x512", "image/png"),
            icon("favicon.svg", "any", "image/svg+xml"),
        ],
    });
    Ok(file("application/manifest+json", manifest.to_string()))
}

/// `GET /panel/sw.js`.
pub(super) async fn worker() -> Response {
    file("text/javascript; charset=utf-8", WORKER.replace("ICONO", &assets::path("icono-192.png")))
}

/// A file with a fixed address. Browsers must ask the server before they use a cached copy, so that a new version of
/// the program takes effect.
fn file(kind: &'static str, text: String) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    response
}

/// `POST /panel/cuenta/dispositivos`: turns notices on in the browser that sends the request.
pub(super) async fn switch_on(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let target = PushTarget::parse(fields.raw("endpoint"), fields.raw("p256dh"), fields.raw("auth"));
    let why = match target {
        Ok(target) => {
            let access = state.app.access();
            match access
                .switch_device_on(&signed.open, first_companies(&signed), target, &signed.origin)
                .await?
            {
                Ok(()) => return Ok(redirect("/panel/cuenta?hecho=dispositivo#dispositivos")),
                Err(refused) => format!("No podemos enviar avisos a este navegador: {refused}."),
            }
        }
        Err(InvalidTarget::Endpoint) => {
            "El navegador ha dado una dirección de avisos que no sirve.".to_owned()
        }
        Err(InvalidTarget::Key) => "El navegador ha dado una clave de avisos que no sirve.".to_owned(),
    };
    let form = FormState::wrong("", why);
    account::again(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, Part::None).await
}

/// The companies whose notices a person's first device shows: the companies of the person. An administrator without a
/// company gets the current company of the panel.
fn first_companies(signed: &Signed) -> Vec<EmpresaId> {
    let own: Vec<_> = signed.open.user.memberships.iter().map(|membership| membership.empresa).collect();
    match own.is_empty() {
        true => signed.chosen().map(|(empresa, _)| empresa.id).into_iter().collect(),
        false => own,
    }
}

/// `POST /panel/cuenta/dispositivos/quitar`: removes one of the person's own devices.
pub(super) async fn switch_off(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let id = PushId::parse(fields.raw("dispositivo")).ok_or(Refusal::NotFound)?;
    if !state.app.access().switch_device_off(&signed.open, id, &signed.origin).await? {
        return Err(Refusal::NotFound);
    }
    Ok(redirect("/panel/cuenta?hecho=sin-dispositivo#dispositivos"))
}

/// `POST /panel/cuenta/dispositivos/avisos`: chooses which notices of a company the person's devices show.
pub(super) async fn choose(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let own = heard(&signed).find(|empresa| empresa.slug == fields.raw("empresa"));
    let empresa = own.ok_or(Refusal::NotFound)?;
    let is_ticked = |topic: &NoticeTopic| fields.has(&format!("movil-{topic}"));
    let on_devices = NoticeTopic::ALL.into_iter().filter(is_ticked).collect();
    let choice = NoticeChoice { on_devices, ..kept(&state, &signed, empresa.id).await? };
    state.app.access().choose_notices(&signed.open, empresa, choice, &signed.origin).await?;
    Ok(redirect("/panel/cuenta?hecho=avisos#dispositivos"))
}
