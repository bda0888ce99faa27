//! The public form: six steps from «¿Qué quieres reformar?» to how to go on.
//!
//! Until contact data is given, answers travel in addresses and hidden fields and nothing is stored; from then on the lead
//! exists, every step is a partial update of it, and the pass in the address opens it again. Plain forms throughout: `POST` is
//! answered with 303 to the next step, or with the same page and its mistakes (422). The modules only make it nicer.

mod calidad;
mod contacto;
mod datos;
mod errores;
mod fotos;
mod gracias;
mod metros;
mod multipart;
mod palabras;
mod persona;
mod privacidad;
mod rango;
mod resumen;
mod retirada;
mod slips;
mod subida;
mod tipo;
mod vista;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{get, post};

use crate::Estado;
use crate::web::piezas::redirigir;
use vista::{Abierto, Respuesta};

/// The version of the texts that a person consents under; it changes with any of them.
pub(crate) const VERSION_TEXTOS: &str = "formulario-2026-11-15";

pub(super) fn rutas() -> Router<Estado> {
    Router::new()
        .route("/", get(tipo::inicio))
        .route("/f/{slug}", get(tipo::nueva))
        .route("/f/{slug}/metros", get(metros::nueva).post(metros::volver))
        .route("/f/{slug}/contacto", get(contacto::nuevo).post(contacto::alta))
        .route("/f/{slug}/rango", get(rango::servir))
        .route("/f/{slug}/privacidad", get(privacidad::mostrar))
        .route("/f/{slug}/gracias", get(gracias::sin_lead))
        .route("/f/{slug}/{pase}", get(reanudar))
        .route("/f/{slug}/{pase}/tipo", get(tipo::mostrar).post(tipo::guardar))
        .route("/f/{slug}/{pase}/metros", get(metros::mostrar).post(metros::guardar))
        .route("/f/{slug}/{pase}/contacto", get(contacto::mostrar).post(contacto::corregir))
        .route("/f/{slug}/{pase}/calidad", get(calidad::mostrar).post(calidad::guardar))
        .route("/f/{slug}/{pase}/fotos", get(fotos::mostrar).post(subida::formulario))
        .route("/f/{slug}/{pase}/fotos/subir", post(subida::una))
        .route("/f/{slug}/{pase}/fotos/{foto}", get(fotos::imagen))
        .route("/f/{slug}/{pase}/fotos/{foto}/borrar", post(fotos::borrar))
        .route("/f/{slug}/{pase}/resumen", get(resumen::mostrar))
        .route("/f/{slug}/{pase}/mensajeria", post(resumen::mensajeria))
        .route("/f/{slug}/{pase}/llamada", post(resumen::llamada))
        .route("/f/{slug}/{pase}/gracias", get(gracias::mostrar))
        .route("/c/{pase}", get(retirada::mostrar).post(retirada::retirar))
}

/// `GET /f/:slug/:pase`: goes on where the person left off.
async fn reanudar(State(estado): State<Estado>, Path((slug, pase)): Path<(String, String)>) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    Ok(redirigir(&abierto.ruta(abierto.por_donde())))
}
