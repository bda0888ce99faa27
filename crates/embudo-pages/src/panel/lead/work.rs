//! Somebody who works with a lead, and what they sent: how every form of its page begins and ends.

use std::ops::Deref;

use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use embudo_domain::lead::Lead;
use embudo_domain::role::Role;
use embudo_store::CallKey;
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::Viewer;
use http::StatusCode;
use http::request::Parts;

use super::show::render;
use super::shown::Shown;
use super::{open, press, viewer};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// Somebody who may work with the lead that the address names.
pub(crate) struct Work {
    pub state: WebState,
    pub signed: Signed,
    pub lead: Lead,
}

impl FromRequestParts<WebState> for Work {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        let signed = <Signed as FromRequestParts<WebState>>::from_request_parts(parts, state).await?;
        let named = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotFound)?;
        let id = named.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id);
        let lead = open(state, &signed, id, Role::Comercial).await?;
        Ok(Self { state: state.clone(), signed, lead })
    }
}

impl Work {
    pub fn viewer(&self) -> Viewer {
        viewer(&self.signed, &self.lead)
    }

    pub async fn desk(&self) -> Result<LeadDesk, Refusal> {
        Ok(self.state.app.store.desk(&self.viewer(), self.lead.id).await?)
    }

    /// Back to the page, which says what was done.
    pub fn done(&self, said: &str) -> Response {
        redirect(&format!("/panel/leads/{}?hecho={said}", self.lead.id))
    }

    /// Back to a place of the page, with nothing to say.
    pub fn back(&self, place: &str) -> Response {
        redirect(&format!("/panel/leads/{}#{place}", self.lead.id))
    }

    /// The page again, with what is wrong.
    pub(super) async fn mistaken(&self, shown: Shown) -> PanelResult {
        self.page(StatusCode::UNPROCESSABLE_ENTITY, shown).await
    }

    pub(super) async fn page(&self, status: StatusCode, shown: Shown) -> PanelResult {
        render(&self.state, &self.signed, self.lead.id, status, shown).await
    }
}

/// The same, with the form that they sent.
pub(crate) struct Posted {
    pub work: Work,
    pub fields: FormFields,
}

impl Deref for Posted {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.work
    }
}

impl FromRequest<WebState> for Posted {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Refusal> {
        let (mut parts, body) = request.into_parts();
        let work = Work::from_request_parts(&mut parts, state).await?;
        let fields = fields_of(state, Request::from_parts(parts, body)).await?;
        Ok(Self { work, fields })
    }
}

impl Posted {
    /// The key of the button; `None`: it came with no page of ours.
    pub fn press(&self, what: &str) -> Option<CallKey> {
        press(&self.fields, what, self.lead.id.0)
    }

    /// The page again, for a button without its number.
    pub async fn incomplete(&self) -> PanelResult {
        let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
        self.mistaken(Shown { form, ..Shown::default() }).await
    }
}
