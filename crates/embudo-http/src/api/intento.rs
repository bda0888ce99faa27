//! `POST /api/leads/:id/intento` (contract §2.5).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::IntentoId;
use embudo_domain::intento::Intento;
use embudo_store::Outcome;
use embudo_store::command::RecordIntento;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::{HttpState, answer};

pub(crate) async fn record(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<Intento>,
) -> Result<Response, Problema> {
    let (id, en) = (IntentoId(estado.app.id()), estado.app.ahora());
    let outcome = Outcome::IntentoRecorded { id };
    let idempotencia = cuerpo.clave.map(|clave| clave.with(outcome.clone(), Vec::new(), en));
    let command = RecordIntento { id, lead: lead.existe()?, intento: cuerpo.valor, en, idempotencia };
    Ok(answer::of_call(&CallEnd::of(estado.app.store.record_intento(command).await?, outcome)))
}
