//! What somebody typed about the company, saved by the rules of the domain or given back with what is wrong.

use embudo_domain::facts::Editable as _;
use embudo_domain::identity::Identity;
use embudo_store::sheet::Edited;

use super::company;
use crate::WebState;
use crate::panel::Signed;
use crate::panel::kit::form::{Field, Form, Kind, Returned};
use crate::parts::{FormFields, Refusal};

/// A line for what the company says of itself: the domain knows by its name how it is read and written.
pub(super) const fn of_company(name: &'static str, label: &'static str, kind: Kind) -> Field<Identity> {
    let read = |identity: &Identity, name| identity.text(name).unwrap_or_default();
    Field::new(name, label, kind, read, |identity, name, typed| Ok(identity.write(name, typed)?))
}

/// Saves what was typed into a form; or what it has to say when it comes back.
pub(super) async fn save(
    state: &WebState,
    signed: &Signed,
    sent: &FormFields,
    form: &Form<Identity>,
) -> Result<Option<Returned>, Refusal> {
    // Somebody may write between the look and the write; then it is looked at anew.
    for _ in 0..3 {
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
