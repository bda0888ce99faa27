//! `/panel/entrar`, `/panel/entrar/codigo` and `/panel/salir`.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use embudo_app::{Attempt, SecondStep, SignIn};
use embudo_metrics::SIGN_INS;
use http::{StatusCode, Uri};

use super::cookies;
use super::form_state::FormState;
use super::switches::back;
use super::{BareFrame, Caller, PanelResult, Signed};
use crate::WebState;
use crate::parts::{fields_of, private_page, read_fields, redirect};

/// The text is the same for an unknown person, a wrong password and a person who may not sign in, so that it reveals
/// nothing.
const WRONG: &str = "El correo o la contraseña no son correctos.";
const WRONG_CODE: &str =
    "Ese código no vale. Cada código sirve una vez: espera al siguiente o usa uno de recuperación.";

#[derive(Template)]
#[template(path = "panel/sign_in.html")]
struct SignInPage {
    frame: BareFrame,
    form: FormState,
    email: String,
    own_device: bool,
    /// The address to continue to after signing in.
    back: String,
    notice: Option<&'static str>,
    /// The browser seems to use plain HTTP, where it would not keep the session cookie.
    insecure: bool,
}

#[derive(Template)]
#[template(path = "panel/code.html")]
struct CodePage {
    frame: BareFrame,
    form: FormState,
    back: String,
}

/// `GET /panel/entrar`.
pub(super) async fn show(
    State(state): State<WebState>,
    signed: Option<Signed>,
    caller: Caller,
    uri: Uri,
) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let back = back(query.raw("a")).to_owned();
    if signed.is_some() {
        return Ok(redirect(&back));
    }
    if state.app.access().awaits_set_up().await? {
        return Ok(redirect("/panel/empezar"));
    }
    let notice = match query.raw("aviso") {
        "clave" => Some("Tu contraseña nueva ya vale. Entra con ella."),
        "clave-calendario" => Some(
            "Tu contraseña nueva ya vale. Entra con ella. La dirección de tu calendario ya no abre nada: crea otra en «Mi cuenta» y cámbiala en los programas que lo seguían.",
        ),
        "fuera" => Some("Has salido. ¡Hasta la próxima!"),
        _ => None,
    };
    let page = SignInPage {
        frame: BareFrame::of(&state, "Entrar", caller.theme).await?,
        form: FormState::default(),
        email: String::new(),
        own_device: false,
        back,
        notice,
        insecure: caller.is_insecure,
    };
    Ok(private_page(StatusCode::OK, &page))
}

/// `POST /panel/entrar`.
pub(super) async fn enter(State(state): State<WebState>, caller: Caller, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let attempt = Attempt {
        email: fields.text("correo"),
        password: fields.raw("clave").to_owned(),
        own_device: fields.has("propio"),
        had: caller.token.clone(),
    };
    let place = back(fields.raw("a"));
    if let Err(refusal) = state.throttle.password(&attempt.email, &caller).await {
        state.app.access().locked_out(&attempt.email, &caller.origin);
        count("locked_out");
        return Err(refusal);
    }
    let signed_in = state.app.access().sign_in(&attempt, &caller.origin).await;
    count(match &signed_in {
        Ok(SignIn::Open(_)) => "opened",
        Ok(SignIn::NeedsCode(_)) => "needs_code",
        Ok(SignIn::Wrong) => "wrong_password",
        Err(_) => "failed",
    });
    match signed_in? {
        SignIn::Open(ticket) => Ok(cookies::keep(redirect(place), caller.scheme, &ticket)),
        SignIn::NeedsCode(ticket) => {
            let place = format!("/panel/entrar/codigo?a={}", encoded(place));
            Ok(cookies::keep(redirect(&place), caller.scheme, &ticket))
        }
        SignIn::Wrong => {
            let page = SignInPage {
                frame: BareFrame::of(&state, "Entrar", caller.theme).await?,
                form: FormState::wrong("", WRONG),
                email: attempt.email,
                own_device: attempt.own_device,
                back: place.to_owned(),
                notice: None,
                insecure: false,
            };
            Ok(private_page(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

/// `GET /panel/entrar/codigo`.
pub(super) async fn show_code(State(state): State<WebState>, caller: Caller, uri: Uri) -> PanelResult {
    let token = caller.token.as_deref().unwrap_or_default();
    if state.app.access().awaits_code(token).await?.is_none() {
        return Ok(redirect("/panel/entrar"));
    }
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    code_page(&state, &caller, StatusCode::OK, FormState::default(), back(query.raw("a"))).await
}

/// `POST /panel/entrar/codigo`.
pub(super) async fn enter_code(
    State(state): State<WebState>,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let token = caller.token.clone().unwrap_or_default();
    let Some(user) = state.app.access().awaits_code(&token).await? else {
        return Ok(redirect("/panel/entrar"));
    };
    let fields = fields_of(&state, request).await?;
    if let Err(refusal) = state.throttle.code(user, &caller).await {
        state.app.access().locked_out_of_code(user, &caller.origin);
        count("locked_out");
        return Err(refusal);
    }
    let place = back(fields.raw("a"));
    let second_step = state.app.access().second_step(&token, &fields.text("codigo"), &caller.origin).await;
    match &second_step {
        Ok(SecondStep::Open(_)) => count("opened"),
        Ok(SecondStep::Wrong) => count("wrong_code"),
        Err(_) => count("failed"),
        // The person must enter the password again. Nothing is counted.
        Ok(SecondStep::Over) => {}
    }
    match second_step? {
        SecondStep::Open(ticket) => Ok(cookies::keep(redirect(place), caller.scheme, &ticket)),
        SecondStep::Over => Ok(redirect("/panel/entrar")),
        SecondStep::Wrong => {
            let form = FormState::wrong("codigo", WRONG_CODE);
            code_page(&state, &caller, StatusCode::UNPROCESSABLE_ENTITY, form, place).await
        }
    }
}

async fn code_page(
    state: &WebState,
    caller: &Caller,
    status: StatusCode,
    form: FormState,
    back: &str,
) -> PanelResult {
    let frame = BareFrame::of(state, "Segundo paso", caller.theme).await?;
    Ok(private_page(status, &CodePage { frame, form, back: back.to_owned() }))
}

/// `POST /panel/salir`.
pub(super) async fn leave(State(state): State<WebState>, caller: Caller) -> PanelResult {
    if let Some(token) = &caller.token {
        state.app.access().sign_out(token, &caller.origin).await?;
    }
    Ok(cookies::forget(redirect("/panel/entrar?aviso=fuera"), caller.scheme))
}

/// Counts the result of an attempt to sign in.
fn count(outcome: &str) {
    SIGN_INS.counter(&[outcome]).increment(1);
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Signs in the first administrator after the set-up.
pub(super) fn welcome(caller: &Caller, ticket: &embudo_app::SessionToken) -> Response {
    cookies::keep(redirect("/panel"), caller.scheme, ticket)
}
