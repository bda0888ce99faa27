//! `/panel/recuperar`: mails a link with which to choose a new password, and accepts that password.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::ResetError;
use http::{StatusCode, Uri};

use super::form_state::FormState;
use super::{BareFrame, Caller, PanelResult};
use crate::WebState;
use crate::parts::{fields_of, private_page, read_fields, redirect};

#[derive(Template)]
#[template(path = "panel/recovery.html")]
struct RecoveryPage {
    frame: BareFrame,
    step: Step,
    form: FormState,
}

/// The state of the page.
enum Step {
    /// The page asks for the e-mail address.
    Ask,
    /// The link was mailed, if the person exists. The page does not reveal whether they do.
    Sent,
    /// The server cannot send mail.
    Elsewhere,
    /// The link is no longer valid.
    Over,
    /// The person chooses a password.
    Choose { pass: String, nombre: String, email: String },
}

/// `GET /panel/recuperar`, with `?pase=…` from a mail or an invitation.
pub(super) async fn show(State(state): State<WebState>, caller: Caller, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let pass = query.raw("pase");
    if !pass.is_empty() {
        // Another site can make its visitors' browsers request this address, so a request does not count as an attempt
        // to sign in.
        if state.app.access().reset_person(pass).await?.is_none() {
            caller.guessed(&state)?;
        }
        return chooser(&state, &caller, pass, FormState::default()).await;
    }
    let step = if state.app.access().can_mail() { Step::Ask } else { Step::Elsewhere };
    page(&state, &caller, StatusCode::OK, step, FormState::default()).await
}

/// `POST /panel/recuperar`. The answer is the same for every address, so that it does not reveal who has an account.
pub(super) async fn ask(State(state): State<WebState>, caller: Caller, request: Request) -> PanelResult {
    let email = fields_of(&state, request).await?.text("correo");
    state.throttle.link(&email, &caller).await?;
    if !state.app.access().can_mail() {
        return page(&state, &caller, StatusCode::OK, Step::Elsewhere, FormState::default()).await;
    }
    state.app.access().ask_reset(&email, &caller.origin);
    page(&state, &caller, StatusCode::OK, Step::Sent, FormState::default()).await
}

/// `POST /panel/recuperar/nueva`.
pub(super) async fn choose(State(state): State<WebState>, caller: Caller, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    state.throttle.place(&caller).await?;
    let pass = fields.raw("pase");
    match state.app.access().reset(pass, fields.raw("clave"), &caller.origin).await {
        Ok(done) if done.calendar_ended => Ok(redirect("/panel/entrar?aviso=clave-calendario")),
        Ok(_) => Ok(redirect("/panel/entrar?aviso=clave")),
        Err(ResetError::Password(text)) => {
            chooser(&state, &caller, pass, FormState::wrong("clave", text)).await
        }
        Err(ResetError::Over) => {
            page(&state, &caller, StatusCode::GONE, Step::Over, FormState::default()).await
        }
        Err(ResetError::Access(error)) => Err(error.into()),
    }
}

async fn chooser(state: &WebState, caller: &Caller, pass: &str, form: FormState) -> PanelResult {
    let Some(user) = state.app.access().reset_person(pass).await? else {
        return page(state, caller, StatusCode::GONE, Step::Over, FormState::default()).await;
    };
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let step = Step::Choose { pass: pass.to_owned(), nombre: user.nombre, email: user.email.typed };
    page(state, caller, status, step, form).await
}

async fn page(
    state: &WebState,
    caller: &Caller,
    status: StatusCode,
    step: Step,
    form: FormState,
) -> PanelResult {
    let frame = BareFrame::of(state, "Contraseña", caller.theme).await?;
    Ok(private_page(status, &RecoveryPage { frame, step, form }))
}
