//! Changes the settings of a company without overwriting a concurrent change.

use embudo_domain::audit::AuditAction;
use embudo_domain::settings::Settings;
use embudo_store::edited::Edited;

use crate::WebState;
use crate::panel::Signed;
use crate::panel::kit::form::{Form, Returned};
use crate::parts::{FormFields, Refusal};

/// How often the settings are read again if somebody else writes between reading and writing.
const LOOKS: usize = 5;

/// The changed settings, and the texts before and after for the audit log.
pub(in crate::panel) struct Change {
    pub edited: Settings,
    pub audit_texts: (String, String),
}

/// Applies `change` to the current settings and saves the result, or returns the refusal of `change`.
pub(in crate::panel) async fn edit<R>(
    state: &WebState,
    signed: &Signed,
    action: AuditAction,
    change: impl Fn(&Settings) -> Result<Change, R>,
) -> Result<Result<(), R>, Refusal> {
    let empresa = signed.empresa()?.id;
    for _ in 0..LOOKS {
        let seen = state.app.store.settings(empresa).await?;
        let Change { edited, audit_texts } = match change(&seen) {
            Ok(change) => change,
            Err(returned) => return Ok(Err(returned)),
        };
        let both = (seen, edited);
        match state.app.empresas().edit_settings(empresa, both, action, audit_texts, &signed.actor()).await? {
            Edited::Saved | Edited::Same => return Ok(Ok(())),
            Edited::Stale => {}
        }
    }
    Err(Refusal::Unavailable)
}

/// Saves the typed values of a settings form, or returns the form with its errors.
pub(in crate::panel) async fn save(
    state: &WebState,
    signed: &Signed,
    action: AuditAction,
    sent: &FormFields,
    form: &Form<Settings>,
) -> Result<Option<Returned>, Refusal> {
    let change = |before: &Settings| {
        let edited = form.read(sent, before)?;
        Ok::<_, Box<Returned>>(Change { audit_texts: form.audit_text(before, &edited), edited })
    };
    Ok(edit(state, signed, action, change).await?.err().map(|returned| *returned))
}
