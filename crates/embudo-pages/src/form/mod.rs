//! The public form: seven steps from «¿Qué quieres reformar?» to how the client wants to continue.
//!
//! Until the person gives contact data, the answers travel in addresses and hidden fields and nothing is stored. From
//! then on the lead exists, every step is a partial update of the lead, and the pass in the address opens it again. All
//! steps are plain HTML forms: a `POST` is answered with 303 to the next step, or with the same page and its errors
//! (422). The JavaScript modules only add convenience.

mod answers;
mod calidad;
mod contact;
mod fotos;
mod kind;
mod material;
mod metros;
pub(crate) mod mistakes;
mod multipart;
mod person;
mod price_range;
mod privacy;
pub(crate) mod reminders;
mod slips;
mod step;
mod summary;
mod thanks;
mod upload;
mod vivienda;
mod withdrawal;
pub(crate) mod words;

use axum::extract::{Path, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use embudo_domain::privacy::Privacy;

use crate::WebState;
use crate::parts::{Refusal, is_from_us, pages, redirect};
pub(crate) use answers::{parse_euros, parse_m2, write_m2};
pub(crate) use material::{MAX_FOTO_BYTES, kind_of};
use step::{Opened, PageResult};

/// The version of the texts under which a person consents. Change it whenever any of these texts changes.
pub(crate) const TEXTS_VERSION: &str = "formulario-2026-11-15";

/// The version recorded with a consent: that of our texts and, where the company changed its privacy text, the day of
/// that change.
pub(crate) fn texts_version(privacy: &Privacy) -> String {
    match &privacy.version {
        Some(day) => format!("{TEXTS_VERSION}, empresa {day}"),
        None => TEXTS_VERSION.to_owned(),
    }
}

pages! {
    "/" => get kind::start;
    "/f/{slug}" => get kind::new;
    "/f/{slug}/metros" => get metros::new, post metros::go_back;
    "/f/{slug}/contacto" => get contact::new, post contact::signup;
    "/f/{slug}/rango" => get price_range::serve;
    "/f/{slug}/privacidad" => get privacy::show;
    "/f/{slug}/gracias" => get thanks::to_nobody;
    "/f/{slug}/{pase}" => get resume;
    "/f/{slug}/{pase}/tipo" => get kind::show, post kind::save;
    "/f/{slug}/{pase}/metros" => get metros::show, post metros::save;
    "/f/{slug}/{pase}/contacto" => get contact::show, post contact::correct;
    "/f/{slug}/{pase}/calidad" => get calidad::show, post calidad::save;
    "/f/{slug}/{pase}/vivienda" => get vivienda::show, post vivienda::save;
    "/f/{slug}/{pase}/fotos" => get fotos::show, post upload::form;
    "/f/{slug}/{pase}/fotos/subir" => post upload::upload_one;
    "/f/{slug}/{pase}/fotos/{foto}" => get fotos::image;
    "/f/{slug}/{pase}/fotos/{foto}/borrar" => post fotos::delete;
    "/f/{slug}/{pase}/resumen" => get summary::show;
    "/f/{slug}/{pase}/enviar" => post summary::send;
    "/f/{slug}/{pase}/mensajeria" => post summary::mensajeria;
    "/f/{slug}/{pase}/llamada" => post summary::call;
    "/f/{slug}/{pase}/gracias" => get thanks::show;
    "/c/{pase}" => get withdrawal::show, post withdrawal::withdraw;
}

/// Refuses a form that another site made a visitor's browser send. Such forms would use up the company's quota.
pub(crate) async fn own_pages_only(State(state): State<WebState>, request: Request, next: Next) -> Response {
    if !request.method().is_safe() && !is_from_us(request.headers(), request.uri(), &state) {
        return Refusal::Foreign.into_response();
    }
    next.run(request).await
}

/// `GET /f/:slug/:pase`: continues where the person left off.
async fn resume(State(state): State<WebState>, Path((slug, pass)): Path<(String, String)>) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    Ok(redirect(&open.form.path(open.first_open_step())))
}
