//! `/panel/empresa/privacidad/bloqueado…`: the accepted quotes of erased people, for administrators. Every access is
//! recorded in the audit log.

use askama::Template;
use axum::extract::State;
use embudo_app::{AppError, BlockedPart};
use embudo_domain::{Digest, PresupuestoId, Timestamp};
use embudo_store::rights::BlockedQuote;
use http::{StatusCode, Uri};

use super::{Tabs, frame};
use crate::WebState;
use crate::panel::kit::papers::pdf_of;
use crate::panel::words::{day, exact};
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, private_page, read_fields, redirect};

const LIST: &str = "/panel/empresa/privacidad";

/// The quote in the address; 404 if the company has no such blocked quote. `None` if the address contains no valid id.
async fn open(state: &WebState, signed: &Signed, uri: &Uri) -> Result<Option<BlockedQuote>, Refusal> {
    let empresa = signed.empresa()?.id;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let Some(id) = PresupuestoId::parse(query.raw("id")) else { return Ok(None) };
    let found = state.app.store.blocked_quote(id).await?;
    found.filter(|quote| quote.empresa == empresa).map(Some).ok_or(Refusal::NotFound)
}

/// `GET /panel/empresa/privacidad/bloqueado?id=…`: the PDF of a blocked quote.
pub(crate) async fn pdf(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let Some(quote) = open(&state, &signed, &uri).await? else { return Ok(redirect(LIST)) };
    let pdf = quote.pdf.ok_or(Refusal::NotFound)?;
    let bytes = state.app.blobs.open(quote.lead, &pdf.digest).await.map_err(AppError::from)?;
    state.app.rights().saw_blocked(&quote, BlockedPart::Pdf, &signed.actor()).await?;
    Ok(pdf_of(quote.number, bytes))
}

#[derive(Template)]
#[template(path = "panel/empresa/blocked.html")]
struct BlockedQuotePage {
    frame: PanelFrame,
    tabs: Tabs,
    number: String,
    id: String,
    has_pdf: bool,
    /// The known facts of the acceptance, each with its name.
    facts: Vec<(&'static str, String)>,
    options: Vec<String>,
}

/// `GET /panel/empresa/privacidad/bloqueado/respuesta?id=…`: what the client answered, with the evidence.
pub(crate) async fn answer(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let Some(quote) = open(&state, &signed, &uri).await? else { return Ok(redirect(LIST)) };
    state.app.rights().saw_blocked(&quote, BlockedPart::Answer, &signed.actor()).await?;
    let page = BlockedQuotePage {
        frame: frame(&state, &signed, "Presupuesto bloqueado").await?,
        tabs: Tabs { here: LIST },
        number: quote.number.to_string(),
        id: quote.id.to_string(),
        has_pdf: quote.pdf.is_some(),
        facts: facts(&quote, state.app.now()),
        options: quote.answer.into_iter().flat_map(|a| a.options).map(|option| option.concepto).collect(),
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn facts(quote: &BlockedQuote, now: Timestamp) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Total del presupuesto", quote.total.to_string())];
    if let Some(answer) = &quote.answer {
        let agreed = answer.total.unwrap_or(quote.total);
        facts.push(("Total aceptado, impuestos incluidos", agreed.to_string()));
        facts.push(("Aceptado", exact(answer.at, now)));
        if let Some(by) = &answer.by_phone {
            facts.push(("Por teléfono; lo apuntó", by.who.clone()));
            facts.extend(by.note.clone().map(|note| ("Lo que apuntó", note)));
        }
        facts.push(("Desde la dirección IP", answer.ip.clone().unwrap_or("no consta".to_owned())));
        facts.push(("Texto que aceptó", answer.texto_version.clone()));
        let declared = answer.declaracion.clone().unwrap_or("ninguna".to_owned());
        facts.push(("Declaración para el tipo reducido", declared));
        facts.extend(
            answer.early_start.clone().map(|text| ("Pidió empezar antes del plazo de desistimiento", text)),
        );
        facts.push(("PDF que aceptó (SHA-256)", Digest(answer.pdf_sha256).to_string()));
    }
    facts.push(("Bloqueado", exact(quote.blocked_at, now)));
    facts.push(("Se borra", day(quote.until, now)));
    facts
}
