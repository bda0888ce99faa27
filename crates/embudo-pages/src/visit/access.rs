//! Who may see a visit, and who may change it.

use axum::extract::FromRequestParts;
use embudo_app::Pass;
use embudo_domain::visita::{SpanishTimeZone, VisitSettings, Visita};
use http::request::Parts;

use crate::WebState;
use crate::panel::works_at;
use crate::parts::{Refusal, Storefront, is_from_us};

/// A visit that the pass in the address opened.
pub(super) struct Opened {
    /// The address of the visit's page.
    pub base: String,
    pub visita: Visita,
    pub zone: SpanishTimeZone,
    pub settings: VisitSettings,
    pub storefront: Storefront,
    /// Whether a person of the company is looking at the page. That person cannot choose an hour.
    pub is_preview: bool,
}

impl FromRequestParts<WebState> for Opened {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        if !parts.method.is_safe() && !is_from_us(&parts.headers, &parts.uri, state) {
            return Err(Refusal::Foreign);
        }
        // A pass has no character that needs escaping, so the raw segment is enough.
        let pass = parts.uri.path().split('/').nth(2).unwrap_or_default();
        let id = match state.app.rights().open_pass(pass).await? {
            Ok(Pass::Visita(id)) => id,
            Ok(_) => return Err(Refusal::Forged),
            Err(invalid) => return Err(invalid.into()),
        };
        let visita = state.app.store.visita(id).await?.ok_or(Refusal::NotFound)?;
        let empresas = state.app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(|e| e.id == visita.empresa).ok_or(Refusal::NotFound)?;
        let is_preview = works_at(state, parts, empresa.id).await?;
        if is_preview && !parts.method.is_safe() {
            return Err(Refusal::Preview);
        }
        let (settings, zone) = state.app.visits().settings(visita.empresa).await?;
        let storefront = Storefront::of_empresa(state, empresa).await?;
        Ok(Self { base: format!("/v/{pass}"), visita, zone, settings, storefront, is_preview })
    }
}
