//! `POST /api/leads/:id/perfil` (contract §2.3).

use axum::extract::State;
use axum::response::Response;
use embudo_app::CallEnd;
use embudo_domain::perfil::PerfilPatch;
use embudo_store::Outcome;
use embudo_store::command::UpdatePerfil;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::JsonBody;
use crate::problema::Problema;
use crate::{HttpState, answer};

pub(crate) async fn update(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<PerfilPatch>,
) -> Result<Response, Problema> {
    let PerfilPatch { perfil, enviados } = cuerpo.valor;
    let en = estado.app.ahora();
    let outcome = Outcome::PerfilUpdated { actualizado: enviados.into_iter().map(Into::into).collect() };
    let idempotencia = cuerpo.clave.map(|clave| clave.with(outcome.clone(), Vec::new(), en));
    let command = UpdatePerfil { lead: lead.existe()?, perfil, en, idempotencia };
    Ok(answer::of_call(&CallEnd::of(estado.app.store.update_perfil(command).await?, outcome)))
}
