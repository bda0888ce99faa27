//! `POST /api/leads/:id/calificacion` (contract §2.4).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::calificacion::Calificacion;
use embudo_store::command::UpsertCalificacion;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn upsert(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Calificacion>,
) -> Result<Response, Problema> {
    let en = estado.app.ahora();
    let respuesta = contestar(StatusCode::OK, &json!({ "ok": true }));
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, en));
    let command = UpsertCalificacion { lead: lead.existe()?, calificacion: cuerpo.valor, en, idempotencia };
    Ok(tras(estado.app.store.upsert_calificacion(command).await?, respuesta))
}
