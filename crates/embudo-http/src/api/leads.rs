//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::LeadId;
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_store::command::UpdateContacto;
use http::StatusCode;
use serde_json::json;

use super::vista;
use crate::Estado;
use crate::contestacion::{contestar, responder, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn create(
    _: Autorizado,
    State(estado): State<Estado>,
    cuerpo: Cuerpo<NuevoLead>,
) -> Result<Response, Problema> {
    let id = LeadId(estado.app.id());
    let mut respuesta = contestar(StatusCode::CREATED, &json!({ "ok": true, "id": id }));
    respuesta.location = Some(format!("/api/leads/{id}"));
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, estado.app.ahora()));
    Ok(tras(estado.app.create_lead(id, cuerpo.valor, idempotencia).await?, respuesta))
}

pub(crate) async fn show(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
) -> Result<Response, Problema> {
    let ficha = estado.app.store.ficha(lead.existe()?).await?;
    Ok(responder(contestar(StatusCode::OK, &vista::ficha(&ficha, &estado.app))))
}

pub(crate) async fn update_contacto(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<ContactoPatch>,
) -> Result<Response, Problema> {
    let command = UpdateContacto { lead: lead.existe()?, patch: cuerpo.valor, en: estado.app.ahora() };
    estado.app.store.update_contacto(command).await?;
    Ok(responder(contestar(StatusCode::OK, &json!({ "ok": true }))))
}
