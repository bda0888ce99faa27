//! `POST /api/leads/:id/perfil` (contract §2.3).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::perfil::PerfilPatch;
use embudo_store::command::UpdatePerfil;
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
use crate::cuerpo::Cuerpo;
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn update(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<PerfilPatch>,
) -> Result<Response, Problema> {
    let PerfilPatch { perfil, enviados } = cuerpo.valor;
    let en = estado.app.ahora();
    let respuesta = contestar(StatusCode::OK, &json!({ "ok": true, "actualizado": enviados }));
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, en));
    let command = UpdatePerfil { lead: lead.existe()?, perfil, en, idempotencia };
    Ok(tras(estado.app.store.update_perfil(command).await?, respuesta))
}
