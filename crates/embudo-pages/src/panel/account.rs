//! `/panel/cuenta`: the person's own data and settings.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::SessionId;
use embudo_domain::password;
use embudo_domain::role::{Permission, Role};
use embudo_domain::user::{User, parse_name};
use http::{StatusCode, Uri};

use super::agenda_view::{AgendaBack, AgendaView};
use super::devices_view::DevicesView;
use super::form_state::FormState;
use super::notices::{self, OwnChoice};
use super::words::{ago, moment};
use super::{Caller, PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::parts::{Refusal, fields_of, private_page, redirect};

#[derive(Template)]
#[template(path = "panel/account.html")]
struct AccountPage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    user: User,
    nombre: String,
    /// The person's companies, with their role in each.
    empresas: Vec<(String, Role)>,
    codes: u32,
    sessions: Vec<ShownSession>,
    choices: Vec<OwnChoice>,
    /// Whether the person may receive notices of leads in one of their companies. Also true for a person without
    /// companies.
    hears: bool,
    devices: DevicesView,
    has_mail: bool,
    /// Whether the person may change the notices of the current company.
    manages: bool,
    agenda: AgendaView,
    /// Whether the person goes on visits.
    visits: bool,
}

/// The part of the page that gets values of the last form: typed values that had an error, or a feed address shown
/// once.
pub(super) enum Part {
    None,
    Name(String),
    Agenda(AgendaBack),
}

struct ShownSession {
    id: String,
    agent: String,
    ip: String,
    since: String,
    used: String,
    own_device: bool,
    is_this: bool,
}

/// `GET /panel/cuenta`.
pub(super) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = match uri.query() {
        Some("hecho=nombre") => Some("Nombre guardado."),
        Some("hecho=clave") => Some("Contraseña cambiada. Las demás sesiones se han cerrado."),
        Some("hecho=agenda") => Some("Horario guardado."),
        Some("hecho=sin-calendario") => Some("La dirección de tu calendario ya no abre nada."),
        Some("hecho=avisos") => Some("Avisos guardados."),
        Some("hecho=dispositivo") => Some("Avisos activados en este dispositivo."),
        Some("hecho=sin-dispositivo") => Some("Ese dispositivo ya no recibe avisos."),
        Some("hecho=sesion") => Some("Sesión cerrada."),
        Some("hecho=sesiones") => Some("Las demás sesiones se han cerrado."),
        Some("hecho=sin-segundo-factor") => Some("El segundo factor está quitado."),
        _ => None,
    };
    page(&state, &signed, StatusCode::OK, FormState::default(), done, Part::None).await
}

/// `POST /panel/cuenta`: changes the name.
pub(super) async fn rename(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let typed = fields_of(&state, request).await?.text("nombre");
    match parse_name(&typed) {
        Ok(nombre) => {
            if nombre != signed.open.user.nombre {
                state.app.access().rename(&signed.open, nombre, &signed.origin).await?;
            }
            Ok(redirect("/panel/cuenta?hecho=nombre"))
        }
        Err(text) => {
            let form = FormState::wrong("nombre", text);
            page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, None, Part::Name(typed)).await
        }
    }
}

/// `POST /panel/cuenta/clave`.
pub(super) async fn change_password(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let (old, new) = (fields.raw("actual"), fields.raw("clave"));
    let user = &signed.open.user;
    let mut form = FormState::default();
    form.check("clave", password::check(new, &[&user.email.normal, &user.nombre]));
    if form.is_good() {
        state.throttle.again(user.id, &caller).await?;
        if state.app.access().change_password(&signed.open, old, new, &signed.origin).await? {
            return Ok(redirect("/panel/cuenta?hecho=clave"));
        }
        form.add("actual", "Esa no es tu contraseña de ahora.");
    }
    page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, None, Part::None).await
}

/// `POST /panel/cuenta/sesiones`: ends all sessions but the current one.
pub(super) async fn end_others(State(state): State<WebState>, signed: Signed) -> PanelResult {
    state.app.access().end_other_sessions(&signed.open, &signed.origin).await?;
    Ok(redirect("/panel/cuenta?hecho=sesiones"))
}

/// `POST /panel/cuenta/sesiones/:id`: ends one session.
pub(super) async fn end_one(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let id = SessionId::parse(&id).ok_or(Refusal::NotFound)?;
    if !state.app.access().end_session(&signed.open, id, &signed.origin).await? {
        return Err(Refusal::NotFound);
    }
    Ok(redirect("/panel/cuenta?hecho=sesion"))
}

/// Shows the page after a form that had an error or that has a value to show once.
pub(super) async fn again(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    part: Part,
) -> PanelResult {
    page(state, signed, status, form, None, part).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    done: Option<&'static str>,
    part: Part,
) -> PanelResult {
    let (typed, back) = match part {
        Part::None => (None, AgendaBack::default()),
        Part::Name(typed) => (Some(typed), AgendaBack::default()),
        Part::Agenda(back) => (None, back),
    };
    let user = signed.open.user.clone();
    let now = state.app.now();
    let sessions = state.app.store.sessions_of(user.id).await?;
    let shown = sessions.into_iter().filter(|s| s.is_live(now) && !s.halfway).map(|s| ShownSession {
        id: s.id.to_string(),
        agent: s.agent,
        ip: s.ip.map(|ip| ip.to_string()).unwrap_or_default(),
        since: moment(s.creada_en, now),
        used: ago(s.usada_en, now),
        own_device: s.own_device,
        is_this: s.id == signed.open.session.id,
    });
    let page = AccountPage {
        frame: PanelFrame::new(state, signed, "Mi cuenta", Section::Account)
            .await?
            .with(&[], &["dispositivos.js"]),
        form,
        done,
        nombre: typed.unwrap_or_else(|| user.nombre.clone()),
        empresas: signed.empresas.iter().map(|(e, role)| (e.nombre.clone(), *role)).collect(),
        codes: state.app.store.credentials(user.id).await?.codes,
        sessions: shown.collect(),
        choices: notices::own(state, signed).await?,
        hears: signed.empresas.is_empty() || notices::heard(signed).next().is_some(),
        devices: DevicesView::of(state, signed).await?,
        has_mail: state.app.outbound.mail.is_some(),
        manages: signed.may(Permission::RunCompany),
        agenda: AgendaView::of(state, signed, back).await?,
        visits: goes_on_visits(signed),
        user,
    };
    Ok(private_page(status, &page))
}

/// Whether the account page shows the person's hours for visits.
pub(super) fn goes_on_visits(signed: &Signed) -> bool {
    signed.empresas.iter().any(|(_, role)| role.may(Permission::GoOnVisits))
}
