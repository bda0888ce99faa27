//! What somebody typed about the company, saved by the rules of the domain or given back with what is wrong.

use embudo_domain::facts::Editable as _;
use embudo_domain::identity::Identity;
use embudo_store::sheet::Edited;
use http::StatusCode;

use super::company;
use crate::WebState;
use crate::panel::Signed;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::parts::{FormFields, Refusal, clean};

/// A form that came back.
pub(super) struct Returned {
    pub status: StatusCode,
    pub form: FormState,
    pub typed: FormFields,
    /// Fields that somebody else changed meanwhile.
    pub conflicts: Vec<&'static str>,
}

impl Default for Returned {
    fn default() -> Self {
        Self {
            status: StatusCode::OK,
            form: FormState::default(),
            typed: FormFields::default(),
            conflicts: Vec::new(),
        }
    }
}

/// A field as its form shows it, and gives it back when nobody touches it.
pub(super) fn typed(identity: &Identity, name: &str) -> String {
    clean(&identity.text(name).unwrap_or_default())
}

/// What a form of these fields is made from.
pub(super) fn version_of(identity: &Identity, names: &[&'static str]) -> String {
    let values: Vec<String> = names.iter().map(|name| typed(identity, name)).collect();
    version(values.iter().map(String::as_str))
}

/// Saves what was typed into a form of these fields; or what it has to say when it comes back.
pub(super) async fn save(
    state: &WebState,
    signed: &Signed,
    sent: &FormFields,
    names: &[&'static str],
) -> Result<Option<Returned>, Refusal> {
    // Somebody may write between the look and the write; then it is looked at anew.
    for _ in 0..3 {
        let (empresa, stored) = company(state, signed).await?;
        let seen = Identity::of(&empresa, &stored.brand);
        let now: Vec<_> = names.iter().map(|name| (*name, typed(&seen, name))).collect();
        let Merged { fields, conflicts } = merge(sent, &now);
        let (mut form, mut edited) = (FormState::default(), seen.clone());
        for (name, current) in &now {
            let text = fields.text(name);
            // What is left as it was may be older than its rule.
            if text != *current
                && let Err(mistake) = edited.write(name, &text)
            {
                form.add(*name, mistake);
            }
        }
        let mut status = StatusCode::UNPROCESSABLE_ENTITY;
        if !conflicts.is_empty() {
            form.add("", STALE);
            status = StatusCode::CONFLICT;
        }
        if !form.is_good() {
            return Ok(Some(Returned { status, form, typed: fields, conflicts }));
        }
        match state.app.empresas().edit(empresa.id, seen, edited, &signed.actor()).await? {
            Edited::Saved | Edited::Same => return Ok(None),
            Edited::Stale => {}
        }
    }
    let form = FormState::wrong("", STALE);
    Ok(Some(Returned { status: StatusCode::CONFLICT, form, typed: sent.clone(), conflicts: Vec::new() }))
}
