//! `/panel/cuenta/segundo-factor`: turns the second factor on or off, and renews the recovery codes.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::{Enrolment, TotpChange, qr_svg};
use http::StatusCode;

use super::form_state::FormState;
use super::kit::password::WRONG_PASSWORD;
use super::{Caller, PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::parts::{fields_of, private_page, redirect};

const WRONG_CODE: &str =
    "Ese código no vale. Mira que la hora del móvil esté bien y escribe el que sale ahora.";

#[derive(Template)]
#[template(path = "panel/second_factor.html")]
struct SecondFactorPage {
    frame: PanelFrame,
    form: FormState,
    is_on: bool,
    codes: u32,
    /// The secret offered while the second factor is off.
    secret: String,
    /// The secret in groups of four characters, for typing it.
    spelled: String,
    /// The QR code as SVG. It contains no text of users, so the template may insert it unescaped.
    qr: String,
}

#[derive(Template)]
#[template(path = "panel/recovery_codes.html")]
struct CodesPage {
    frame: PanelFrame,
    codes: Vec<String>,
}

/// `GET /panel/cuenta/segundo-factor`.
pub(super) async fn show(State(state): State<WebState>, signed: Signed) -> PanelResult {
    page(&state, &signed, StatusCode::OK, FormState::default(), None).await
}

/// `POST /panel/cuenta/segundo-factor`: turns the second factor on.
pub(super) async fn turn_on(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    state.throttle.again(signed.open.user.id, &caller).await?;
    let (secret, code, password) = (fields.text("secreto"), fields.text("codigo"), fields.raw("clave"));
    let access = state.app.access();
    match access.turn_totp_on(&signed.open, &secret, &code, password, &signed.origin).await? {
        TotpChange::Done(codes) => codes_page(&state, &signed, codes).await,
        other => refused(&state, &signed, &other, Some(&secret)).await,
    }
}

/// `POST /panel/cuenta/segundo-factor/codigos`: new recovery codes.
pub(super) async fn renew(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    state.throttle.again(signed.open.user.id, &caller).await?;
    match state.app.access().renew_codes(&signed.open, fields.raw("clave"), &signed.origin).await? {
        TotpChange::Done(codes) => codes_page(&state, &signed, codes).await,
        other => refused(&state, &signed, &other, None).await,
    }
}

/// `POST /panel/cuenta/segundo-factor/quitar`.
pub(super) async fn turn_off(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    state.throttle.again(signed.open.user.id, &caller).await?;
    match state.app.access().turn_totp_off(&signed.open, fields.raw("clave"), &signed.origin).await? {
        TotpChange::Done(_) => Ok(redirect("/panel/cuenta?hecho=sin-segundo-factor")),
        other => refused(&state, &signed, &other, None).await,
    }
}

async fn refused(
    state: &WebState,
    signed: &Signed,
    change: &TotpChange,
    offered: Option<&str>,
) -> PanelResult {
    let form = match change {
        TotpChange::WrongPassword => FormState::wrong("clave", WRONG_PASSWORD),
        _ => FormState::wrong("codigo", WRONG_CODE),
    };
    page(state, signed, StatusCode::UNPROCESSABLE_ENTITY, form, offered).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    offered: Option<&str>,
) -> PanelResult {
    let Enrolment { secret, uri } = state.app.access().enrol(&signed.open, offered);
    let spelled = secret.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    let page = SecondFactorPage {
        frame: PanelFrame::new(state, signed, "Segundo factor", Section::Account).await?,
        form,
        is_on: signed.open.user.has_totp,
        codes: state.app.store.credentials(signed.open.user.id).await?.codes,
        secret,
        spelled,
        qr: qr_svg(&uri).unwrap_or_default(),
    };
    Ok(private_page(status, &page))
}

async fn codes_page(state: &WebState, signed: &Signed, codes: Vec<String>) -> PanelResult {
    let frame = PanelFrame::new(state, signed, "Códigos de recuperación", Section::Account).await?;
    Ok(private_page(StatusCode::OK, &CodesPage { frame, codes }))
}
