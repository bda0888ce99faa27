//! The total of a draft, for a notice about it.

use embudo_domain::PresupuestoId;
use embudo_domain::presupuesto::draft::Draft;
use embudo_domain::record::LeadRecord;

use super::Quotes;
use crate::AppError;

impl Quotes<'_> {
    /// The total of a lead's draft in words, or its range. `None`: there is no such draft, or something prevents it
    /// from being sent.
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
        let current = self.current(stored, record).await?.draft;
        let Ok(draft) = Draft::read(current.json.as_bytes()) else { return Ok(None) };
        Ok(self.preview(record, &draft).await?.ok().map(|document| document.figure()))
    }
}
