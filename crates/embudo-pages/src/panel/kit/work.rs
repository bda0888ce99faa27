//! Somebody who works with a lead, and what they sent: how every form about a lead begins.

use std::ops::Deref;

use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::role::Permission;
use embudo_store::CallKey;
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::Viewer;
use http::request::Parts;
use jiff::SignedDuration;
use uuid::Uuid;

use crate::WebState;
use crate::panel::Signed;
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// Somebody who may do with the lead that the address names what the line of the page needs.
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
        let lead = open(state, &signed, id).await?;
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
    pub fn done(&self, what: &str) -> Response {
        redirect(&format!("/panel/leads/{}?hecho={what}", self.lead.id))
    }

    /// Back to a place of the page, with nothing to say.
    pub fn back(&self, place: &str) -> Response {
        redirect(&format!("/panel/leads/{}#{place}", self.lead.id))
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
}

/// A lead of one of the person's companies, if they may do there what the line of the page needs. To somebody who does
/// not see all leads, only those are there whose work they take part in. That they look is written down.
pub(in crate::panel) async fn open(state: &WebState, signed: &Signed, id: &str) -> Result<Lead, Refusal> {
    let id = LeadId::parse(id).ok_or(Refusal::NotFound)?;
    let lead = state.app.store.lead(id).await?;
    signed.within(lead.empresa.id)?;
    if !signed.may_in(lead.empresa.id, Permission::SeeLeads)
        && !state.app.visits().takes_part(signed.open.user.id, id).await?
    {
        return Err(Refusal::NotFound);
    }
    signed.looks_at(state, id).await;
    Ok(lead)
}

/// The person as a reader of the lead's company.
pub(in crate::panel) fn viewer(signed: &Signed, lead: &Lead) -> Viewer {
    Viewer { who: signed.open.user.id, empresas: vec![lead.empresa.id] }
}

/// The longest internal note, in characters.
const MAX_NOTA: usize = 8_000;

/// What is wrong with an internal note, if anything is.
pub(in crate::panel) fn nota_mistake(text: &str) -> Option<&'static str> {
    match text.chars().count() {
        0 => Some("Escribe la nota."),
        n if n > MAX_NOTA => Some("Es demasiado larga: caben 8000 letras."),
        _ => None,
    }
}

/// The number of a page's buttons. `None`: the form came with no page of ours.
pub(in crate::panel) fn once(fields: &FormFields) -> Option<Uuid> {
    Uuid::try_parse(fields.raw("vez")).ok()
}

/// The key of a button that was pressed on something, `of`: pressed twice it is one press. A number that a page of
/// something else got names another press.
pub(in crate::panel) fn press(fields: &FormFields, what: &str, of: Uuid) -> Option<CallKey> {
    let (scope, key) = (format!("panel {what} {of}"), once(fields)?.to_string());
    Some(CallKey { scope, key, cuerpo_sha256: [0; 32], life: SignedDuration::from_hours(24) })
}
