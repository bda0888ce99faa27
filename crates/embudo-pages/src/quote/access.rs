//! Who may see a quote, and who may answer it.

use std::net::IpAddr;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use embudo_app::Pass;
use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::Presupuesto;
use http::StatusCode;
use http::request::Parts;

use super::bridge;
use crate::WebState;
use crate::panel::works_at;
use crate::parts::{ClientAddress, Frame, Refusal, Storefront, Visibility, is_from_us, render_page};

/// A quote that the pass in the address opened.
pub(super) struct Opened {
    /// The address of the quote's page.
    pub base: String,
    /// The start of the addresses of the photos.
    pub album: String,
    pub pdf: String,
    /// Whether a person of the company is looking at the page. That person cannot answer.
    pub is_preview: bool,
    pub presupuesto: Presupuesto,
    pub storefront: Storefront,
}

impl Opened {
    /// The quote as people of the company see it in the panel, without a pass.
    pub async fn in_panel(
        state: &WebState,
        empresa: Empresa,
        presupuesto: Presupuesto,
    ) -> Result<Self, Refusal> {
        let lead = format!("/panel/leads/{}", presupuesto.lead);
        Ok(Self {
            base: format!("/panel/presupuestos/{}/pagina", presupuesto.id),
            pdf: format!("{lead}/presupuestos/{}", presupuesto.number),
            album: lead,
            is_preview: true,
            storefront: Storefront::of_empresa(state, empresa).await?,
            presupuesto,
        })
    }
}

impl FromRequestParts<WebState> for Opened {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        // A pass has no character that needs escaping, so the raw segment is enough.
        let pass = parts.uri.path().split('/').nth(2).unwrap_or_default();
        let id = match state.app.rights().open_pass(pass).await? {
            Ok(Pass::Presupuesto(id)) => id,
            Ok(_) => return Err(Refusal::Forged),
            Err(invalid) => return Err(invalid.into()),
        };
        let base = format!("/p/{pass}");
        let presupuesto = bridge::presupuesto(state, id).await?;
        let empresas = state.app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(|e| e.id == presupuesto.empresa).ok_or(Refusal::NotFound)?;
        let is_preview = works_at(state, parts, empresa.id).await?;
        let storefront = Storefront::of_empresa(state, empresa).await?;
        let (album, pdf) = (base.clone(), format!("{base}/pdf"));
        Ok(Self { base, album, pdf, is_preview, presupuesto, storefront })
    }
}

/// A form that was sent from the quote's own page.
pub(super) struct AnswerForm {
    pub open: Opened,
    /// The client's address, if it is known.
    pub ip: Option<IpAddr>,
}

impl FromRequestParts<WebState> for AnswerForm {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        let open = Opened::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        if !is_from_us(&parts.headers, &parts.uri, state) {
            return Err(foreign(open.storefront));
        }
        if open.is_preview {
            return Err(Refusal::Preview.into_response());
        }
        let ip = Some(ClientAddress::of(parts, state).0).filter(|ip| !ip.is_unspecified());
        Ok(Self { open, ip })
    }
}

#[derive(Template)]
#[template(path = "quote/foreign.html")]
struct Foreign {
    frame: Frame,
}

/// The page that answers a form sent from another site.
fn foreign(storefront: Storefront) -> Response {
    let template = Foreign { frame: Frame::new(storefront, "No hemos guardado nada") };
    render_page(StatusCode::FORBIDDEN, Visibility::Personal, &template.frame, &template)
}
