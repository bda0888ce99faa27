//! `POST /api/leads/:id/intento` (contract §2.5).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::IntentoId;
use embudo_domain::intento::Intento;
use embudo_store::command::RecordIntento;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn record(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Intento>,
) -> Result<Response, Problema> {
    let (id, en) = (IntentoId(estado.app.id()), estado.app.ahora());
    let respuesta = contestar(StatusCode::OK, &json!({ "ok": true, "id": id }));
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, en));
    let command = RecordIntento { id, lead: lead.existe()?, intento: cuerpo.valor, en, idempotencia };
    Ok(tras(estado.app.store.record_intento(command).await?, respuesta))
}
