//! `POST /api/leads/:id/mensajeria` (contract §3): the lead chose to go on by messaging.

use axum::extract::State;
use axum::response::Response;
use embudo_app::Senales;
use embudo_domain::cuerpo::{Cuerpo as DelDominio, Datos};
use embudo_domain::esquema::Campo;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestada, contestar};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

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
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Mensajeria>,
) -> Result<Response, Problema> {
    let lead = lead.existe()?;
    let responder =
        |senales: Senales| contestar(StatusCode::OK, &json!({ "ok": true, "senal": senales.mensajeria }));
    let ahora = estado.app.ahora();
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&responder(Senales::default()), ahora));
    // As with ingestion: the work has steps and goes on without its client.
    let app = estado.app.clone();
    let trabajo = tokio::spawn(async move { app.start_mensajeria(lead, idempotencia, responder).await });
    let hecho = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(contestada(hecho?))
}
