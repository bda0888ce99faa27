//! `POST /p/:pase/aceptar`, `/rechazar` and `/dudas`: what the client says.

use axum::extract::{Request, State};
use axum::response::Response;
use embudo_app::ClientAnswer;
use embudo_domain::presupuesto::EstadoPresupuesto;
use embudo_store::presupuestos::Contestacion;
use http::StatusCode;

use super::access::Enviado;
use super::view::Envio;
use super::{bridge, show};
use crate::WebState;
use crate::parts::{Refusal, campos_de, redirigir};

/// The longest reason, in characters.
const MOTIVO_MAXIMO: usize = 2_000;
/// The version of the words beside the button that asks by messaging: pressing it is the consent to be written to.
const TEXTO_DUDAS: &str = "presupuesto-2026-11";

/// The client accepts, having ticked that they read it.
pub(super) async fn aceptar(
    State(estado): State<WebState>,
    enviado: Enviado,
    request: Request,
) -> Result<Response, Refusal> {
    let campos = campos_de(&estado, request).await?;
    if !campos.tiene("acepto") {
        let envio = Envio { sin_marcar: true, ..Envio::default() };
        return show::mostrar_con(&estado, enviado.abierto, StatusCode::UNPROCESSABLE_ENTITY, envio).await;
    }
    responder(&estado, enviado, true, None).await
}

/// The client declines, and says why if they like.
pub(super) async fn rechazar(
    State(estado): State<WebState>,
    enviado: Enviado,
    request: Request,
) -> Result<Response, Refusal> {
    let motivo = campos_de(&estado, request).await?.texto("motivo");
    if motivo.chars().count() > MOTIVO_MAXIMO {
        let motivo_mal = Some("Es demasiado largo: caben 2.000 letras. Quédate con lo principal.");
        let envio = Envio { motivo_mal, motivo, ..Envio::default() };
        return show::mostrar_con(&estado, enviado.abierto, StatusCode::UNPROCESSABLE_ENTITY, envio).await;
    }
    responder(&estado, enviado, false, Some(motivo).filter(|m| !m.is_empty())).await
}

async fn responder(
    estado: &WebState,
    enviado: Enviado,
    aceptado: bool,
    motivo: Option<String>,
) -> Result<Response, Refusal> {
    let Enviado { mut abierto, ip } = enviado;
    let palabra = ClientAnswer { aceptado, motivo, ip };
    let negado = match bridge::contestar(estado, &abierto.presupuesto, palabra).await? {
        // What came of it stands over the page; the browser goes there, wherever the button was.
        Contestacion::Hecha | Contestacion::Repetida => {
            return Ok(redirigir(&format!("{}#resultado", abierto.base)));
        }
        Contestacion::NoCabe(EstadoPresupuesto::Aceptado) => {
            "Este presupuesto ya está aceptado y no se puede rechazar desde aquí. Si algo ha cambiado, llámanos y lo vemos."
        }
        Contestacion::NoCabe(EstadoPresupuesto::Sustituido) => {
            "No hemos guardado tu respuesta, porque hay un presupuesto más reciente. Míralo y respóndenos en él."
        }
        Contestacion::NoCabe(_) => {
            "No hemos guardado tu respuesta, porque el presupuesto aún no está terminado. Vuelve a intentarlo en un minuto."
        }
        Contestacion::Caducado => {
            "No hemos guardado tu respuesta, porque el presupuesto ya no vale. Pídenos uno nuevo y te lo enviamos."
        }
    };
    // What refused it may have happened since it was read.
    abierto.presupuesto = bridge::presupuesto(estado, abierto.presupuesto.id).await?;
    let envio = Envio { negado: Some(negado), ..Envio::default() };
    show::mostrar_con(estado, abierto, StatusCode::CONFLICT, envio).await
}

/// The client would rather talk: a conversation is started, once a minute at most.
pub(super) async fn preguntar(State(estado): State<WebState>, enviado: Enviado) -> Result<Response, Refusal> {
    let (app, lead) = (estado.app.clone(), enviado.abierto.presupuesto.lead);
    // The work has steps and goes on without its client.
    let trabajo = tokio::spawn(async move { app.forms().go_on_by_mensajeria(lead, TEXTO_DUDAS).await });
    trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(redirigir(&format!("{}?dudas=enviadas#dudas", enviado.abierto.base)))
}
