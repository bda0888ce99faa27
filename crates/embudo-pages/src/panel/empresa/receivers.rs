//! The company's own receivers of signals. A saved address is not shown again, because it may contain a secret.

use embudo_app::host_of;
use embudo_domain::job::Destination;
use embudo_domain::settings::Settings;

use crate::panel::kit::form::{Field, Form, Group, Kind, Returned};
use crate::parts::Input;

pub(super) const RECEIVERS: Form<Settings> = Form::new(
    "/panel/empresa/conexiones",
    "Guardar direcciones",
    &[Group::new(
        "",
        "",
        &[
            receiver("perfil", "Señales de perfil"),
            receiver("mensajeria", "Inicio de conversaciones"),
            receiver("pdf", "Presupuestos por mensajería"),
            receiver("respuesta", "Respuestas por mensajería"),
            receiver("eventos", "Eventos"),
        ],
    )],
);

const fn receiver(name: &'static str, label: &'static str) -> Field<Settings> {
    let read = |settings: &Settings, name: &'static str| own(settings, name).unwrap_or_default().to_owned();
    Field::new(name, label, Kind::Secret("url"), read, |settings, name, typed| {
        let url = Some(typed.to_owned()).filter(|url| !url.is_empty());
        if let Some(to) = Destination::parse(name) {
            settings.connections.set(to, url);
        }
        Ok(())
    })
    .shown_as(|settings, name| {
        own(settings, name).and_then(host_of).unwrap_or_else(|| "lo del servidor".to_owned())
    })
    .with(&[
        ("maxlength", "2000"),
        ("autocomplete", "off"),
        ("spellcheck", "false"),
        ("placeholder", "https://…"),
    ])
}

fn own<'s>(settings: &'s Settings, name: &str) -> Option<&'s str> {
    settings.connections.own(Destination::parse(name)?)
}

/// The fields of the form. A field with an address of its own is followed by a checkbox that goes back to the receiver
/// of the server.
pub(super) fn inputs(settings: &Settings, returned: &Returned) -> (Vec<Input>, String) {
    let view = RECEIVERS.view(settings, returned);
    let mut inputs = Vec::new();
    for input in view.groups.into_iter().flat_map(|group| group.inputs) {
        let host = own(settings, &input.name)
            .map(|url| host_of(url).unwrap_or_else(|| "una dirección propia".to_owned()));
        let removal = format!("quitar-{}", input.name);
        inputs.push(input.hint(match &host {
            Some(host) => format!("Ahora va a {host}. Déjalo vacío para no cambiarla."),
            None => "Vacío: la del servidor, si la hay.".to_owned(),
        }));
        inputs.extend(host.map(|_| returned.form.tickbox(&removal, "Quitarla y volver a la del servidor")));
    }
    (inputs, view.version)
}

#[cfg(test)]
mod tests {
    use embudo_domain::connections::Connections;

    use super::*;

    #[test]
    fn every_signal_has_its_field() {
        let fields: Vec<_> = RECEIVERS.fields().map(|field| (field.name, field.label)).collect();
        assert_eq!(fields, Connections::SIGNALS.map(|to| (to.as_str(), to.label())));
    }
}
