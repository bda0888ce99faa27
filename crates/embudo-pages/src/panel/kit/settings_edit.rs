//! Changes the settings of a company without overwriting a concurrent change.

use embudo_domain::audit::AuditAction;
use embudo_domain::settings::Settings;
use embudo_store::edited::Edited;

use crate::WebState;
use crate::panel::Signed;
use crate::panel::kit::form::{Form, Returned, TRIES};
use crate::parts::{FormFields, Refusal};

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
    match try_edit(state, signed, action, change).await? {
        Ok(()) => Ok(Ok(())),
        Err(Some(refused)) => Ok(Err(refused)),
        Err(None) => Err(Refusal::Unavailable),
    }
}

/// Like [`edit`]; `Err(None)` if somebody else saved first at every attempt.
async fn try_edit<R>(
    state: &WebState,
    signed: &Signed,
    action: AuditAction,
    change: impl Fn(&Settings) -> Result<Change, R>,
) -> Result<Result<(), Option<R>>, Refusal> {
    let empresa = signed.empresa()?.id;
    for _ in 0..TRIES {
        let seen = state.app.store.settings(empresa).await?;
        let Change { edited, audit_texts } = match change(&seen) {
            Ok(change) => change,
            Err(returned) => return Ok(Err(Some(returned))),
        };
        let both = (seen, edited);
        match state.app.empresas().edit_settings(empresa, both, action, audit_texts, &signed.actor()).await? {
            Edited::Saved | Edited::Same => return Ok(Ok(())),
            Edited::Stale => {}
        }
    }
    Ok(Err(None))
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
    let end = try_edit(state, signed, action, change).await?;
    Ok(end.err().map(|returned| returned.map_or_else(|| Returned::stale(sent.clone()), |back| *back)))
}
