//! `POST /panel/empresa/conexiones`: the company's own receivers of the four signals, and the secret that signs what they get. An address is
//! not shown again once it is saved: it may hold a secret.

use axum::extract::{Request, State};
use embudo_app::host_of;
use embudo_domain::audit::AuditAction;
use embudo_domain::connections::{Connections, MAX_URL};
use embudo_domain::job::Destination;
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;

use super::settings_edit::{self, Change};
use super::{connections, shown_once};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Field, Form, Group, Kind, Returned};
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{Input, fields_of, redirect};

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
    .told_as(|settings, name| {
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

/// The fields of the form, each with its box to go back to the server's.
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

/// `POST /panel/empresa/conexiones`.
pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let mut sent = fields_of(&state, request).await?;
    let mut form = FormState::default();
    for to in Connections::SIGNALS {
        let (name, url) = (to.as_str(), sent.text(to.as_str()));
        // What is left empty stays, unless it is to be removed.
        if url.is_empty() {
            let is_removed = sent.has(&format!("quitar-{name}"));
            sent.0.retain(|(field, _)| field != name);
            sent.0.extend(is_removed.then(|| (name.to_owned(), String::new())));
            continue;
        }
        // Looking a name up costs somebody: no more often than samples.
        state.throttle.sample(signed.open.user.id).await?;
        if let Err(mistake) = check(&state, &url).await {
            form.add(name, mistake);
        }
    }
    let action = AuditAction::ConnectionsChanged;
    let returned = match form.is_good() {
        true => settings_edit::save(&state, &signed, action, &sent, &RECEIVERS).await?,
        false => Some(Returned::wrong(form, sent)),
    };
    match returned {
        None => Ok(redirect(&format!("{}?hecho=direcciones", connections::PATH))),
        Some(returned) => connections::page(&state, &signed, &caller, returned.into()).await,
    }
}

/// Whether signals may go to an address, as things are now; it is looked at again whenever one does.
async fn check(state: &WebState, url: &str) -> Result<(), String> {
    if url.len() > MAX_URL {
        return Err(format!("La dirección puede tener hasta {MAX_URL} letras."));
    }
    let checked = state.app.outbound.fetches.check_receiver(url).await;
    checked.map_err(|why| format!("No podemos enviar ahí: {why}."))
}

/// `POST /panel/empresa/conexiones/secreto`: a new secret, shown once; the last one signs beside it for a day.
pub(crate) async fn renew_secret(State(state): State<WebState>, signed: Signed) -> PanelResult {
    signed.at_least(Role::Gestor)?;
    let secret = state.app.empresas().new_webhook_secret();
    let now = state.app.now();
    let change = |before: &Settings| {
        let mut edited = before.clone();
        edited.connections.renew(secret.clone(), now);
        let told = |own: &Connections| match own.secret.is_some() {
            true => "señales firmadas".to_owned(),
            false => "señales sin firmar".to_owned(),
        };
        Ok::<_, ()>(Change { said: (told(&before.connections), "secreto nuevo".to_owned()), edited })
    };
    let _: Result<(), ()> =
        settings_edit::edit(&state, &signed, AuditAction::WebhookSecretRenewed, change).await?;
    let text = "Con él se firman las señales que van a tus direcciones (Standard Webhooks). Ponlo en quien las recibe; si había otro, firma también durante un día más.";
    shown_once::page(&state, &signed, "Secreto para firmar".to_owned(), text, "Secreto", secret).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_field() {
        let fields: Vec<_> = RECEIVERS.fields().map(|field| (field.name, field.label)).collect();
        assert_eq!(fields, Connections::SIGNALS.map(|to| (to.as_str(), to.label())));
    }
}
