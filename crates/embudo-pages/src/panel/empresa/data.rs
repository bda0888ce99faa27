//! `/panel/empresa/datos`: the data of the company that quotes, mails and pages show.

use axum::extract::{Request, State};
use embudo_domain::identity::Identity;
use embudo_domain::nif::nif_hint;
use http::Uri;

use super::edit::{self, of_company};
use super::{company, frame, tab};
use crate::WebState;
use crate::panel::kit::form::{Form, FormPage, Group, Kind, Returned};
use crate::panel::{PanelResult, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/datos";

/// Declares the fields of the form: name, label, type, autofill word, maximum length, hint.
macro_rules! form {
    ($($name:literal $label:literal $kind:literal $fill:literal $max:literal $hint:literal $($required:literal)?),+ $(,)?) => {
        Form::new(PATH, "Guardar", &[Group::new("", "par par-datos", &[$(
            of_company($name, $label, Kind::Line($kind))
                .hint($hint)
                .with(&[("autocomplete", $fill), ("maxlength", $max) $(, ($required, ""))?]),
        )+])])
    };
}

const FORM: Form<Identity> = form! {
    "nombre" "Nombre" "text" "organization" "100" "Como te conocen tus clientes." "required",
    "razonSocial" "Razón social" "text" "off" "150" "Solo si es distinta del nombre.",
    "nif" "NIF" "text" "off" "20" "Por ejemplo, B12345674.",
    "direccion" "Dirección" "text" "street-address" "200" "En una línea: calle, número, código postal y ciudad.",
    "telefono" "Teléfono" "tel" "tel" "60" "Tal como quieres que se imprima.",
    "email" "Correo para clientes" "email" "email" "254" "Aquí llega lo que contestan a tus correos.",
    "web" "Web" "text" "url" "200" "Por ejemplo, www.ejemplo.es.",
};

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Guardado. Los presupuestos nuevos ya lo llevan.");
    page(&state, &signed, done, Returned::default()).await
}

pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match edit::save(&state, &signed, &sent, &FORM).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => page(&state, &signed, None, returned).await,
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    done: Option<&'static str>,
    returned: Returned,
) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let mut view = FORM.view(&Identity::of(&empresa, &stored.brand), &returned).or_back(PATH, &returned);
    if let Some(input) = view.input("nif")
        && let Some(hint) = nif_hint(&input.value)
    {
        input.hint = hint;
    }
    let frame = frame(state, signed, "Datos de la empresa").await?;
    let intro = "Lo que tus presupuestos, correos y páginas dicen de ti.";
    let page = FormPage { frame, place: tab(PATH), intro, done, view, form: returned.form };
    Ok(private_page(returned.status, &page))
}
