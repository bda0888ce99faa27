//! How the company wants to work, changed by one of its pages: never over another's change.

use embudo_domain::audit::AuditAction;
use embudo_domain::settings::Settings;
use embudo_store::sheet::Edited;

use crate::WebState;
use crate::panel::Signed;
use crate::panel::kit::form::{Form, Returned};
use crate::parts::{FormFields, Refusal};

/// How often it is looked at anew when somebody writes between the look and the write.
const LOOKS: usize = 5;

/// What a page makes of the settings, and the words of the log for before and after.
pub(in crate::panel) struct Change {
    pub edited: Settings,
    pub audit_texts: (String, String),
}

/// Writes what `change` makes of the settings as they are; or gives back what it has to say against it.
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

/// Saves what was typed into a form of the settings; or what it has to say when it comes back.
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
