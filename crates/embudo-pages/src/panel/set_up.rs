//! `/panel/empezar`: creates the first administrator, with the link in a file of the server's folder.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::{FirstPerson, SetUpError};
use embudo_domain::contact::Email;
use embudo_domain::password;
use embudo_domain::user::parse_name;
use http::{StatusCode, Uri};

use super::form_state::FormState;
use super::sign_in::welcome;
use super::{BareFrame, Caller, PanelResult};
use crate::WebState;
use crate::parts::{FormFields, fields_of, private_page, read_fields, redirect};

#[derive(Template)]
#[template(path = "panel/set_up.html")]
struct SetUpPage {
    frame: BareFrame,
    form: FormState,
    /// The pass of the link. Without a valid pass the page has no form and only says where to find the link.
    pass: Option<String>,
    nombre: String,
    email: String,
}

/// `GET /panel/empezar?pase=…`.
pub(super) async fn show(State(state): State<WebState>, caller: Caller, uri: Uri) -> PanelResult {
    if !state.app.access().awaits_set_up().await? {
        return Ok(redirect("/panel"));
    }
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let pass = query.raw("pase").to_owned();
    let good = state.app.access().may_set_up(&pass).await?;
    if !good && !pass.is_empty() {
        caller.guessed(&state)?;
    }
    let form = if good || pass.is_empty() { FormState::default() } else { FormState::wrong("", WRONG_LINK) };
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    page(&state, &caller, status, form, Some(pass).filter(|_| good), &FormFields::default()).await
}

const WRONG_LINK: &str = "Ese enlace no es el de este servidor. Cópialo entero del archivo.";

/// `POST /panel/empezar`.
pub(super) async fn start(State(state): State<WebState>, caller: Caller, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    state.throttle.place(&caller).await?;
    let pass = fields.raw("pase").to_owned();
    let mut form = FormState::default();
    let nombre = form.check("nombre", parse_name(&fields.text("nombre")));
    let email = form.check("correo", Email::parse(&fields.text("correo")));
    let own = [fields.raw("correo"), fields.raw("nombre")];
    form.check("clave", password::check(fields.raw("clave"), &own));
    let (Some(nombre), Some(email), true) = (nombre, email, form.is_good()) else {
        let pass = Some(pass);
        return page(&state, &caller, StatusCode::UNPROCESSABLE_ENTITY, form, pass, &fields).await;
    };
    let person = FirstPerson { nombre, email, password: fields.raw("clave").to_owned() };
    match state.app.access().set_up(&pass, person, &caller.origin).await {
        Ok(ticket) => {
            remove_link(&state).await;
            Ok(welcome(&caller, &ticket))
        }
        Err(SetUpError::Closed) => {
            let form = FormState::wrong("", WRONG_LINK);
            page(&state, &caller, StatusCode::NOT_FOUND, form, None, &fields).await
        }
        Err(SetUpError::Access(error)) => Err(error.into()),
    }
}

/// Deletes the file with the link. The link is no longer valid, so the file would only confuse.
async fn remove_link(state: &WebState) {
    let Some(file) = &state.settings.set_up_file else { return };
    if let Err(error) = tokio::fs::remove_file(file).await {
        tracing::warn!(%error, "the used link of the set-up could not be removed; it opens nothing any more");
    }
}

async fn page(
    state: &WebState,
    caller: &Caller,
    status: StatusCode,
    form: FormState,
    pass: Option<String>,
    fields: &FormFields,
) -> PanelResult {
    let frame = BareFrame::of(state, "Puesta en marcha", caller.theme).await?;
    let page = SetUpPage { frame, form, pass, nombre: fields.text("nombre"), email: fields.text("correo") };
    Ok(private_page(status, &page))
}
