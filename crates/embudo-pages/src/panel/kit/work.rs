//! The data with which every form about a lead begins: the person, the lead, and the fields that were sent.

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

/// A person and the lead in the address. The person has the permission that the page requires.
pub(crate) struct OpenLead {
    pub state: WebState,
    pub signed: Signed,
    pub lead: Lead,
}

impl FromRequestParts<WebState> for OpenLead {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        let signed = <Signed as FromRequestParts<WebState>>::from_request_parts(parts, state).await?;
        let named = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotFound)?;
        let id = named.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id);
        let lead = open(state, &signed, id).await?;
        Ok(Self { state: state.clone(), signed, lead })
    }
}

impl OpenLead {
    pub fn viewer(&self) -> Viewer {
        viewer(&self.signed, &self.lead)
    }

    pub async fn desk(&self) -> Result<LeadDesk, Refusal> {
        Ok(self.state.app.store.desk(&self.viewer(), self.lead.id).await?)
    }

    /// Redirects to the lead's page, which says what was done.
    pub fn done(&self, what: &str) -> Response {
        redirect(&format!("/panel/leads/{}?hecho={what}", self.lead.id))
    }

    /// Redirects to a part of the lead's page, without a message.
    pub fn back(&self, place: &str) -> Response {
        redirect(&format!("/panel/leads/{}#{place}", self.lead.id))
    }
}

/// An `OpenLead` together with the fields of the form.
pub(crate) struct Posted {
    pub open: OpenLead,
    pub fields: FormFields,
}

impl Deref for Posted {
    type Target = OpenLead;

    fn deref(&self) -> &OpenLead {
        &self.open
    }
}

impl FromRequest<WebState> for Posted {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Refusal> {
        let (mut parts, body) = request.into_parts();
        let open = OpenLead::from_request_parts(&mut parts, state).await?;
        let fields = fields_of(state, Request::from_parts(parts, body)).await?;
        Ok(Self { open, fields })
    }
}

impl Posted {
    /// The key of the pressed button. `None` if the form does not come from one of our pages.
    pub fn press(&self, what: &str) -> Option<CallKey> {
        press(&self.fields, what, self.lead.id.0)
    }
}

/// Opens a lead of one of the person's companies, if they have the permission that the page requires. A person who may
/// not see all leads only finds the leads whose work they take part in. The access is recorded.
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

/// The person as a viewer of the lead's company.
pub(in crate::panel) fn viewer(signed: &Signed, lead: &Lead) -> Viewer {
    Viewer { who: signed.open.user.id, empresas: vec![lead.empresa.id] }
}

/// The maximum length of an internal note, in characters.
const MAX_NOTA: usize = 8_000;

/// The error of an internal note, if it has one.
pub(in crate::panel) fn nota_mistake(text: &str) -> Option<&'static str> {
    match text.chars().count() {
        0 => Some("Escribe la nota."),
        n if n > MAX_NOTA => Some("Es demasiado larga: caben 8000 letras."),
        _ => None,
    }
}

/// The random id that all buttons of a page share. `None` if the form does not come from one of our pages.
pub(in crate::panel) fn once(fields: &FormFields) -> Option<Uuid> {
    Uuid::try_parse(fields.raw("vez")).ok()
}

/// The key of a button that acts on `of`. Pressing the button twice gives the same key, so it counts once. An id from
/// the page of another object gives a different key.
pub(in crate::panel) fn press(fields: &FormFields, what: &str, of: Uuid) -> Option<CallKey> {
    let (scope, key) = (format!("panel {what} {of}"), once(fields)?.to_string());
    Some(CallKey { scope, key, cuerpo_sha256: [0; 32], life: SignedDuration::from_hours(24) })
}
