//! `POST /api/leads/:id/conversacion` (contract §2.2).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::TurnoId;
use embudo_domain::conversacion::Turno;
use embudo_store::Outcome;
use embudo_store::command::AppendTurno;

use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;
use crate::{Estado, answer};

pub(crate) async fn append(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Turno>,
) -> Result<Response, Problema> {
    let (id, en) = (TurnoId(estado.app.id()), estado.app.ahora());
    let outcome = Outcome::TurnoAppended { id };
    let idempotencia = cuerpo.clave.map(|clave| clave.with(outcome.clone(), Vec::new(), en));
    let command = AppendTurno { id, lead: lead.existe()?, turno: cuerpo.valor, en, idempotencia };
    Ok(answer::of_call(&CallEnd::of(estado.app.store.append_turno(command).await?, outcome)))
}
