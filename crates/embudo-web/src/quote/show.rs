//! `GET /p/:pase`: the quote's page.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use embudo_app::Pase;
use embudo_domain::presupuesto::EstadoPresupuesto;
use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode, Uri};

use super::access::Abierto;
use super::bridge;
use super::pictures::Album;
use super::standing::Situacion;
use super::view::{Envio, Pagina};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibilidad, leer_campos, pagina};

/// The page as it is now.
pub(super) async fn mostrar(
    State(estado): State<WebState>,
    abierto: Abierto,
    uri: Uri,
) -> Result<Response, Refusal> {
    let preguntado = leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("dudas") == "enviadas";
    mostrar_con(&estado, abierto, StatusCode::OK, Envio { preguntado, ..Envio::default() }).await
}

/// The page with what became of a form.
pub(super) async fn mostrar_con(
    estado: &WebState,
    abierto: Abierto,
    status: StatusCode,
    envio: Envio,
) -> Result<Response, Refusal> {
    let Abierto { base, presupuesto: p, storefront } = abierto;
    let actual = match p.estado {
        EstadoPresupuesto::Sustituido => bridge::actual(estado, p.lead).await?.map(|otro| {
            // Whoever holds a pass to one quote of a lead is its client, and may see the next.
            let pase = estado.app.outbound.pases.escribir(Pase::Presupuesto(otro.id), None);
            (otro.numero.to_string(), format!("/p/{pase}"))
        }),
        _ => None,
    };
    let rendiciones = bridge::rendiciones(estado, p.lead).await?;
    let album = Album::new(&base, rendiciones, p.pdf.is_some());
    let situacion = Situacion::de(&p, bridge::hoy(estado), actual);
    let plantilla = Pagina::new(storefront, base, &p, &album, situacion, envio);
    Ok(personal(status, &plantilla.frame, &plantilla))
}

#[derive(Template)]
#[template(path = "quote/foreign.html")]
struct Ajeno {
    frame: Frame,
}

/// The page for a form that another site sent.
pub(super) fn ajeno(storefront: Storefront) -> Response {
    let plantilla = Ajeno { frame: Frame::new(storefront, "No hemos guardado nada") };
    personal(StatusCode::FORBIDDEN, &plantilla.frame, &plantilla)
}

/// A page of somebody's own. Its address, which holds the pass, goes to nobody else; but its own forms may say where they come
/// from, by which older browsers' forms are told from those of other sites.
fn personal(status: StatusCode, frame: &Frame, plantilla: &impl Template) -> Response {
    let mut response = pagina(status, Visibilidad::Personal, frame, plantilla);
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
