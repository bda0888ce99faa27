//! What a draft comes to, for a notice about it.

use embudo_domain::PresupuestoId;
use embudo_domain::presupuesto::draft::Draft;
use embudo_domain::record::LeadRecord;
use embudo_store::drafts::DraftReason;

use super::Quotes;
use crate::AppError;

impl Quotes<'_> {
    /// The total of a lead's draft in words, or from what to what it may lie. `None`: there is no such draft, or something keeps it from
    /// being sent.
    pub(crate) async fn drafted_amount(
        self,
        draft: Option<PresupuestoId>,
        record: &LeadRecord,
    ) -> Result<Option<String>, AppError> {
        let Some(id) = draft else { return Ok(None) };
        let Some(stored) = self.app.store.draft(id).await?.filter(|draft| draft.lead == record.lead.id)
        else {
            return Ok(None);
        };
        let Ok(sheet) = Draft::read(stored.sheet.as_bytes()) else { return Ok(None) };
        let sheet = match (stored.reason, stored.saved_by) {
            // Nobody has typed into it: the editor makes it again from today's facts and prices.
            (DraftReason::Review, None) => self.recalculate(record, &sheet).await?.draft,
            _ => sheet,
        };
        Ok(self.preview(record, &sheet).await?.ok().map(|document| document.figure()))
    }
}
