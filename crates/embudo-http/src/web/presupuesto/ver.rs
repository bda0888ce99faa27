//! `GET /p/:pase`: the quote's page.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use embudo_app::Pase;
use embudo_domain::presupuesto::EstadoPresupuesto;
use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode, Uri};

use super::acceso::Abierto;
use super::cuadros::Album;
use super::puente;
use super::situacion::Situacion;
use super::vista::{Envio, Pagina};
use crate::Estado;
use crate::web::piezas::{Casa, Fallo, Marco, Visibilidad, leer_campos, pagina};

/// The page as it is now.
pub(super) async fn mostrar(
    State(estado): State<Estado>,
    abierto: Abierto,
    uri: Uri,
) -> Result<Response, Fallo> {
    let preguntado = leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("dudas") == "enviadas";
    mostrar_con(&estado, abierto, StatusCode::OK, Envio { preguntado, ..Envio::default() }).await
}

/// The page with what became of a form.
pub(super) async fn mostrar_con(
    estado: &Estado,
    abierto: Abierto,
    status: StatusCode,
    envio: Envio,
) -> Result<Response, Fallo> {
    let Abierto { base, presupuesto: p, casa } = abierto;
    let actual = match p.estado {
        EstadoPresupuesto::Sustituido => puente::actual(estado, p.lead).await?.map(|otro| {
            // Whoever holds a pass to one quote of a lead is its client, and may see the next.
            let pase = estado.app.salidas.pases.escribir(Pase::Presupuesto(otro.id), None);
            (otro.numero.to_string(), format!("/p/{pase}"))
        }),
        _ => None,
    };
    let rendiciones = puente::rendiciones(estado, p.lead).await?;
    let album = Album::new(&base, rendiciones, p.pdf.is_some());
    let situacion = Situacion::de(&p, puente::hoy(estado), actual);
    let plantilla = Pagina::new(casa, base, &p, &album, situacion, envio);
    Ok(personal(status, &plantilla.marco, &plantilla))
}

#[derive(Template)]
#[template(path = "presupuesto/ajeno.html")]
struct Ajeno {
    marco: Marco,
}

/// The page for a form that another site sent.
pub(super) fn ajeno(casa: Casa) -> Response {
    let plantilla = Ajeno { marco: Marco::new(casa, "No hemos guardado nada") };
    personal(StatusCode::FORBIDDEN, &plantilla.marco, &plantilla)
}

/// A page of somebody's own. Its address, which holds the pass, goes to nobody else; but its own forms may say where they come
/// from, by which older browsers' forms are told from those of other sites.
fn personal(status: StatusCode, marco: &Marco, plantilla: &impl Template) -> Response {
    let mut response = pagina(status, Visibilidad::Personal, marco, plantilla);
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
