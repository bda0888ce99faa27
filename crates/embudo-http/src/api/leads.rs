//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_store::command::UpdateContacto;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::views::done::Done;
use crate::views::lead::LeadRecord;
use crate::{HttpState, answer};

pub(crate) async fn create(
    _: Autorizado,
    State(estado): State<HttpState>,
    cuerpo: JsonBody<NuevoLead>,
) -> Result<Response, Problema> {
    Ok(answer::of_call(&estado.app.leads().create(cuerpo.valor, cuerpo.clave).await?))
}

pub(crate) async fn show(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
) -> Result<Response, Problema> {
    let ficha = estado.app.store.ficha(lead.existe()?).await?;
    Ok(answer::ok(&LeadRecord { ficha: &ficha, app: &estado.app }))
}

pub(crate) async fn update_contacto(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<ContactoPatch>,
) -> Result<Response, Problema> {
    let command = UpdateContacto { lead: lead.existe()?, patch: cuerpo.valor, en: estado.app.ahora() };
    estado.app.store.update_contacto(command).await?;
    Ok(answer::ok(&Done {}))
}
