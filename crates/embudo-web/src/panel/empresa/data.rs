//! `/panel/empresa/datos`: what quotes, mails and pages say of the company.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::identity::Identity;
use http::Uri;

use super::edit::{self, Returned, typed, version_of};
use super::{Tabs, company, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{fields_of, private_page, redirect};

const PATH: &str = "/panel/empresa/datos";

#[derive(Template)]
#[template(path = "panel/empresa/data.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    fields: Vec<ShownField>,
}

struct Field {
    name: &'static str,
    label: &'static str,
    help: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    max: u16,
}

struct ShownField {
    field: &'static Field,
    typed: String,
    /// What somebody else wrote meanwhile.
    other: Option<String>,
}

const fn field(
    name: &'static str,
    label: &'static str,
    help: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    max: u16,
) -> Field {
    Field { name, label, help, kind, autocomplete, max }
}

const FIELDS: [Field; 7] = [
    field("nombre", "Nombre", "Como te conocen tus clientes.", "text", "organization", 100),
    field("razonSocial", "Razón social", "Solo si es distinta del nombre.", "text", "off", 150),
    field("nif", "NIF", "Por ejemplo, B12345678.", "text", "off", 20),
    field(
        "direccion",
        "Dirección",
        "En una línea: calle, número, código postal y ciudad.",
        "text",
        "street-address",
        200,
    ),
    field("telefono", "Teléfono", "Tal como quieres que se imprima.", "tel", "tel", 60),
    field(
        "email",
        "Correo para clientes",
        "Aquí llega lo que contestan a tus correos.",
        "email",
        "email",
        254,
    ),
    field("web", "Web", "Por ejemplo, www.ejemplo.es.", "text", "url", 200),
];

const NAMES: [&str; FIELDS.len()] = {
    let mut names = [""; FIELDS.len()];
    let mut n = 0;
    while n < FIELDS.len() {
        names[n] = FIELDS[n].name;
        n += 1;
    }
    names
};

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Guardado. Los presupuestos nuevos ya lo llevan.");
    page(&state, &signed, done, None).await
}

pub(crate) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    match edit::save(&state, &signed, &fields, &NAMES).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => page(&state, &signed, None, Some(returned)).await,
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    done: Option<&'static str>,
    returned: Option<Returned>,
) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let identity = Identity::of(&empresa, &stored.brand);
    let is_returned = returned.is_some();
    let returned = returned.unwrap_or_default();
    let shown = |field: &'static Field| {
        let now = typed(&identity, field.name);
        let other = returned.conflicts.contains(&field.name).then(|| now.clone());
        ShownField { field, typed: if is_returned { returned.typed.text(field.name) } else { now }, other }
    };
    let page = Page {
        frame: frame(state, signed, "Datos de la empresa").await?,
        tabs: Tabs { here: PATH },
        done,
        version: version_of(&identity, &NAMES),
        fields: FIELDS.iter().map(shown).collect(),
        form: returned.form,
    };
    Ok(private_page(returned.status, &page))
}
