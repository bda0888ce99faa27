//! The buttons of a lead's page. Each one does the same as an API call, once for each press.

use embudo_app::{AppError, Beginning, CallEnd, ProfileSignal};
use embudo_domain::body::Body as _;
use embudo_domain::intento::Intento;
use embudo_domain::job::Destination;
use embudo_store::{Outcome, StoreError};
use serde_json::json;

use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::Posted;
use crate::parts::{FormFields, Refusal, redirect};

/// `POST /panel/leads/:id/mensajeria`.
pub(crate) async fn start_mensajeria(form: Posted) -> PanelResult {
    let Some(key) = form.press("mensajeria") else { return form.incomplete().await };
    let (app, lead, actor) = (form.state.app.clone(), form.lead.clone(), form.signed.actor());
    let task = embudo_trace::spawn(async move { app.leads().start_mensajeria_by(&lead, key, &actor).await });
    let end = finished(task).await?;
    let receivers = form.state.app.receivers(form.lead.empresa.id).await?;
    let done = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::MensajeriaStarted { accepted: true }) => "mensajeria",
        _ if !receivers.has(Destination::Mensajeria) => "mensajeria-simulada",
        _ => "mensajeria-espera",
    };
    Ok(form.done(done))
}

/// `POST /panel/leads/:id/completo`: sends the profile signal, for the first time or again.
pub(crate) async fn complete(form: Posted) -> PanelResult {
    let Some(key) = form.press("completo") else { return form.incomplete().await };
    let (app, lead, actor) = (form.state.app.clone(), form.lead.clone(), form.signed.actor());
    let signal = if form.fields.has("otra-vez") { ProfileSignal::Again } else { ProfileSignal::First };
    let task = embudo_trace::spawn(async move { app.leads().complete_by(&lead, signal, key, &actor).await });
    let end = finished(task).await?;
    let receivers = form.state.app.receivers(form.lead.empresa.id).await?;
    let done = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Ingested { perfil_accepted: true, .. }) => "completo",
        _ if !receivers.has(Destination::Perfil) => "completo-simulado",
        _ => "completo-espera",
    };
    Ok(form.done(done))
}

/// `POST /panel/leads/:id/finalizar`: makes and sends the quote. If a person must review quotes first, redirects to the
/// page that sends the draft.
pub(crate) async fn finalize(form: Posted) -> PanelResult {
    let Some(key) = form.press("finalizar") else { return form.incomplete().await };
    if !form.state.app.quotes().sends_at_once(&form.lead).await? {
        let actor = form.signed.actor();
        let draft = form.state.app.quotes().open(form.lead.id, Beginning::Latest, &actor).await?;
        return Ok(redirect(&format!("/panel/presupuestos/{}/enviar", draft.id)));
    }
    let (app, lead, actor) = (form.state.app.clone(), form.lead.clone(), form.signed.actor());
    let task = embudo_trace::spawn(async move { app.leads().finalize_by(&lead, key, &actor).await });
    let end = finished(task).await?;
    let done = match end.as_ref().map(|end| &end.outcome) {
        Some(Outcome::Ingested { finalizado: Some(done), .. }) if done.presupuesto => "finalizado",
        _ => "finalizado-espera",
    };
    Ok(form.done(done))
}

/// `POST /panel/leads/:id/llamada`: records a call.
pub(crate) async fn call(form: Posted) -> PanelResult {
    let Some(key) = form.press("llamada") else { return form.incomplete().await };
    let number = form.state.app.store.sheet(form.lead.id).await?.last_call + 1;
    match read_call(&form.fields, number) {
        Ok(intento) => {
            let leads = form.state.app.leads();
            match leads.record_call(&form.lead, intento, key, &form.signed.actor()).await {
                Ok(()) | Err(AppError::Store(StoreError::KeyInProgress)) => Ok(form.done("llamada")),
                Err(error) => Err(error.into()),
            }
        }
        Err(mistakes) => {
            let call = Some(form.fields.clone());
            form.mistaken(Shown { form: mistakes, call, ..Shown::default() }).await
        }
    }
}

/// Reads a call by the rules of the API.
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

/// Waits for the task of an action. The task finishes all steps of the action even if the client disconnects. `None` if
/// an earlier press of the same button is still running.
async fn finished(
    task: tokio::task::JoinHandle<Result<CallEnd, AppError>>,
) -> Result<Option<CallEnd>, Refusal> {
    match task.await.expect("the task is not cancelled; a panic in it is this request's panic") {
        Ok(end) => Ok(Some(end)),
        Err(AppError::Store(StoreError::KeyInProgress)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
