//! `POST /panel/empresa/conexiones/correo`: who the mails to the company's clients are from.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::connections::Sender;
use embudo_domain::settings::Settings;
use http::StatusCode;

use super::connections;
use super::settings_edit::{self, Change};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::panel::{PanelResult, Signed, Visit};
use crate::parts::{FormFields, fields_of, redirect};

/// What the form is made from.
pub(super) fn values(sender: &Sender) -> [(&'static str, String); 3] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    [
        ("remitente", text(&sender.nombre)),
        ("desde", text(&sender.email)),
        ("responder", text(&sender.reply_to)),
    ]
}

pub(super) fn version_of(sender: &Sender) -> String {
    version(values(sender).iter().map(|(_, value)| value.as_str()))
}

pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    visit: Visit,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let change = |before: &Settings| changed(before, &sent);
    match settings_edit::edit(&state, &signed, AuditAction::ConnectionsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{}?hecho=remitente", connections::PATH))),
        Err((status, form, typed)) => {
            let returned = connections::Returned { form, typed, ..connections::Returned::default() };
            connections::page(&state, &signed, &visit, status, returned).await
        }
    }
}

fn changed(before: &Settings, sent: &FormFields) -> Result<Change, (StatusCode, FormState, FormFields)> {
    let now = &before.connections.sender;
    let Merged { fields, conflicts } = merge(sent, &values(now));
    let mut form = FormState::default();
    for (name, value) in values(now).into_iter().filter(|(name, _)| conflicts.contains(name)) {
        form.add(name, format!("Ahora pone «{value}»."));
    }
    if !form.is_good() {
        form.add("", STALE);
        return Err((StatusCode::CONFLICT, form, fields));
    }
    match Sender::parse(&fields.text("remitente"), &fields.text("desde"), &fields.text("responder")) {
        Ok(sender) => {
            let said = (said(now), said(&sender));
            let mut edited = before.clone();
            edited.connections.sender = sender;
            Ok(Change { edited, said })
        }
        Err(wrong) => {
            wrong.into_iter().for_each(|(field, mistake)| form.add(field, mistake));
            Err((StatusCode::UNPROCESSABLE_ENTITY, form, fields))
        }
    }
}

fn said(sender: &Sender) -> String {
    let or_server = |text: &Option<String>| text.clone().unwrap_or_else(|| "lo del servidor".to_owned());
    let Sender { nombre, email, reply_to } = sender;
    format!("de {} <{}>, respuestas a {}", or_server(nombre), or_server(email), or_server(reply_to))
}
