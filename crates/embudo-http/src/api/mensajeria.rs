//! `POST /api/leads/:id/mensajeria` (contract §3): the lead chose to go on by messaging.

use axum::extract::State;
use axum::response::Response;
use embudo_domain::cuerpo::{Cuerpo as DelDominio, Datos};
use embudo_domain::esquema::Campo;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::{HttpState, answer};

/// The wish itself; the body may be empty and names no field.
pub(crate) struct Mensajeria;

impl DelDominio for Mensajeria {
    const CAMPOS: &'static [Campo] = &[];
    const PUEDE_FALTAR: bool = true;

    fn armar(_: Datos) -> Self {
        Self
    }
}

pub(crate) async fn start(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<Mensajeria>,
) -> Result<Response, Problema> {
    let lead = lead.existe()?;
    // As with ingestion: the work has steps and goes on without its client.
    let app = estado.app.clone();
    let trabajo = tokio::spawn(async move { app.leads().start_mensajeria(lead, cuerpo.clave).await });
    let end = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(answer::of_call(&end?))
}
