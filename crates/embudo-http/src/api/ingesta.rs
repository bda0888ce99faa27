//! `POST /api/leads/:id/ingesta` (contract §2.1).

use axum::extract::State;
use axum::response::Response;
use embudo_app::{Llamada, Senales};
use embudo_domain::ingesta::{Ingesta, Item};
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestada, contestar};
use crate::cuerpo::{Cuerpo, INGESTA};
use crate::extraer::{Autorizado, LeadEnRuta};
use crate::problema::Problema;

pub(crate) async fn ingest(
    _: Autorizado,
    State(estado): State<Estado>,
    lead: LeadEnRuta,
    cuerpo: Cuerpo<Ingesta, INGESTA>,
) -> Result<Response, Problema> {
    let lead = lead.existe()?;
    let ingesta = cuerpo.valor;
    let finalizar = ingesta.finalizar;
    let fotos = ingesta.items.iter().filter(|item| matches!(item, Item::Foto(_))).count();
    let notas = ingesta.items.len() - fotos;
    let responder = move |senales: Senales| {
        let finalizado = finalizar
            .then(|| json!({ "ok": senales.presupuesto, "emailEnviado": senales.correo, "messagingSenal": senales.pdf }));
        let cuerpo = json!({
            "ok": true,
            "fotos": fotos,
            "notas": notas,
            "perfilSenalado": senales.perfil,
            "finalizado": finalizado,
        });
        contestar(StatusCode::OK, &cuerpo)
    };
    let ahora = estado.app.ahora();
    let llamada = match cuerpo.clave {
        Some(clave) => Llamada::ConClave(clave.con(&responder(Senales::default()), ahora)),
        None => Llamada::SinClave(cuerpo.repetible),
    };
    // A client that hangs up drops this handler; the work has steps, so it goes on in a task of its own.
    let app = estado.app.clone();
    let permiso = cuerpo.permiso;
    let trabajo = tokio::spawn(async move {
        let hecho = app.ingest(lead, ingesta, llamada, responder).await;
        drop(permiso);
        hecho
    });
    let hecho = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(contestada(hecho?))
}
