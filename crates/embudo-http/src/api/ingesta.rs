//! `POST /api/leads/:id/ingesta` (contract §2.1).

use axum::extract::State;
use axum::response::Response;
use embudo_domain::ingesta::{Ingesta, Item};
use http::StatusCode;
use serde_json::json;

use crate::Estado;
use crate::contestacion::{contestar, tras};
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
    let fotos = ingesta.items.iter().filter(|item| matches!(item, Item::Foto(_))).count();
    let finalizado =
        ingesta.finalizar.then(|| json!({ "ok": false, "emailEnviado": false, "messagingSenal": false }));
    let respuesta = contestar(
        StatusCode::OK,
        &json!({
            "ok": true,
            "fotos": fotos,
            "notas": ingesta.items.len() - fotos,
            "perfilSenalado": false,
            "finalizado": finalizado,
        }),
    );
    let idempotencia = cuerpo.clave.map(|clave| clave.con(&respuesta, estado.app.ahora()));
    // A client that hangs up drops this handler; the work has steps, so it goes on in a task of its own.
    let app = estado.app.clone();
    let permiso = cuerpo.permiso;
    let trabajo = tokio::spawn(async move {
        let hecho = app.ingest(lead, ingesta, idempotencia).await;
        drop(permiso);
        hecho
    });
    let hecho = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(tras(hecho?, respuesta))
}
