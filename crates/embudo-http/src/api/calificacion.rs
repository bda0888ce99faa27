//! `POST /api/leads/:id/calificacion` (contract §2.4).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::calificacion::Calificacion;
use embudo_store::Outcome;
use embudo_store::command::UpsertCalificacion;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::{HttpState, answer};

pub(crate) async fn upsert(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<Calificacion>,
) -> Result<Response, Problema> {
    let en = estado.app.ahora();
    let outcome = Outcome::Done;
    let idempotencia = cuerpo.clave.map(|clave| clave.with(outcome.clone(), Vec::new(), en));
    let command = UpsertCalificacion { lead: lead.existe()?, calificacion: cuerpo.valor, en, idempotencia };
    Ok(answer::of_call(&CallEnd::of(estado.app.store.upsert_calificacion(command).await?, outcome)))
}
