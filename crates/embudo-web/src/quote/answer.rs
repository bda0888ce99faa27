//! `POST /p/:pase/aceptar`, `/rechazar` and `/dudas`: what the client says.

use axum::extract::{Request, State};
use axum::response::Response;
use embudo_app::ClientAnswer;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_store::presupuestos::AnswerResult;
use http::StatusCode;

use super::access::Enviado;
use super::view::FormPost;
use super::{bridge, show};
use crate::WebState;
use crate::parts::{Refusal, fields_of, redirect};

/// The longest reason, in characters.
const MAX_REASON: usize = 2_000;
/// The version of the words beside the button that asks by messaging: pressing it is the consent to be written to.
const DOUBTS_TEXT: &str = "presupuesto-2026-11";

/// The client accepts, having ticked that they read it.
pub(super) async fn accept(
    State(state): State<WebState>,
    sent: Enviado,
    request: Request,
) -> Result<Response, Refusal> {
    let fields = fields_of(&state, request).await?;
    if !fields.has("acepto") {
        let sending = FormPost { unmarked: true, ..FormPost::default() };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    }
    respond(&state, sent, true, None).await
}

/// The client declines, and says why if they like.
pub(super) async fn reject(
    State(state): State<WebState>,
    sent: Enviado,
    request: Request,
) -> Result<Response, Refusal> {
    let reason = fields_of(&state, request).await?.text("motivo");
    if reason.chars().count() > MAX_REASON {
        let bad_reason = Some("Es demasiado largo: caben 2.000 letras. Quédate con lo principal.");
        let sending = FormPost { bad_reason, reason, ..FormPost::default() };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    }
    respond(&state, sent, false, Some(reason).filter(|m| !m.is_empty())).await
}

async fn respond(
    state: &WebState,
    sent: Enviado,
    accepted: bool,
    reason: Option<String>,
) -> Result<Response, Refusal> {
    let Enviado { mut open, ip } = sent;
    let word = ClientAnswer { accepted, reason, ip };
    let denied = match bridge::answer(state, &open.presupuesto, word).await? {
        // What came of it stands over the page; the browser goes there, wherever the button was.
        AnswerResult::Done | AnswerResult::Repeated => {
            return Ok(redirect(&format!("{}#resultado", open.base)));
        }
        AnswerResult::DoesNotFit(PresupuestoState::Aceptado) => {
            "Este presupuesto ya está aceptado y no se puede rechazar desde aquí. Si algo ha cambiado, llámanos y lo vemos."
        }
        AnswerResult::DoesNotFit(PresupuestoState::Superseded) => {
            "No hemos guardado tu respuesta, porque hay un presupuesto más reciente. Míralo y respóndenos en él."
        }
        AnswerResult::DoesNotFit(_) => {
            "No hemos guardado tu respuesta, porque el presupuesto aún no está terminado. Vuelve a intentarlo en un minuto."
        }
        AnswerResult::Expired => {
            "No hemos guardado tu respuesta, porque el presupuesto ya no vale. Pídenos uno nuevo y te lo enviamos."
        }
    };
    // What refused it may have happened since it was read.
    open.presupuesto = bridge::presupuesto(state, open.presupuesto.id).await?;
    let sending = FormPost { denied: Some(denied), ..FormPost::default() };
    show::display_with(state, open, StatusCode::CONFLICT, sending).await
}

/// The client would rather talk: a conversation is started, once a minute at most.
pub(super) async fn ask(State(state): State<WebState>, sent: Enviado) -> Result<Response, Refusal> {
    let (app, lead) = (state.app.clone(), sent.open.presupuesto.lead);
    // The work has steps and goes on without its client.
    let job = tokio::spawn(async move { app.forms().go_on_by_mensajeria(lead, DOUBTS_TEXT).await });
    job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(redirect(&format!("{}?dudas=enviadas#dudas", sent.open.base)))
}
