//! Most calls from the quote's page to the application and the store.

use embudo_app::{ClientAnswer, Size};
use embudo_blobs::BlobReader;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::rendition::Rendition;
use embudo_domain::{FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::AnswerResult;
use jiff::civil::Date;

use super::standing::VisitLink;
use crate::WebState;
use crate::parts::Refusal;

pub(super) async fn presupuesto(state: &WebState, id: PresupuestoId) -> Result<Presupuesto, Refusal> {
    Ok(state.app.store.presupuesto(id).await?)
}

/// The lead's current quote: the newest one that was issued and not superseded.
pub(super) async fn current(state: &WebState, lead: LeadId) -> Result<Option<Presupuesto>, Refusal> {
    let all = state.app.store.presupuestos(lead).await?;
    let account = |p: &Presupuesto| p.pdf.is_some() && p.state != PresupuestoState::Superseded;
    Ok(all.into_iter().find(account))
}

/// The client's visit that is still open. The holder of a pass to a quote is the client, who may choose the hour.
pub(super) async fn visit(state: &WebState, p: &Presupuesto) -> Result<Option<VisitLink>, Refusal> {
    let visits = state.app.visits();
    // An erased person has no visits any more; only the quote was kept.
    let Some(visita) = visits.open_visit(p.lead).await? else { return Ok(None) };
    let zone = visits.zone(visita.empresa).await?;
    Ok(Some(VisitLink { when: visita.start.map(|start| zone.long(start)), path: visits.page_path(&visita) }))
}

pub(super) async fn renditions(state: &WebState, lead: LeadId) -> Result<Vec<Rendition>, Refusal> {
    Ok(state.app.store.renditions(lead).await?)
}

/// Today's date in the time zone of the companies.
pub(super) fn today(state: &WebState) -> Date {
    state.app.today()
}

/// Records the client's answer and notifies the company.
pub(super) async fn answer(
    state: &WebState,
    presupuesto: &Presupuesto,
    word: ClientAnswer,
) -> Result<AnswerResult, Refusal> {
    Ok(state.app.quotes().answer(presupuesto, word).await?)
}

/// Records that the client asks for a visit, and notifies the company.
pub(super) async fn ask_visit(
    state: &WebState,
    presupuesto: &Presupuesto,
    note: Option<String>,
) -> Result<AnswerResult, Refusal> {
    Ok(state.app.quotes().ask_visit(presupuesto, note).await?)
}

/// The PDF, byte for byte as it was sent.
pub(super) async fn pdf(state: &WebState, presupuesto: &Presupuesto) -> Result<BlobReader, Refusal> {
    let (_, bytes) = state.app.quotes().pdf(presupuesto.lead, presupuesto.number).await?;
    Ok(bytes)
}

/// The PDF of the accepted version.
pub(super) async fn accepted_pdf(state: &WebState, presupuesto: &Presupuesto) -> Result<BlobReader, Refusal> {
    Ok(state.app.quotes().accepted_pdf(presupuesto.lead, presupuesto.number).await?)
}

/// A photo in its print size. A photo that cannot be shown counts as not found.
pub(super) async fn foto(state: &WebState, lead: LeadId, foto: FotoId) -> Result<BlobReader, Refusal> {
    let list = state.app.photos().ready(lead, foto, Size::Print).await?;
    list.map_err(|_| Refusal::NotFound)
}
