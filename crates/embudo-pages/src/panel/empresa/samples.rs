//! Test deliveries: a signal with invented data to a connected receiver, or a mail to the signed-in person. Shows the
//! response.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::Sampled;
use embudo_domain::job::Destination;
use http::StatusCode;

use super::{Tabs, connections, frame};
use crate::WebState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{fields_of, private_page, redirect};

#[derive(Template)]
#[template(path = "panel/empresa/sampled.html")]
struct SamplePage {
    frame: PanelFrame,
    tabs: Tabs,
    title: String,
    sampled: Sampled,
    /// The recipient of a test mail. `None` for a signal.
    to: Option<String>,
}

/// `POST /panel/empresa/conexiones/muestra`.
pub(crate) async fn signal(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let empresa = signed.empresa()?.clone();
    let fields = fields_of(&state, request).await?;
    let Some(to) = Destination::parse(&fields.text("destino")) else {
        return Ok(redirect(connections::PATH));
    };
    state.throttle.sample(signed.open.user.id).await?;
    match state.app.empresas().send_sample(&empresa, to, &signed.actor()).await? {
        Some(sampled) => page(&state, &signed, format!("Muestra: {}", to.label()), sampled, None).await,
        None => Ok(redirect(connections::PATH)),
    }
}

/// `POST /panel/empresa/conexiones/correo/prueba`.
pub(crate) async fn mail(State(state): State<WebState>, signed: Signed) -> PanelResult {
    let empresa = signed.empresa()?.clone();
    if state.app.outbound.mail.is_none() {
        return Ok(redirect(connections::PATH));
    }
    let user = &signed.open.user;
    state.throttle.sample(user.id).await?;
    match state.app.empresas().send_test_mail(&empresa, user, &signed.actor()).await? {
        Some(sampled) => {
            let to = Some(user.email.typed.clone());
            page(&state, &signed, "Correo de prueba".to_owned(), sampled, to).await
        }
        None => Ok(redirect(connections::PATH)),
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    title: String,
    sampled: Sampled,
    to: Option<String>,
) -> PanelResult {
    let frame = frame(state, signed, &title).await?;
    let page = SamplePage { frame, tabs: Tabs { here: connections::PATH }, title, sampled, to };
    Ok(private_page(StatusCode::OK, &page))
}
