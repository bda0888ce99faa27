//! `POST /panel/empresa/conexiones/correo`: who the mails to the company's clients are from.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::connections::Sender;
use embudo_domain::settings::Settings;

use super::{connections, settings_edit};
use crate::WebState;
use crate::panel::kit::form::{Field, Form, Group, Kind, Wrong};
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{fields_of, redirect};

pub(super) const SENDER: Form<Settings> = Form::new(
    "/panel/empresa/conexiones/correo",
    "Guardar remitente",
    &[Group::new(
        "",
        "par par-datos",
        &[
            Field::new("remitente", "Nombre", Kind::Line("text"), read, write)
                .with(&[("maxlength", "80"), ("autocomplete", "organization")]),
            Field::new("desde", "Dirección", Kind::Line("email"), read, write)
                .with(&[("maxlength", "254"), ("autocomplete", "email")]),
            Field::new("responder", "Responder a", Kind::Line("email"), read, write)
                .with(&[("maxlength", "254"), ("autocomplete", "email")]),
        ],
    )],
);

fn at<'s>(sender: &'s mut Sender, name: &str) -> &'s mut Option<String> {
    match name {
        "remitente" => &mut sender.nombre,
        "desde" => &mut sender.email,
        _ => &mut sender.reply_to,
    }
}

fn read(settings: &Settings, name: &'static str) -> String {
    at(&mut settings.connections.sender.clone(), name).take().unwrap_or_default()
}

fn write(settings: &mut Settings, name: &'static str, typed: &str) -> Result<(), Wrong> {
    let of = |field: &str| if field == name { typed } else { "" };
    let mut parsed = Sender::parse(of("remitente"), of("desde"), of("responder"))
        .map_err(|wrong| wrong.first().map_or("", |(_, mistake)| mistake))?;
    *at(&mut settings.connections.sender, name) = at(&mut parsed, name).take();
    Ok(())
}

pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::ConnectionsChanged, &sent, &SENDER).await? {
        None => Ok(redirect(&format!("{}?hecho=remitente", connections::PATH))),
        Some(returned) => connections::page(&state, &signed, &caller, returned.into()).await,
    }
}
