//! `POST /api/leads/:id/ingesta` (contract §2.1).

use axum::extract::State;
use axum::response::Response;
use embudo_app::KnownBy;
use embudo_domain::ingesta::Ingesta;

use crate::extraer::{Autorizado, LeadEnRuta};
use crate::json_body::{INGESTA, JsonBody};
use crate::problema::Problema;
use crate::{HttpState, answer};

pub(crate) async fn ingest(
    _: Autorizado,
    State(estado): State<HttpState>,
    lead: LeadEnRuta,
    cuerpo: JsonBody<Ingesta, INGESTA>,
) -> Result<Response, Problema> {
    let lead = lead.existe()?;
    let known_by = match (cuerpo.clave, cuerpo.repetible) {
        (Some(key), _) => KnownBy::Key(key),
        (None, Some(sha256)) => KnownBy::Bytes(sha256),
        (None, None) => KnownBy::Nothing,
    };
    // A client that hangs up drops this handler; the work has steps, so it goes on in a task of its own.
    let app = estado.app.clone();
    let permiso = cuerpo.permiso;
    let trabajo = tokio::spawn(async move {
        let end = app.ingesta().ingest(lead, cuerpo.valor, known_by).await;
        drop(permiso);
        end
    });
    let end = trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic");
    Ok(answer::of_call(&end?))
}
