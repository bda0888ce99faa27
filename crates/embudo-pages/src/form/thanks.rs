//! The end of the form: what happens next.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use embudo_app::{Outbound, QuoteToCome, Receivers};
use embudo_domain::job::Destination;
use embudo_domain::notice::NoticeTopic;
use http::{StatusCode, Uri};

use super::step::{Opened, PageResult};
use super::words;
use crate::WebState;
use crate::parts::{Frame, Storefront, Visibility, read_fields, render_page};

/// True however the server is set up.
const RECEIVED: &str = "Ya tenemos lo que nos has contado.";
/// The message waits for a person, in the page's address.
pub(super) const WAITS: &str = "mensajeria-espera";

#[derive(Template)]
#[template(path = "form/thanks.html")]
struct ThanksPage {
    frame: Frame,
    title: String,
    texts: Vec<String>,
    /// Back to the form, and to what was consented to.
    links: Option<(String, String)>,
}

/// What will happen, as far as this server is set up to make it happen.
struct WhatFollows<'a> {
    outbound: &'a Outbound,
    receivers: Receivers,
    storefront: &'a Storefront,
    to_come: QuoteToCome,
}

impl WhatFollows<'_> {
    fn mensajeria(&self, nombre: &str, telefono: &str) -> (String, String) {
        let channel = self.storefront.brand.mensajeria();
        if !self.receivers.has(Destination::Mensajeria) {
            return (
                format!("¡Hecho, {nombre}! Lo hemos anotado"),
                format!("Hemos anotado que prefieres seguir por {channel}, en el {telefono}."),
            );
        }
        (
            format!("¡Hecho, {nombre}! Seguimos por {channel}"),
            format!(
                "Te escribiremos al {telefono}. Puedes contestar cuando te venga bien y mandar ahí más fotos o dudas."
            ),
        )
    }

    fn message_waits(&self, nombre: &str, telefono: &str) -> (String, String) {
        let (channel, empresa) = (self.storefront.brand.mensajeria(), &self.storefront.empresa.nombre);
        (
            format!("¡Hecho, {nombre}! Lo hemos anotado"),
            format!(
                "Hemos guardado tu teléfono, el {telefono}, y que prefieres seguir por {channel}. Antes de escribirte, una persona de {empresa} lo comprueba."
            ),
        )
    }

    fn call(&self, nombre: &str, telefono: &str) -> (String, String) {
        let empresa = &self.storefront.empresa;
        let notified = self.outbound.mail.is_some() && empresa.wants(NoticeTopic::Arrivals);
        let title = format!("¡Hecho, {nombre}! Lo hemos anotado");
        if notified {
            let text =
                format!("Hemos avisado a {} de que prefieres que te llamen al {telefono}.", empresa.nombre);
            return (title, text);
        }
        (title, format!("Hemos anotado que prefieres que te llamemos al {telefono}."))
    }

    fn presupuesto(&self, email: &str) -> String {
        let empresa = &self.storefront.empresa.nombre;
        let is_sent = self.to_come == QuoteToCome::ByItself;
        if self.to_come == QuoteToCome::Reviewed && self.outbound.mail.is_some() {
            return format!("{empresa} revisa tu presupuesto antes de enviártelo a {email}.");
        }
        if is_sent && self.outbound.mail.is_some() {
            return format!("Cuando esté listo, el presupuesto te llegará a {email}.");
        }
        if is_sent && self.receivers.has(Destination::Pdf) {
            return format!(
                "Cuando esté listo, te llegará el presupuesto por {}.",
                self.storefront.brand.mensajeria()
            );
        }
        format!("Tu petición queda en manos de {empresa}, que la verá y se pondrá en contacto contigo.")
    }
}

/// `GET /f/:slug/:pase/gracias?por=…`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let lead = &open.record.lead;
    let nombre = lead.first_name();
    let telefono = words::telefono(&lead.telefono_e164);
    let by = read_fields(uri.query().unwrap_or_default().as_bytes()).text("por");
    let to_come = state.app.forms().to_come(lead.empresa.id).await?;
    let receivers = state.app.receivers(lead.empresa.id).await?;
    let (outbound, storefront) = (&*state.app.outbound, &open.storefront);
    let what_follows = WhatFollows { outbound, receivers, storefront, to_come };
    let (title, text) = match by.as_str() {
        "mensajeria" => what_follows.mensajeria(&nombre, &telefono),
        WAITS => what_follows.message_waits(&nombre, &telefono),
        "llamada" => what_follows.call(&nombre, &telefono),
        _ => (format!("¡Gracias, {nombre}!"), RECEIVED.to_owned()),
    };
    let texts = vec![text, what_follows.presupuesto(&lead.email)];
    let withdrawal = format!("/c/{}", state.app.form_passes().to_consentimientos(lead.id));
    let links = Some((format!("{}/resumen", open.form.base), withdrawal));
    Ok(page(open.storefront, title, texts, links))
}

/// `GET /f/:slug/gracias`: the same for nobody in particular. Programs that fill hidden fields end here.
pub(crate) async fn to_nobody(State(state): State<WebState>, Path(slug): Path<String>) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    Ok(page(storefront, "¡Gracias!".to_owned(), vec![RECEIVED.to_owned()], None))
}

fn page(
    storefront: Storefront,
    title: String,
    texts: Vec<String>,
    links: Option<(String, String)>,
) -> Response {
    let frame = Frame::new(storefront, "Gracias").with(&["formulario.css"], &[]);
    let page = ThanksPage { frame, title, texts, links };
    render_page(StatusCode::OK, Visibility::Personal, &page.frame, &page)
}
