//! What the page asks of the house, in one place.

use embudo_app::{ClientAnswer, Tamano};
use embudo_blobs::BlobReader;
use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::Contestacion;
use jiff::civil::Date;

use crate::WebState;
use crate::parts::Refusal;

/// One quote.
pub(super) async fn presupuesto(estado: &WebState, id: PresupuestoId) -> Result<Presupuesto, Refusal> {
    Ok(estado.app.store.presupuesto(id).await?)
}

/// The quote of a lead that counts now: the newest that went out and was not superseded.
pub(super) async fn actual(estado: &WebState, lead: LeadId) -> Result<Option<Presupuesto>, Refusal> {
    let todos = estado.app.store.presupuestos(lead).await?;
    let cuenta = |p: &Presupuesto| p.pdf.is_some() && p.estado != EstadoPresupuesto::Sustituido;
    Ok(todos.into_iter().find(cuenta))
}

/// What was made of a lead's photos.
pub(super) async fn rendiciones(estado: &WebState, lead: LeadId) -> Result<Vec<Rendicion>, Refusal> {
    Ok(estado.app.store.rendiciones(lead).await?)
}

/// Today, where the companies are.
pub(super) fn hoy(estado: &WebState) -> Date {
    estado.app.hoy()
}

/// Writes down what the client says; the company is told.
pub(super) async fn contestar(
    estado: &WebState,
    presupuesto: &Presupuesto,
    palabra: ClientAnswer,
) -> Result<Contestacion, Refusal> {
    Ok(estado.app.quotes().answer(presupuesto, palabra).await?)
}

/// The PDF, byte for byte as it was sent.
pub(super) async fn pdf(estado: &WebState, presupuesto: &Presupuesto) -> Result<BlobReader, Refusal> {
    let (_, bytes) = estado.app.quotes().pdf(presupuesto.lead, presupuesto.numero).await?;
    Ok(bytes)
}

/// A photo as the quote prints it. One that cannot be shown is not there.
pub(super) async fn foto(estado: &WebState, lead: LeadId, foto: FotoId) -> Result<BlobReader, Refusal> {
    let lista = estado.app.photos().ready(lead, foto, Tamano::Impresion).await?;
    lista.map_err(|_| Refusal::NoExiste)
}
