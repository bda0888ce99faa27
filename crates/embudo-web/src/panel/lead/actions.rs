//! The buttons of a lead's page. Each does what the API does, once for each time it is pressed.

use axum::extract::{Path, Request, State};
use embudo_app::{AppError, CallEnd, KnownBy};
use embudo_domain::audit::AuditAction;
use embudo_domain::body::Body as _;
use embudo_domain::ingesta::Ingesta;
use embudo_domain::intento::Intento;
use embudo_domain::lead::Lead;
use embudo_domain::role::Role;
use embudo_store::{Outcome, StoreError};
use http::StatusCode;
use serde_json::json;

use super::show::{Shown, render};
use super::{open, press};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// `POST /panel/leads/:id/mensajeria`.
pub(crate) async fn start_mensajeria(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Comercial).await?;
    let Some(key) = press(&fields_of(&state, request).await?, "mensajeria") else {
        return again(&state, &signed, &lead).await;
    };
    let (app, id) = (state.app.clone(), lead.id);
    let end =
        finished(tokio::spawn(async move { app.leads().start_mensajeria(id, Some(key)).await })).await?;
    let said = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::MensajeriaStarted { accepted: true }) => "mensajeria",
        _ if state.app.outbound.mensajeria.is_none() => "mensajeria-simulada",
        _ => "mensajeria-espera",
    };
    log(&state, &signed, &lead, end.as_ref(), AuditAction::LeadMessaging).await?;
    Ok(back(&lead, said))
}

/// `POST /panel/leads/:id/completo`: the profile signal, the first time or again.
pub(crate) async fn complete(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Comercial).await?;
    let fields = fields_of(&state, request).await?;
    let action = match fields.has("otra-vez") {
        true => AuditAction::LeadResignalled,
        false => AuditAction::LeadComplete,
    };
    let ingesta = Ingesta { items: Vec::new(), perfil_completo: true, finalizar: false };
    let Some(end) = ingest(&state, &lead, ingesta, &fields, "completo").await? else {
        return again(&state, &signed, &lead).await;
    };
    let said = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Ingested { perfil_accepted: true, .. }) => "completo",
        _ if state.app.outbound.perfil.is_none() => "completo-simulado",
        _ => "completo-espera",
    };
    log(&state, &signed, &lead, end.as_ref(), action).await?;
    Ok(back(&lead, said))
}

/// `POST /panel/leads/:id/finalizar`: the quote, made and sent.
pub(crate) async fn finalize(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Comercial).await?;
    let fields = fields_of(&state, request).await?;
    let ingesta = Ingesta { items: Vec::new(), perfil_completo: false, finalizar: true };
    let Some(end) = ingest(&state, &lead, ingesta, &fields, "finalizar").await? else {
        return again(&state, &signed, &lead).await;
    };
    let said = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Ingested { finalizado: Some(done), .. }) if done.presupuesto => "finalizado",
        _ => "finalizado-espera",
    };
    log(&state, &signed, &lead, end.as_ref(), AuditAction::LeadFinalized).await?;
    Ok(back(&lead, said))
}

/// `POST /panel/leads/:id/llamada`: a call that was made.
pub(crate) async fn call(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Comercial).await?;
    let fields = fields_of(&state, request).await?;
    let Some(key) = press(&fields, "llamada") else { return again(&state, &signed, &lead).await };
    let number = state.app.store.sheet(lead.id).await?.last_call + 1;
    match read_call(&fields, number) {
        Ok(intento) => {
            match state.app.leads().record_call(&lead, intento, key, &signed.actor()).await {
                Ok(()) | Err(AppError::Store(StoreError::KeyInProgress)) => {}
                Err(error) => return Err(error.into()),
            }
            Ok(back(&lead, "llamada"))
        }
        Err(form) => {
            let shown = Shown { form, call: Some(fields), ..Shown::default() };
            render(&state, &signed, lead.id, StatusCode::UNPROCESSABLE_ENTITY, shown).await
        }
    }
}

/// A call by the rules of the API.
fn read_call(fields: &FormFields, number: i64) -> Result<Intento, FormState> {
    let result = fields.text("resultado");
    let mut body = json!({ "canal": "llamada", "numeroIntento": number });
    if !result.is_empty() {
        body["resultado"] = json!(result);
        body["completado"] = json!(result == "exitoso");
    }
    let minutes = fields.text("minutos");
    if !minutes.is_empty() {
        match minutes.parse::<i64>().ok().filter(|n| (0..=600).contains(n)) {
            Some(minutes) => body["duracionSeg"] = json!(minutes * 60),
            None => return Err(FormState::wrong("minutos", "Escribe los minutos con números, de 0 a 600.")),
        }
    }
    let notas = fields.text("notas");
    if !notas.is_empty() {
        body["notas"] = json!(notas);
    }
    Intento::read(body.to_string().as_bytes()).map_err(|wrong| {
        let mut form = FormState::default();
        for error in &wrong.errors {
            let field = if error.field == "/resultado" { "resultado" } else { "" };
            form.add(field, error.mensaje.clone());
        }
        form
    })
}

/// The use case of `POST /api/leads/:id/ingesta`. `None`: the button came with no page of ours; an inner `None`: it is being done.
async fn ingest(
    state: &WebState,
    lead: &Lead,
    ingesta: Ingesta,
    fields: &FormFields,
    what: &str,
) -> Result<Option<Option<CallEnd>>, Refusal> {
    let Some(key) = press(fields, what) else { return Ok(None) };
    let (app, id) = (state.app.clone(), lead.id);
    let task = tokio::spawn(async move { app.ingesta().ingest(id, ingesta, KnownBy::Key(key)).await });
    finished(task).await.map(Some)
}

/// What came of something that has steps, and goes on without its client. `None`: a first press is still on its way.
async fn finished(
    task: tokio::task::JoinHandle<Result<CallEnd, AppError>>,
) -> Result<Option<CallEnd>, Refusal> {
    match task.await.expect("the task is not cancelled; a panic in it is this request's panic") {
        Ok(end) => Ok(Some(end)),
        Err(AppError::Store(StoreError::KeyInProgress)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Tells the audit log, once a press.
async fn log(
    state: &WebState,
    signed: &Signed,
    lead: &Lead,
    end: Option<&CallEnd>,
    action: AuditAction,
) -> Result<(), Refusal> {
    if end.is_some_and(|end| !end.is_replay) {
        state.app.leads().log(lead.id, lead.empresa.id, action, None, &signed.actor()).await?;
    }
    Ok(())
}

fn back(lead: &Lead, said: &str) -> axum::response::Response {
    redirect(&format!("/panel/leads/{}?hecho={said}", lead.id))
}

/// The page again, for a button without its number.
async fn again(state: &WebState, signed: &Signed, lead: &Lead) -> PanelResult {
    let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
    render(state, signed, lead.id, StatusCode::UNPROCESSABLE_ENTITY, Shown { form, ..Shown::default() }).await
}
