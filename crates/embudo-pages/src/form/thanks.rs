//! The end of the form: what happens next, and when.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use embudo_app::{Outbound, WhatFollows};
use embudo_domain::job::Destination;
use embudo_domain::notice::NoticeTopic;
use http::{StatusCode, Uri};

use super::step::{Opened, PageResult, Step};
use super::words;
use crate::WebState;
use crate::parts::{Frame, Storefront, Visibility, read_fields, redirect, render_page};

/// This sentence is true for every configuration of the server.
const RECEIVED: &str = "Ya tenemos lo que nos has contado.";
/// The word in the page's address if no message was sent yet, because a person must check the number first.
pub(super) const WAITS: &str = "mensajeria-espera";

#[derive(Template)]
#[template(path = "form/thanks.html")]
struct ThanksPage {
    frame: Frame,
    title: String,
    texts: Vec<String>,
    way: Option<Ways>,
    /// The links back to the form and to the consents. `None` on the page without a lead.
    links: Option<(String, String)>,
}

/// The ways to continue, for a person who has not chosen one yet.
struct Ways {
    /// The start of the form's addresses.
    base: String,
    telefono: String,
    /// Whether a conversation can be started.
    mensajeria: bool,
}

/// Writes the result of the chosen way to continue: a title and a sentence.
struct ChosenWay<'a> {
    outbound: &'a Outbound,
    follows: &'a WhatFollows,
    storefront: &'a Storefront,
    nombre: &'a str,
    telefono: &'a str,
}

impl ChosenWay<'_> {
    fn noted(&self, text: String) -> (String, String) {
        (format!("¡Hecho, {}! Lo hemos anotado", self.nombre), text)
    }

    fn mensajeria(&self) -> (String, String) {
        let (channel, telefono) = (self.storefront.brand.mensajeria(), self.telefono);
        if !self.follows.receivers.has(Destination::Mensajeria) {
            return self
                .noted(format!("Hemos anotado que prefieres seguir por {channel}, en el {telefono}."));
        }
        let text = format!(
            "Te escribiremos al {telefono}. Puedes contestar cuando te venga bien y mandar ahí más fotos o dudas."
        );
        (format!("¡Hecho, {}! Seguimos por {channel}", self.nombre), text)
    }

    fn message_waits(&self) -> (String, String) {
        let (channel, empresa) = (self.storefront.brand.mensajeria(), &self.storefront.empresa.nombre);
        self.noted(format!(
            "Hemos guardado tu teléfono, el {}, y que prefieres seguir por {channel}. Antes de escribirte, una persona de {empresa} lo comprueba.",
            self.telefono
        ))
    }

    fn call(&self) -> (String, String) {
        let (empresa, telefono) = (&self.storefront.empresa, self.telefono);
        let notified = self.outbound.mail.is_some() && empresa.wants(NoticeTopic::Arrivals);
        self.noted(match notified {
            true => {
                format!("Hemos avisado a {} de que prefieres que te llamen al {telefono}.", empresa.nombre)
            }
            false => format!("Hemos anotado que prefieres que te llamemos al {telefono}."),
        })
    }
}

/// `GET /f/:slug/:pase/gracias?por=…`. A form that was not sent yet is redirected to its summary.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let (lead, forms) = (&open.record.lead, state.app.forms());
    if !forms.is_completed(lead.id).await? {
        return Ok(redirect(&open.form.path(Step::Summary)));
    }
    let (nombre, telefono) = (lead.first_name(), words::telefono(&lead.telefono_e164));
    let by = read_fields(uri.query().unwrap_or_default().as_bytes()).text("por");
    let follows = forms.what_follows(lead).await?;
    let chosen = ChosenWay {
        outbound: &state.app.outbound,
        follows: &follows,
        storefront: &open.storefront,
        nombre: &nombre,
        telefono: &telefono,
    };
    let way = match by.as_str() {
        "mensajeria" => Some(chosen.mensajeria()),
        WAITS => Some(chosen.message_waits()),
        "llamada" => Some(chosen.call()),
        _ => None,
    };
    let is_chosen = way.is_some();
    let (title, text) = way.unwrap_or((format!("¡Enviada! Gracias, {nombre}"), RECEIVED.to_owned()));
    let mut texts = vec![text, follows.text(lead, &open.storefront.brand)];
    if forms.has_receipt(lead).await? {
        let email = &lead.email;
        texts.push(format!(
            "Te mandamos un correo a {email} con un enlace para cambiar tus respuestas o añadir fotos."
        ));
    }
    let mensajeria = follows.receivers.has(Destination::Mensajeria);
    let ways = Ways { base: open.form.base.clone(), telefono, mensajeria };
    let withdrawal = format!("/c/{}", state.app.form_passes().to_consentimientos(lead.id));
    let links = Some((format!("{}/resumen", open.form.base), withdrawal));
    Ok(page(open.storefront, title, texts, (!is_chosen).then_some(ways), links))
}

/// `GET /f/:slug/gracias`: the page without a lead. Programs that fill in the hidden field end here.
pub(crate) async fn to_nobody(State(state): State<WebState>, Path(slug): Path<String>) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    Ok(page(storefront, "¡Gracias!".to_owned(), vec![RECEIVED.to_owned()], None, None))
}

fn page(
    storefront: Storefront,
    title: String,
    texts: Vec<String>,
    way: Option<Ways>,
    links: Option<(String, String)>,
) -> Response {
    let frame = Frame::new(storefront, "Gracias").with(&["formulario.css"], &[]);
    let page = ThanksPage { frame, title, texts, way, links };
    render_page(StatusCode::OK, Visibility::Personal, &page.frame, &page)
}
