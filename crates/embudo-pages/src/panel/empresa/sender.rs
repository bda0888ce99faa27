//! The sender of the mails to the company's clients.

use embudo_domain::connections::Sender;
use embudo_domain::settings::Settings;

use crate::panel::kit::form::{Field, Form, Group, Kind, Wrong};

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
