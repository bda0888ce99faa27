//! Clients who refuse reminders.

use embudo_domain::LeadId;
use embudo_domain::consentimiento::{Consentimiento, REMINDERS};
use embudo_domain::record::LeadRecord;

use super::Forms;
use crate::{App, AppError};

/// The version of the text beside the button.
const TEXT: &str = "recordatorios-2026-11-16";

impl Forms<'_> {
    /// Records in the consent ledger that this lead wants no more reminders. A repeated refusal is not recorded again.
    pub async fn refuse_reminders(self, lead: &LeadRecord) -> Result<(), AppError> {
        let last = lead.consentimientos.iter().rev().find(|c| c.purpose == REMINDERS);
        if last.is_some_and(|c| !c.granted) {
            return Ok(());
        }
        let refused = Consentimiento {
            purpose: REMINDERS.to_owned(),
            channel: Some("email".to_owned()),
            texto_version: TEXT.to_owned(),
            source: Some("enlace_del_correo".to_owned()),
            granted: false,
            otorgado_en: None,
        };
        self.record_consentimientos(lead.lead.id, vec![refused]).await
    }
}

/// The link with which a client ends reminders, if the server knows its own address. The link never expires.
pub(crate) fn refusal_url(app: &App, lead: LeadId) -> Option<String> {
    let with = app.outbound.links.as_ref()?;
    Some(format!("{}/r/{}", with.public_url, app.form_passes().to_consentimientos(lead)))
}
