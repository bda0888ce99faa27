//! `/panel/leads/nuevo`: creates a lead that came by telephone or by recommendation.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::body::Body as _;
use embudo_domain::lead::{LeadByHand, NewLead};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::choices::{self, Choice};
use crate::panel::kit::facts::{is_required, value};
use crate::panel::kit::work::press;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, fields_of, private_page, redirect};

#[derive(Template)]
#[template(path = "panel/lead/new.html")]
struct NewLeadPage {
    frame: PanelFrame,
    form: FormState,
    typed: FormFields,
    once: String,
}

impl NewLeadPage {
    fn value(&self, name: &str) -> String {
        self.typed.text(name)
    }

    fn canales(&self) -> &'static [Choice] {
        choices::CANALES
    }

    fn zonas(&self) -> &'static [Choice] {
        choices::ZONAS
    }

    fn urgencias(&self) -> &'static [Choice] {
        choices::URGENCIAS
    }
}

/// The fields of the form, by their names in the API.
const FIELDS: [&str; 11] = [
    "nombre",
    "telefono",
    "email",
    "direccion",
    "provincia",
    "canalOrigen",
    "tipoReforma",
    "m2Suelo",
    "urgencia",
    "presupuestoTarget",
    "tasteText",
];

pub(crate) async fn show(State(state): State<WebState>, signed: Signed) -> PanelResult {
    let typed = FormFields(vec![("canalOrigen".to_owned(), "llamada".to_owned())]);
    page(&state, &signed, FormState::default(), typed).await
}

pub(crate) async fn create(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let fields = fields_of(&state, request).await?;
    let mut form = FormState::default();
    let new = read(&fields, &mut form);
    match (new, press(&fields, "alta", empresa.0)) {
        (Some(new), Some(key)) => {
            let id = state.app.leads().create_by(new, empresa, key, &signed.actor()).await?;
            Ok(redirect(&format!("/panel/leads/{id}?hecho=alta")))
        }
        (new, _) => {
            if new.is_some() {
                form.add("", "No ha llegado entero. Vuelve a pulsar el botón.");
            }
            page(&state, &signed, form, fields).await
        }
    }
}

/// Reads a lead by the rules of the API, with one exception: either a telephone or an e-mail address is sufficient.
fn read(fields: &FormFields, form: &mut FormState) -> Option<NewLead> {
    let mut sent = Map::new();
    for name in FIELDS {
        let text = fields.text(name);
        if text.is_empty() && !is_required(name) {
            continue;
        }
        match value(name, &text) {
            Ok(value) => drop(sent.insert(name.to_owned(), value)),
            Err(wrong) => form.add(name, wrong),
        }
    }
    match LeadByHand::read(Value::Object(sent).to_string().as_bytes()) {
        Ok(LeadByHand(new)) => form.is_good().then_some(new),
        Err(wrong) => {
            for error in wrong.errors {
                let name = FIELDS.into_iter().find(|name| error.field == format!("/{name}"));
                form.add(name.unwrap_or_default(), error.mensaje);
            }
            None
        }
    }
}

async fn page(state: &WebState, signed: &Signed, form: FormState, typed: FormFields) -> PanelResult {
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let frame = PanelFrame::new(state, signed, "Nuevo lead", Section::Inbox).await?;
    let once = state.app.id().to_string();
    Ok(private_page(status, &NewLeadPage { frame, form, typed, once }))
}
