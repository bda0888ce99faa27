//! Quotes: their content, their PDFs, their pages, and the answers of clients.

mod answer;
mod compose;
mod drafted;
mod draw;
mod editor;
mod sample;

use embudo_blobs::BlobReader;
use embudo_delivery::Pass;
use embudo_domain::presupuesto::{PresupuestoNumber, StoredPdf};
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use embudo_store::StoreError;
use jiff::SignedDuration;

pub use answer::{ACCEPTANCE_TEXT, ClientAnswer, ClientWord};
pub use compose::Ingredients;
pub(crate) use editor::ReviewOf;
pub use editor::{Beginning, CurrentDraft, Sent};

use crate::{App, AppError};

/// How long the link to a quote is valid, from when the quote was begun: longer than the liability for the work lasts.
const PASS_LIFE: SignedDuration = SignedDuration::from_hours(5 * 366 * 24);

#[derive(Clone, Copy)]
pub struct Quotes<'a> {
    pub(crate) app: &'a App,
}

impl Quotes<'_> {
    /// A quote's PDF, byte for byte as it was sent. Fails with [`StoreError::PresupuestoNotFound`] if the lead has no
    /// such quote, or if it has not been drawn yet.
    pub async fn pdf(
        self,
        lead: LeadId,
        number: PresupuestoNumber,
    ) -> Result<(StoredPdf, BlobReader), AppError> {
        let presupuestos = self.app.store.presupuestos(lead).await?;
        let pdf = presupuestos.iter().find(|p| p.number == number).and_then(|p| p.pdf);
        let pdf = pdf.ok_or(StoreError::PresupuestoNotFound)?;
        Ok((pdf, self.app.blobs.open(lead, &pdf.digest).await?))
    }

    /// The PDF of what a client accepted. Fails with [`StoreError::PresupuestoNotFound`] if the lead has no such quote,
    /// or if this PDF has not been drawn yet.
    pub async fn accepted_pdf(self, lead: LeadId, number: PresupuestoNumber) -> Result<BlobReader, AppError> {
        let presupuestos = self.app.store.presupuestos(lead).await?;
        let pdf = presupuestos.iter().find(|p| p.number == number).and_then(|p| p.accepted_pdf);
        let pdf = pdf.ok_or(StoreError::PresupuestoNotFound)?;
        Ok(self.app.blobs.open(lead, &pdf.digest).await?)
    }

    /// The address of a quote's page, if the server knows its own address.
    pub fn page_url(self, presupuesto: PresupuestoId) -> Option<String> {
        let with = self.app.outbound.links.as_ref()?;
        Some(format!("{}{}", with.public_url, self.page_path(presupuesto)))
    }

    /// The path of a quote's page. It is a token: its holder can read and answer the quote.
    pub fn page_path(self, presupuesto: PresupuestoId) -> String {
        let ends = made_at(presupuesto).and_then(|made| made.checked_add(PASS_LIFE).ok());
        let generation = self.app.generation(presupuesto.0);
        format!("/p/{}", self.app.outbound.passes.write_nth(Pass::Presupuesto(presupuesto), ends, generation))
    }
}

/// When a quote was begun, from the timestamp in its id.
fn made_at(presupuesto: PresupuestoId) -> Option<Timestamp> {
    let (secs, _) = presupuesto.0.get_timestamp()?.to_unix();
    Timestamp::from_second(i64::try_from(secs).ok()?).ok()
}

/// A clean copy of a company's logo: a PNG of a size that can be printed; or the reason why it cannot be a logo.
pub fn logo(bytes: &[u8]) -> Result<Vec<u8>, String> {
    embudo_fotos::logo(bytes).map(|image| image.bytes).map_err(|reason| reason.to_string())
}
