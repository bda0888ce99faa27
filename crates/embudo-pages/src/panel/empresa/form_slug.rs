//! Changes the company's slug in the address of its form.

use embudo_domain::empresa::{Empresa, is_slug, slug_of};
use embudo_store::StoreError;
use embudo_store::edited::Edited;

use super::company;
use crate::WebState;
use crate::panel::Signed;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Field, Form, Group, Kind, Returned};
use crate::parts::{FormFields, Refusal};

pub(super) const SLUG: Form<Empresa> = Form::new(
    "/panel/empresa/formulario/direccion",
    "Cambiar la dirección",
    &[Group::new(
        "",
        "",
        &[Field::new("slug", "Tu nombre en la dirección", Kind::Line("text"), |empresa, _| empresa.slug.clone(), write)
            .hint("Letras, números y guiones. La dirección de antes seguirá llevando aquí: lo que ya está impreso vale.")
            .with(&[
                ("spellcheck", "false"),
                ("autocapitalize", "none"),
                ("autocomplete", "off"),
                ("maxlength", "64"),
                ("required", ""),
            ])],
    )],
);

/// Converts a name as people write it into a slug.
fn write(empresa: &mut Empresa, _: &str, typed: &str) -> Result<(), std::borrow::Cow<'static, str>> {
    let slug = slug_of(typed);
    if !is_slug(&slug) {
        return Err("Escribe entre 1 y 64 letras o números.".into());
    }
    empresa.slug = slug;
    Ok(())
}

/// Saves the typed slug, or returns the form with its errors.
pub(super) async fn save(
    state: &WebState,
    signed: &Signed,
    sent: &FormFields,
) -> Result<Option<Returned>, Refusal> {
    let (empresa, _) = company(state, signed).await?;
    let edited = match SLUG.read(sent, &empresa) {
        Ok(edited) => edited,
        Err(returned) => return Ok(Some(*returned)),
    };
    let Empresa { id, slug: seen, .. } = empresa;
    match state.app.empresas().change_slug(id, seen, edited.slug, &signed.actor()).await {
        Ok(Edited::Saved | Edited::Same) => Ok(None),
        Ok(Edited::Stale) => Ok(Some(Returned::stale(sent.clone()))),
        Err(StoreError::SlugTaken) => {
            let form = FormState::wrong("slug", "Otra empresa usa o ha usado este nombre. Prueba con otro.");
            Ok(Some(Returned::wrong(form, sent.clone())))
        }
        Err(error) => Err(error.into()),
    }
}
