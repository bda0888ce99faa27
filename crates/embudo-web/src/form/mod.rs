//! The public form: six steps from «¿Qué quieres reformar?» to how to go on.
//!
//! Until contact data is given, answers travel in addresses and hidden fields and nothing is stored; from then on the lead
//! exists, every step is a partial update of it, and the pass in the address opens it again. Plain forms throughout: `POST` is
//! answered with 303 to the next step, or with the same page and its mistakes (422). The modules only make it nicer.

mod answers;
mod calidad;
mod contact;
mod fotos;
mod metros;
mod mistakes;
mod multipart;
mod person;
mod price_range;
mod privacy;
mod slips;
mod step;
mod summary;
mod thanks;
mod tipo;
mod upload;
mod withdrawal;
mod words;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{get, post};

use crate::WebState;
use crate::parts::redirigir;
use step::{Abierto, Respuesta};

/// The version of the texts that a person consents under; it changes with any of them.
pub(crate) const VERSION_TEXTOS: &str = "formulario-2026-11-15";

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/", get(tipo::inicio))
        .route("/f/{slug}", get(tipo::nueva))
        .route("/f/{slug}/metros", get(metros::nueva).post(metros::volver))
        .route("/f/{slug}/contacto", get(contact::nuevo).post(contact::alta))
        .route("/f/{slug}/rango", get(price_range::serve))
        .route("/f/{slug}/privacidad", get(privacy::mostrar))
        .route("/f/{slug}/gracias", get(thanks::to_nobody))
        .route("/f/{slug}/{pase}", get(reanudar))
        .route("/f/{slug}/{pase}/tipo", get(tipo::mostrar).post(tipo::guardar))
        .route("/f/{slug}/{pase}/metros", get(metros::mostrar).post(metros::guardar))
        .route("/f/{slug}/{pase}/contacto", get(contact::mostrar).post(contact::corregir))
        .route("/f/{slug}/{pase}/calidad", get(calidad::mostrar).post(calidad::guardar))
        .route("/f/{slug}/{pase}/fotos", get(fotos::mostrar).post(upload::formulario))
        .route("/f/{slug}/{pase}/fotos/subir", post(upload::una))
        .route("/f/{slug}/{pase}/fotos/{foto}", get(fotos::imagen))
        .route("/f/{slug}/{pase}/fotos/{foto}/borrar", post(fotos::borrar))
        .route("/f/{slug}/{pase}/resumen", get(summary::mostrar))
        .route("/f/{slug}/{pase}/mensajeria", post(summary::mensajeria))
        .route("/f/{slug}/{pase}/llamada", post(summary::llamada))
        .route("/f/{slug}/{pase}/gracias", get(thanks::mostrar))
        .route("/c/{pase}", get(withdrawal::mostrar).post(withdrawal::retirar))
}

/// `GET /f/:slug/:pase`: goes on where the person left off.
async fn reanudar(State(estado): State<WebState>, Path((slug, pase)): Path<(String, String)>) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    Ok(redirigir(&abierto.form.ruta(abierto.por_donde())))
}
