//! `POST /api/leads/:id/conversacion` (contract §2.2).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::TurnoId;
use embudo_domain::conversacion::Turno;
use embudo_store::Outcome;
use embudo_store::command::AppendTurno;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::{HttpState, answer};

pub(crate) async fn append(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<Turno>,
) -> Result<Response, Problema> {
    let (id, en) = (TurnoId(estado.app.id()), estado.app.ahora());
    let outcome = Outcome::TurnoAppended { id };
    let idempotencia = cuerpo.clave.map(|clave| clave.with(outcome.clone(), Vec::new(), en));
    let command = AppendTurno { id, lead: lead.existe()?, turno: cuerpo.valor, en, idempotencia };
    Ok(answer::of_call(&CallEnd::of(estado.app.store.append_turno(command).await?, outcome)))
}
