//! Saves what a person typed about the company by the rules of the domain, or returns the form with its errors.

use embudo_domain::facts::Editable as _;
use embudo_domain::identity::Identity;
use embudo_store::edited::Edited;

use super::company;
use crate::WebState;
use crate::panel::Signed;
use crate::panel::kit::form::{Field, Form, Kind, Returned, TRIES};
use crate::parts::{FormFields, Refusal};

/// A field with data of the company. The domain reads and writes the field by its name.
pub(super) const fn of_company(name: &'static str, label: &'static str, kind: Kind) -> Field<Identity> {
    let read = |identity: &Identity, name| identity.text(name).unwrap_or_default();
    Field::new(name, label, kind, read, |identity, name, typed| Ok(identity.write(name, typed)?))
}

/// Saves a posted form and returns `None`, or returns the form with its errors.
pub(super) async fn save(
    state: &WebState,
    signed: &Signed,
    sent: &FormFields,
    form: &Form<Identity>,
) -> Result<Option<Returned>, Refusal> {
    // If somebody else saves between reading and writing, everything is tried again.
    for _ in 0..TRIES {
        let (empresa, stored) = company(state, signed).await?;
        let seen = Identity::of(&empresa, &stored.brand);
        let edited = match form.read(sent, &seen) {
            Ok(edited) => edited,
            Err(returned) => return Ok(Some(*returned)),
        };
        match state.app.empresas().edit(empresa.id, seen, edited, &signed.actor()).await? {
            Edited::Saved | Edited::Same => return Ok(None),
            Edited::Stale => {}
        }
    }
    Ok(Some(Returned::stale(sent.clone())))
}
