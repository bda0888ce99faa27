//! `POST /api/leads/:id/conversacion` (contract §2.2).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::TurnoId;
use embudo_domain::conversacion::Turno;
use embudo_store::command::AppendTurno;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn append(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Turno>,
) -> Result<Response, Problema> {
    let (id, en) = (TurnoId(estado.app.id()), estado.app.ahora());
    let respuesta = contestar(StatusCode::OK, &json!({ "ok": true, "id": id }));
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, en));
    let command = AppendTurno { id, lead: lead.existe()?, turno: cuerpo.valor, en, idempotencia };
    Ok(tras(estado.app.store.append_turno(command).await?, respuesta))
}
